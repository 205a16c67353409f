//! The loop that plays bots over gRPC.
//!
//! A [`Session`] keeps one stream of a player open and plays all of its matches on it: it accepts
//! invitations, makes a bot for each match, lets it think on a [`ThinkingPool`] and answers. What
//! is to be done follows from what the service says; the part that decides it does no I/O.

mod budget;
mod error;
mod notice;
mod options;
mod played;
mod round_trips;
mod run;
mod seed;
mod server_clock;
mod table;
mod thinking;

pub use budget::{SAFETY_MARGIN, thinking_time};
pub use error::SessionError;
pub use notice::{Notice, Summary};
pub use options::{DEFAULT_PATIENCE, FIRST_PATIENCE, MATCHES_AT_ONCE, SessionOptions, Until};
pub use run::Session;
pub use seed::decision_seed;
pub use thinking::{BotFactory, MakeBotError, ThinkingPool};
