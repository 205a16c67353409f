//! A match as a pure decider: commands in, events out. Tokens are another one, in [`access`].
//!
//! [`create`] and [`decide`] turn commands into events; [`MatchState::evolve`] and [`replay`] apply
//! them. Nothing here does I/O or reads a clock: time is an argument, and draws are in the events.
//! A match is its log, and replaying the log gives the match.

pub mod access;

mod clock;
mod command;
mod deal;
mod decide;
mod misfit;
mod rejection;
mod replay;
mod request;
mod state;

pub use clock::Clocks;
pub use command::{Command, OfferedThinking};
pub use decide::{Decided, create, decide};
pub use misfit::{Inconsistent, Misfit};
pub use rejection::Rejection;
pub use replay::{Replay, replay};
pub use request::{REMEMBERED_REQUESTS, RequestAnswer};
pub use state::{DueDecision, MatchState, Seated};
