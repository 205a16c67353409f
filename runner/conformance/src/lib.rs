//! The conformance kit: checks that a bot plays by the protocol.
//!
//! Each check puts a proxy between the bot and a real service. The kit has the bot's token: it plays both
//! seats into a situation before the bot starts, and the bot takes over from there.

mod answers;
mod bot_under_test;
mod catalogue;
mod clocks;
mod connection;
mod context;
mod embedded_service;
mod events;
mod failure;
mod json;
mod line;
mod matches;
mod protocol_violation;
mod proxy;
mod run;
mod scenario_match;
mod situation;
mod situations;
mod table;
mod verdict;

pub use bot_under_test::ExaminedBot;
pub use catalogue::{Behaviour, CHECKS, Check, CheckKind};
pub use context::{ANSWER_LIMIT, Patience, RETURN_LIMIT, START_LIMIT};
pub use embedded_service::KitError;
pub use json::to_json;
pub use line::{After, Found, Line, MAX_PLAYOUTS, Moment, find, pick};
pub use run::{Examination, examine};
pub use situation::Situation;
pub use table::{head, row, tail};
pub use verdict::{CheckOutcome, CheckVerdict, NOT_CONNECTED, Scene};
