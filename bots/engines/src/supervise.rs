//! A supervisor: a small process between a program and its user, that ends the program and everything it
//! started, even if the user crashes.
//!
//! The runner, `dragontooth-bot stdio` and `dragontooth-gnubg` start themselves with a hidden command that
//! calls [`supervise`] or [`supervise_restarts`]. The supervisor starts the program in a process group of its
//! own and adopts the descendants that lose their parents. It ends them all when the program ends, when it
//! is ordered to, when the program exceeds its [`ResourceLimits`], or when the user is gone.
//!
//! [`supervise`] does that for one start, with [`END`] and [`SupervisorReport`]s as lines.
//! [`supervise_restarts`] starts the same program any number of times for a [`Restarter`], which hands over
//! the pipes to it.

/// Control groups of programs.
pub mod cgroup;
mod disk;
mod env_tag;
mod environment;
mod meter;
#[cfg(target_os = "linux")]
pub mod namespace;
#[cfg(not(target_os = "linux"))]
#[path = "supervise/no_namespace.rs"]
pub mod namespace;
mod orders;
mod own_executable;
pub mod processes;
mod report;
mod restarter;
mod running;

pub use env_tag::EnvTag;
pub use environment::{PASSED_VARIABLES, clear_environment};
pub use meter::ResourceLimits;
pub use orders::Order;
pub use own_executable::own_executable;
pub use report::{END, ProcessEnd, SupervisorReport, Usage};
pub use restarter::{Pipes, Restarter, supervisor};
pub use running::{Terms, supervise, supervise_restarts};
