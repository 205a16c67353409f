use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use dragontooth_bots_engines::stdio::{Choice, MatchEnd};

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

    /// Decides with all that is known of the decision; what [`Bot::choose`] chooses, unless a bot has
    /// a way of its own.
    ///
    /// # Errors
    ///
    /// As [`Bot::choose`].
    fn decide(&mut self, asked: &Situation<'_>, budget: &Budget) -> Result<Choice, BotError> {
        self.choose(asked.position, budget).map(Choice::Action)
    }
}

/// A decision that a bot is to make.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The decision's number: the sequence of the event after which it was due.
    pub decision: u64,
    /// The number of the game, from 1.
    pub game_number: u32,
    /// The actions that were played in the match before, by both seats.
    pub ply: u32,
    /// The position, in the game's notation.
    pub position: &'a str,
    /// The points so far, by seat.
    pub score: [u32; 2],
    /// What chance gave for the decision.
    pub roll: Option<&'a str>,
    /// The clocks by seat, none for a seat without; none in a match without any.
    pub clocks: Option<[Option<Duration>; 2]>,
    /// When the clock runs out; none if none runs.
    pub deadline: Option<Instant>,
    /// Tells when the match is over.
    pub over: &'a MatchOverFlag,
}

/// Tells a bot that thinks, and whoever else has a clone, that its match is over, and how.
#[derive(Clone, Debug, Default)]
pub struct MatchOverFlag(Arc<OnceLock<MatchEnd>>);

impl MatchOverFlag {
    /// How the match ended; none before.
    #[must_use]
    pub fn end(&self) -> Option<&MatchEnd> {
        self.0.get()
    }

    /// The match is over. The first time counts.
    pub fn set(&self, end: MatchEnd) {
        let _ = self.0.set(end);
    }
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
