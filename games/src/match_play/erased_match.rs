use std::fmt::{Debug, Display};

use super::{Score, Target};
use crate::chance::Chance;
use crate::quoted::quoted;
use crate::{GameOutcome, Seat, counted};

/// A match in progress, with the type of its game erased: positions and actions are notation.
pub trait Match: Debug + Send + Sync {
    /// The game's name in the catalogue.
    fn game(&self) -> &'static str;

    /// The variant's name.
    fn variant(&self) -> &'static str;

    /// The number of points that wins the match.
    fn target(&self) -> Target;

    /// The score so far, without the game in progress.
    fn score(&self) -> Score;

    /// The fewest points that the winner of the current or last game gets; 1 before the first game.
    fn least_points(&self) -> u32;

    /// The number of games after which the match ends whatever the score is, drawn if it is level. `None` if no
    /// game can be drawn.
    fn games_max(&self) -> Option<u32>;

    /// The number of the current or last game, from 1. 0 before the first game.
    fn game_number(&self) -> u32;

    /// The side that `seat` has in the current or last game, as the game's positions and rules name
    /// it. Before the first game, the side it will have there. All other methods use the seats of
    /// the match.
    fn side(&self, seat: Seat) -> Seat;

    /// The position of the current or last game. `None` before the first game.
    fn position(&self) -> Option<String>;

    /// The legal actions of the seat that decides, in the order of the game's rules.
    fn legal_actions(&self) -> Vec<String>;

    /// Calls `each` with each of the legal actions, which displays as its notation. Nothing is allocated.
    fn for_each_legal_action(&self, each: &mut dyn FnMut(&dyn Display));

    /// The offers that the seat that decides may also make: see
    /// [`Position::for_each_offer`](crate::Position::for_each_offer).
    fn offers(&self) -> Vec<String>;

    /// The roll to be played at this decision, if there is one.
    fn rolled(&self) -> Option<String>;

    /// The next step of the match.
    fn step(&self) -> Step;

    /// Returns the opening position of the next game without starting it.
    ///
    /// # Panics
    ///
    /// Unless the step is [`Step::Deal`].
    fn deal(&self, chance: &mut dyn Chance) -> String;

    /// Lets the first game begin where `entries` lead, past the passes that they force, and returns them in
    /// canonical notation. The first entry may be the position from which they are played, instead of the
    /// game's start; the others are actions and, where a roll is due, rolls. Before a roll the choice to roll may
    /// be left out. Without entries nothing changes.
    ///
    /// With `plies`, entries count as far as that many actions go; the choice to roll is not one of them.
    ///
    /// # Errors
    ///
    /// No match of this variant and target starts from the position, or the variant draws it and none is given;
    /// an entry cannot be played, or ends the game; or there are fewer actions than `plies`. The match is
    /// unchanged.
    ///
    /// # Panics
    ///
    /// If a game has begun.
    fn open_with(
        &mut self,
        entries: &[String],
        plies: Option<usize>,
    ) -> Result<Vec<String>, InvalidOpening>;

    /// Starts the next game from `position`.
    ///
    /// # Errors
    ///
    /// The step is not [`Step::Deal`], or `position` is invalid.
    fn begin_game(&mut self, position: &str) -> Result<(), PlayError>;

    /// Returns the canonical notation of an action of the seat that decides.
    ///
    /// # Errors
    ///
    /// No seat decides, `action` cannot be parsed, or a rule forbids it.
    fn canonical(&self, action: &str) -> Result<String, PlayError>;

    /// Plays an action for the seat that decides and returns its canonical notation.
    ///
    /// # Errors
    ///
    /// No seat decides, `action` cannot be parsed, or a rule forbids it; the match is unchanged.
    fn play(&mut self, action: &str) -> Result<String, PlayError>;

    /// Passes the turn of a seat that cannot act.
    ///
    /// # Errors
    ///
    /// The step is not [`Step::Pass`].
    fn pass(&mut self) -> Result<(), PlayError>;

    /// The number of rolls in the match so far.
    fn rolls(&self) -> u32;

    /// Draws the roll that is due without applying it.
    ///
    /// # Panics
    ///
    /// Unless the step is [`Step::Chance`].
    fn draw(&self, chance: &mut dyn Chance) -> String;

    /// Applies a roll and returns its canonical notation.
    ///
    /// # Errors
    ///
    /// The step is not [`Step::Chance`], or `roll` cannot be parsed.
    fn roll(&mut self, roll: &str) -> Result<String, PlayError>;

    /// Adds the points of the finished game to the score.
    ///
    /// # Errors
    ///
    /// The step is not [`Step::Score`].
    fn score_game(&mut self) -> Result<(), PlayError>;

    /// Returns a boxed copy of the match.
    fn boxed_clone(&self) -> Box<dyn Match>;
}

impl Clone for Box<dyn Match> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

/// The next step of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next game starts: see [`Match::deal`] and [`Match::begin_game`].
    Deal,
    /// This seat chooses an action.
    Decide(Seat),
    /// This seat cannot act and passes.
    Pass(Seat),
    /// A roll is drawn: see [`Match::draw`] and [`Match::roll`].
    Chance,
    /// The game is over and its points are added: see [`Match::score_game`].
    Score(GameOutcome),
    /// The match was played to its end.
    Over {
        /// The winner. `None` if the match is drawn.
        winner: Option<Seat>,
    },
}

/// The reason why a match refuses a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// The text is not an action of the game.
    #[error("invalid action: {0}")]
    UnreadableAction(String),
    /// The text is not a position of the game.
    #[error("invalid position: {0}")]
    UnreadablePosition(String),
    /// The text is not a roll of the game.
    #[error("invalid roll: {0}")]
    UnreadableRoll(String),
    /// A rule of the game forbids the action.
    #[error("{facts} (rule {rule})")]
    Illegal {
        /// The rule's name on the game's rules page.
        rule: &'static str,
        /// The facts: why the rule forbids the action.
        facts: String,
    },
    /// A different step is due.
    #[error("a different step is due")]
    OutOfStep,
}

/// Largest number of entries in an opening: more than any book needs, and a bound on what a match keeps.
pub const MAX_OPENING_ENTRIES: usize = 200;

/// The hint for an opening without any actions.
const fn of_position(actions: usize) -> &'static str {
    if actions == 0 {
        "; for a book of positions, leave `plies` out"
    } else {
        ""
    }
}

/// The reason why no match begins with these entries.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidOpening {
    /// There are more than [`MAX_OPENING_ENTRIES`].
    #[error("an opening has at most {MAX_OPENING_ENTRIES} entries, not {0}")]
    TooLong(usize),
    /// The first position is drawn when both seats are taken, and the opening does not begin with one.
    #[error(
        "the variant {variant} draws the first position, so an opening begins with one, and {} is not a \
         position: {why}",
        quoted(entry)
    )]
    Drawn {
        /// The variant.
        variant: &'static str,
        /// The first entry.
        entry: String,
        /// The reason why it is not a position.
        why: String,
    },
    /// The first entry is a position from which no such match starts.
    #[error("the match cannot start from this position: {why}")]
    Start {
        /// The reason.
        why: String,
    },
    /// There are fewer actions than wanted.
    #[error("the opening has {}, not {plies}{}", counted(*found, "action"), of_position(*found))]
    TooShort {
        /// The number of its actions.
        found: usize,
        /// The number that is wanted.
        plies: usize,
    },
    /// The game is over.
    #[error("the game is over after entry {number}")]
    Over {
        /// The number of the last entry, from 1.
        number: usize,
    },
    /// The first entry is neither a position nor an action or roll.
    #[error(
        "entry 1, {}, cannot be played ({why}) and is not a position ({position})",
        quoted(entry)
    )]
    Unreadable {
        /// The entry.
        entry: String,
        /// The reason why it cannot be played.
        why: PlayError,
        /// The reason why it is not a position.
        position: String,
    },
    /// An entry cannot be read, or a rule forbids it.
    #[error("entry {number}, {}: {why}", quoted(entry))]
    Entry {
        /// Its number, from 1.
        number: usize,
        /// The entry.
        entry: String,
        /// The reason.
        why: PlayError,
    },
}
