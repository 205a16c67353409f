//! Plays the matches of a run: starts or finds a service, seats the bots, follows the matches and
//! records them.
//!
//! [`run`] is the whole of it. [`play_all`] knows nothing of services: it hands the matches of a
//! schedule to an [`Arena`], so many at a time, and records what comes back.

mod arena;
mod causes;
mod check;
mod course;
mod credentials;
mod debut;
mod direct;
mod dispatch;
mod engines;
mod error;
mod followed;
mod ground;
mod grpc_arena;
mod health;
mod heard;
mod host;
mod log_excerpt;
mod outage;
mod player_error;
mod players;
mod replay;
mod restarter;
mod run;
mod stopped;
mod strikes;
mod trial;

pub use crate::config::Limits;
pub use arena::{Arena, ArenaError};
pub use check::check;
pub use credentials::Holder;
pub use dispatch::{Finish, State, play_all};
pub use error::RunError;
pub use host::HostError;
pub use log_excerpt::LogExcerpt;
pub use outage::PATIENCE;
pub use player_error::PlayerError;
pub use replay::replay;
pub use restarter::MAX_ENDS;
pub use run::{Outcome, processors, run};
pub use trial::{Trial, Verdict};
