//! The built-in bots: what they are called, what can be set, and for which games there is which.

mod bots;
mod engine;
mod info;
mod random;
mod searching;
mod settings;
mod spec;

pub use bots::{BOTS, MakeError};
pub use engine::{Engine, TextBot};
pub use info::{BotInfo, OptionInfo};
pub use random::Random;
pub use searching::Searching;
pub(crate) use searching::thinking_limit;
pub use spec::{BotSpec, SpecError};
