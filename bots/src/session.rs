//! The session, which plays bots over gRPC.
//!
//! A [`Session`] keeps one stream of a player open and plays all of its matches on it: it accepts
//! invitations, creates a bot for each match, lets it think on a [`ThinkingPool`], and answers. The part that
//! turns messages into effects does no I/O.

mod budget;
mod error;
mod notice;
mod options;
mod share_secret;

mod active_match;
mod active_matches;
mod round_trips;
mod run;
mod seed;
mod server_clock;
mod thinking;

pub use budget::{SAFETY_MARGIN, thinking_time};
pub use error::SessionError;
pub use notice::{Notice, Summary};
pub use options::{DEFAULT_PATIENCE, FIRST_PATIENCE, MATCHES_AT_ONCE, SessionOptions, Until};
pub use run::Session;
pub use seed::decision_seed;
pub use share_secret::ShareSecret;
pub use thinking::{BotFactory, MakeBotError, ThinkingPool};
