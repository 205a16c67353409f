use std::error::Error;
use std::time::Duration;

use dragontooth_games::Seat;

/// A program that plays one match.
///
/// A bot is made for a match when it opens and dropped when it is over. The same bot may be made
/// again in the middle of a match, after a lost connection: it must be able to choose from the
/// position alone.
pub trait Bot: Send {
    /// Chooses one of the legal actions of `position`, in the game's notation.
    ///
    /// It is called on a thread of its own and may think, but not longer than `budget` allows.
    ///
    /// # Errors
    ///
    /// The position cannot be read or leaves nothing to choose.
    fn choose(&mut self, position: &str, budget: &Budget) -> Result<String, BotError>;
}

/// What a bot may spend on one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The time until the choice must be made; none for as long as the bot likes.
    pub time: Option<Duration>,
    /// What the bot's random choices follow from. It is different for every decision and the same
    /// whenever the same decision is asked again.
    pub seed: u64,
}

/// The match for which a bot is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchInfo {
    /// The match's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name.
    pub variant: String,
    /// The points that win the match.
    pub target: u32,
    /// The bot's seat.
    pub seat: Seat,
}

/// Why a bot made no choice.
#[derive(Debug, thiserror::Error)]
pub enum BotError {
    /// The position cannot be read.
    #[error("the position {position:?} cannot be read")]
    UnreadablePosition {
        /// Its text.
        position: String,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// No seat decides in the position.
    #[error("nothing is to be decided in the position {0:?}")]
    NothingToDecide(String),
    /// A program that the bot asks does not answer as it should.
    #[error("the program that is asked fails")]
    Program(#[source] Box<dyn Error + Send + Sync>),
}
