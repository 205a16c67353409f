//! The [`Bot`] trait, the built-in bots, the game-tree search, and the session that plays bots over gRPC.
//!
//! A bot gets a position and a [`Budget`] and returns an action, both in the notation of its game:
//!
//! ```
//! use dragontooth_bots::builtin::BotSpec;
//! use dragontooth_bots::{Bot, Budget, MatchInfo};
//! use dragontooth_games::Seat;
//!
//! let info = MatchInfo {
//!     id: "example".to_owned(),
//!     title: String::new(),
//!     game: "kamisado".to_owned(),
//!     variant: "standard".to_owned(),
//!     target: 1,
//!     seat: Seat::First,
//!     time_controls: [None; 2],
//! };
//! let spec: BotSpec = "alphabeta:depth=2".parse()?;
//! let mut bot = spec.make(&info)?;
//! let budget = Budget { time: None, seed: 7 };
//! let action = bot.choose("OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -", &budget)?;
//! assert_eq!(action.len(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod backgammon;
mod bot;
pub mod builtin;
pub mod cli;
mod engine_bot;
mod error_chain;
pub mod gnubg;
pub mod kamisado;
pub mod linja;
mod position_bot;
pub mod search;
pub mod session;
pub mod tzaar;

pub use bot::{Bot, BotError, Budget, DecisionPoint, MatchOverFlag};
pub use dragontooth_bots_engines::stdio::{Choice, MatchEnd, MatchInfo};
pub use engine_bot::{EngineBot, EnginePlayer};
pub use error_chain::error_chain;
pub use position_bot::{PositionBot, TextBot};
