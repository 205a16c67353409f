//! The `Bot` trait, the built-in bots and the loop that plays them over gRPC.

mod bot;

pub use bot::{Bot, BotError, Budget, MatchInfo};
