//! Plays the checks of the conformance kit: each with a bot of its own, which reaches a real service
//! through a proxy.
//!
//! The kit has the bot's token. So it plays both seats into a situation before the bot is there, and
//! the bot takes the match up from there.

mod answers;
mod bout;
mod clocks;
mod complaint;
mod connection;
mod events;
mod ground;
mod hand;
mod log_tail;
mod matches;
mod proxy;
mod run;
mod situations;
mod trouble;

pub use ground::{ANSWER_LIMIT, Patience, RETURN_LIMIT, START_LIMIT};
pub use run::{Examination, examine};
