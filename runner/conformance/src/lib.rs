//! The conformance kit: checks that a bot plays by the protocol.
//!
//! Each check is played with the bot behind a proxy of its own, before a real service. The kit has the bot's
//! token: it plays both seats into a situation before the bot is there, and the bot takes the match up from
//! there.

mod answers;
mod bout;
mod catalogue;
mod clocks;
mod complaint;
mod connection;
mod embedded_service;
mod events;
mod ground;
mod hand;
mod json;
mod line;
mod matches;
mod proxy;
mod run;
mod situation;
mod situations;
mod table;
mod trouble;
mod verdict;

pub use catalogue::{Behaviour, CHECKS, Check, Kind};
pub use embedded_service::KitError;
pub use ground::{ANSWER_LIMIT, Patience, RETURN_LIMIT, START_LIMIT};
pub use hand::Candidate;
pub use json::to_json;
pub use line::{After, Found, Line, MAX_PLAYOUTS, Moment, find, pick};
pub use run::{Examination, examine};
pub use situation::Situation;
pub use table::{head, row, tail};
pub use verdict::{NOT_CONNECTED, Outcome, Scene, Verdict};
