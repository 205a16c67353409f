//! Plays the matches of a run: starts or finds a service, seats the bots, watches the matches and records
//! them.
//!
//! [`run`] does all of it. [`play_all`] knows no service: it hands the matches of a schedule to a
//! [`Venue`], up to a given number at a time, and records the results.

mod affinity;
mod anchor_rests;
mod apply_event;
mod arena_build;
mod arena_claim;
mod arena_claimed;
mod arena_encounter;
mod arena_notice;
mod arena_presence;
mod arena_run;
mod check;
mod credentials;
mod debut;
mod direct;
mod dispatch;
mod draws_check;
mod engines;
mod error;
mod fault_counter;
mod grpc_venue;
mod guarantees;
mod health;
mod host;
mod log_excerpt;
mod logged_match;
mod match_progress;
mod outage;
mod player_error;
mod players;
mod preflight;
mod preflight_check;
mod replay;
mod restarter;
mod run;
mod running_arena;
mod seated_match;
mod served_matches;
mod turns;
mod venue;
mod watched_match;

pub use crate::config::RunLimits;
pub use arena_claimed::ArenaClaimed;
pub(crate) use arena_encounter::MAX_TAKEN;
pub use arena_run::run_arena;
pub use check::check;
pub use credentials::Holder;
pub use dispatch::{Finish, State, play_all};
pub use draws_check::DrawsError;
pub use error::RunError;
pub use host::HostError;
pub use log_excerpt::LogExcerpt;
pub(crate) use logged_match::LoggedMatch;
pub use outage::PATIENCE;
pub use player_error::PlayerError;
pub use preflight_check::{PreflightCheck, PreflightVerdict};
pub use replay::replay;
pub use restarter::MAX_ENDS;
pub use run::{RunOutcome, processors, run};
pub(crate) use served_matches::ServedMatches;
pub use venue::{Venue, VenueError};
