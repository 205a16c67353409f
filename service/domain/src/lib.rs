//! A match as a pure decider: commands in, events out. So are the tokens, in [`access`].
//!
//! [`create`] and [`decide`] say what a command leads to, [`MatchState::evolve`] and [`replay`]
//! what events make of a match. Nothing here does I/O or reads a clock: the time is an argument,
//! and what was drawn stands in the events. So a match is its log, and replaying the log gives the
//! match.

pub mod access;

mod audience;
mod clock;
mod command;
mod deal;
mod decide;
mod event;
mod grace;
mod id;
mod illegal_action_limit;
mod misfit;
mod rejection;
mod replay;
mod request;
mod seed;
mod state;
mod text;
mod time;

pub use audience::{Audience, InvalidSpectatorDelay, MAX_SPECTATOR_DELAY, Sight, Visibility};
pub use clock::{Clocks, InvalidTimeControl, MAX_THINKING_TIME, TimeControl};
pub use command::{Command, NewMatch};
pub use decide::{Decided, create, decide};
pub use event::{Created, Event, Recorded, Sequence, Termination};
pub use grace::{Grace, InvalidGrace, MAX_GRACE, MIN_GRACE};
pub use id::{MatchId, ParseMatchIdError, ParsePlayerIdError, PlayerId};
pub use illegal_action_limit::{
    IllegalActionLimit, InvalidIllegalActionLimit, MAX_ILLEGAL_ACTIONS,
};
pub use misfit::Misfit;
pub use rejection::Rejection;
pub use replay::{Inconsistent, Replay, replay};
pub use request::{Answer, REMEMBERED_REQUESTS};
pub use seed::MatchSeed;
pub use state::{Due, MatchResult, MatchState, Seated};
pub use text::{FailureText, IdentityName, InvalidText, PlayerName, RequestId, SeedText, Title};
pub use time::Timestamp;
