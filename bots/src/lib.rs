//! The `Bot` trait, the built-in bots and the loop that plays them over gRPC.

pub mod backgammon;
mod bot;
pub mod builtin;
pub mod cli;
mod engine_bot;
pub mod gnubg;
pub mod kamisado;
pub mod linja;
pub mod search;
pub mod session;
pub mod tzaar;

pub use bot::{Bot, BotError, Budget, MatchOverFlag, Situation};
pub use dragontooth_bots_engines::stdio::{Choice, MatchEnd, MatchInfo};
pub use engine_bot::{EngineBot, EnginePlayer};
