//! The `Bot` trait, the built-in bots and the loop that plays them over gRPC.

pub mod backgammon;
mod bot;
pub mod builtin;
pub mod cli;
pub mod gnubg;
pub mod kamisado;
pub mod linja;
pub mod search;
pub mod session;
pub mod stdio;
pub mod supervise;
pub mod tzaar;

pub use bot::{Bot, BotError, Budget, Choice, MatchEnd, MatchInfo, MatchOverFlag, Situation};
