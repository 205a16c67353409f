//! Stands between the runner and a program of a bot, as a small process of its own: so that the
//! program and all that it has started end with the match play, whatever becomes of the runner.
//!
//! The runner starts itself with a hidden command, which comes to [`supervise`]: it starts the
//! program in a process group of its own, takes over whatever of its descendants has lost its
//! parent, and ends them all when the program ends, when it is told to, when the program takes more
//! than it may, or when the runner is gone. How both talk is [`Report`] and [`END`].

pub(crate) mod cgroup;
mod meter;
pub(crate) mod processes;
mod report;
mod running;

pub use meter::Allowance;
pub use report::{END, Report, Usage};
pub use running::supervise;
