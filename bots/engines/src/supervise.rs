//! Stands between whoever plays and a program of a bot, as a small process of its own: so that the
//! program and all that it has started end with the match play, whatever becomes of the one who
//! started it.
//!
//! The runner, `dragontooth-bot stdio` and `dragontooth-gnubg` start themselves with a hidden command, which comes to
//! [`supervise`] or [`keep`]: it starts the program in a process group of its own, takes over whatever of
//! its descendants has lost its parent, and ends them all when the program ends, when it is told to,
//! when the program takes more than it may, or when the one who started it is gone. [`supervise`]
//! does that for one start, with [`END`] and [`Report`]s as lines; [`keep`] starts the same program as
//! often as it is wanted, for a [`Keeper`], which hands over the pipes by which it talks with it.

/// Control groups of programs.
pub mod cgroup;
mod end;
mod keeper;
mod mark;
mod meter;
mod orders;
pub mod processes;
mod report;
mod running;

pub use end::End;
pub use keeper::{Keeper, Pipes, supervisor};
pub use mark::Mark;
pub use meter::Allowance;
pub use orders::Order;
pub use report::{END, Report, Usage};
pub use running::{keep, supervise};
