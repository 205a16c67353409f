//! Engines, which are programs that play over standard input and output, and the supervisor between such a
//! program and its user. The runner and the bridge (`dragontooth-bot stdio`) share both.

pub mod stdio;
pub mod supervise;
