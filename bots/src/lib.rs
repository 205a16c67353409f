//! The session that plays bots over gRPC, bots that other programs think for, and the program
//! `dragontooth-bot`. [`Bot`] and the built-in bots are in [`builtin`].

pub mod cli;
mod engine_bot;
mod error_chain;
pub mod gnubg;
pub mod session;

pub use builtin::{
    Bot, BotError, Budget, Choice, DecisionPoint, MatchEnd, MatchInfo, MatchOverFlag,
};
pub use builtin::{PositionBot, TextBot};
pub use dragontooth_bots_builtin as builtin;
pub use engine_bot::{EngineBot, EnginePlayer};
pub use error_chain::error_chain;
