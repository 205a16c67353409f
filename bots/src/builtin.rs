//! The built-in bots: their names, their options and the games that each plays.

mod bots;
mod info;
mod random;
mod searching;
mod spec;

pub use bots::{BOTS, MakeError};
pub use info::{BotInfo, OptionInfo};
pub use random::Random;
pub use searching::Searching;
pub use spec::{BotSpec, SpecError};
