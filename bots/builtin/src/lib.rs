//! The [`Bot`] trait, the built-in bots, and the game-tree search behind them.
//!
//! A bot gets a position and a [`Budget`] and returns an action, both in the notation of its game:
//!
//! ```
//! use dragontooth_bots_builtin::BotSpec;
//! use dragontooth_bots_builtin::{Bot, Budget, MatchInfo};
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
pub mod book;
mod bot;
mod bots;
mod info;
pub mod kamisado;
pub mod linja;
mod position_bot;
pub mod proof;
mod random;
pub mod search;
mod searching;
mod spec;
pub mod tzaar;

pub use bot::{Bot, BotError, Budget, DecisionPoint, MatchOverFlag};
pub use bots::{BOTS, MakeError};
pub use dragontooth_bots_engines::stdio::{Choice, MatchEnd, MatchInfo};
pub use info::{BotInfo, OptionInfo};
pub use position_bot::{PositionBot, TextBot};
pub use random::Random;
pub use searching::Searching;
pub use spec::{BotSpec, SpecError};
