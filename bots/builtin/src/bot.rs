use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use dragontooth_bots_engines::stdio::{Choice, MatchEnd};
use dragontooth_games::record::Thinking;
use dragontooth_service_vocabulary::History;

/// A program that plays one match.
///
/// A bot is created when its match opens and dropped when the match is over. After a restart a new one
/// continues in the middle of the match, so a bot must be able to choose from the position alone.
///
/// ```
/// use dragontooth_bots_builtin::{Bot, BotError, Budget};
/// use dragontooth_games::{Position as _, kamisado::Position};
///
/// /// Plays the first legal action of the list.
/// struct First;
///
/// impl Bot for First {
///     fn choose(&mut self, position: &str, _: &Budget) -> Result<String, BotError> {
///         let parsed: Position = position.parse().map_err(|error| BotError::UnreadablePosition {
///             position: position.to_owned(),
///             source: Box::new(error),
///         })?;
///         let mut first = None;
///         parsed.for_each_legal(|action| {
///             first.get_or_insert(action);
///         });
///         let action = first.ok_or_else(|| BotError::NothingToDecide(position.to_owned()))?;
///         Ok(action.to_string())
///     }
/// }
///
/// let budget = Budget { time: None, seed: 7 };
/// assert!(First.choose("OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -", &budget).is_ok());
/// assert!(First.choose("nonsense", &budget).is_err());
/// ```
pub trait Bot: Send {
    /// Chooses one of the legal actions of `position`, in the game's notation.
    ///
    /// It runs on a thread of its own and may take the time of `budget`.
    ///
    /// # Errors
    ///
    /// The position cannot be read or leaves nothing to choose.
    fn choose(&mut self, position: &str, budget: &Budget) -> Result<String, BotError>;

    /// Decides with everything that is known about the decision. By default, [`Bot::choose`] decides from the
    /// position.
    ///
    /// # Errors
    ///
    /// As [`Bot::choose`].
    fn decide(&mut self, point: &DecisionPoint<'_>, budget: &Budget) -> Result<Choice, BotError> {
        self.choose(point.position, budget).map(Choice::Action)
    }

    /// Takes the bot's thoughts about its last choice, which are recorded with the action. By default it has none.
    fn take_thinking(&mut self) -> Option<Thinking> {
        None
    }
}

/// A decision that a bot has to make.
#[derive(Clone, Copy, Debug)]
pub struct DecisionPoint<'a> {
    /// Id of the decision: the sequence of the event that made it due.
    pub decision: u64,
    /// The number of the game, from 1.
    pub game_number: u32,
    /// Number of actions played in the match so far, by both seats.
    pub ply: u32,
    /// The position, in the game's notation.
    pub position: &'a str,
    /// The points so far, by seat.
    pub score: [u32; 2],
    /// The roll to play, in games with dice.
    pub roll: Option<&'a str>,
    /// The clocks by seat; `None` for a seat, or for the match, without a clock.
    pub clocks: Option<[Option<Duration>; 2]>,
    /// Time at which the clock runs out; `None` if no clock is running.
    pub deadline: Option<Instant>,
    /// The events of play since the last decision that the bot was asked for, its own action included; since the
    /// beginning of the match at its first. A bot that begins in the middle of a match has those since the last
    /// decision that its player answered.
    pub since: &'a History,
    /// Set when the match is over.
    pub over: &'a MatchOverFlag,
}

/// Tells a thinking bot that its match is over, and with which result. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct MatchOverFlag(Arc<OnceLock<MatchEnd>>);

impl MatchOverFlag {
    /// Returns the result of the match once it is over.
    #[must_use]
    pub fn end(&self) -> Option<&MatchEnd> {
        self.0.get()
    }

    /// Sets the result. Only the first call has an effect.
    pub fn set(&self, end: MatchEnd) {
        let _ = self.0.set(end);
    }
}

/// The time and the seed for one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Time for the choice; `None` means no limit.
    pub time: Option<Duration>,
    /// Seed for the bot's random choices. It differs between decisions, and is the same whenever the same
    /// decision is asked again.
    pub seed: u64,
}

/// Error of a bot that made no choice.
#[derive(Debug, thiserror::Error)]
pub enum BotError {
    /// The position cannot be read.
    #[error("the position {position:?} cannot be read")]
    UnreadablePosition {
        /// The text.
        position: String,
        /// The reason.
        source: Box<dyn Error + Send + Sync>,
    },
    /// No seat has to decide in the position.
    #[error("there is nothing to decide in the position {0:?}")]
    NothingToDecide(String),
    /// The program behind the bot failed.
    #[error("the bot's program failed")]
    Program(#[source] Box<dyn Error + Send + Sync>),
}
