//! Programs that play over standard input and output, called engines, and the supervisor that stands between
//! such a program and the one who started it. The runner and the bridge (`dragontooth-bot stdio`) share both.

pub mod stdio;
pub mod supervise;
