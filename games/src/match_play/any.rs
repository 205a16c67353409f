use std::fmt::Debug;

use super::{MatchOutcome, Score, Target};
use crate::chance::Chance;
use crate::{GameOutcome, Seat};

/// A match in play with the type of its game erased: positions and actions are notation.
pub trait Match: Debug + Send + Sync {
    /// The game's name in the catalogue.
    fn game(&self) -> &'static str;

    /// The variant's name.
    fn variant(&self) -> &'static str;

    /// The points that end the match.
    fn target(&self) -> Target;

    /// The points so far.
    fn score(&self) -> Score;

    /// The number of the game that is or was last played, from 1; 0 before the first.
    fn game_number(&self) -> u32;

    /// The side that `seat` has in the game that is or was last played, as the game's positions and
    /// rules name it; before the first game, the side that it will have there. Everything else here
    /// is told by the seats of the match.
    fn side(&self, seat: Seat) -> Seat;

    /// The position of the game that is or was last played; none before the first.
    fn position(&self) -> Option<String>;

    /// The actions that the seat that decides may play, in the order of the game's rules.
    fn legal_actions(&self) -> Vec<String>;

    /// The offers that the seat that decides may make besides: see
    /// [`Position::for_each_offer`](crate::Position::for_each_offer).
    fn offers(&self) -> Vec<String>;

    /// What chance gave for the decision that is due.
    fn rolled(&self) -> Option<String>;

    /// What has to happen next.
    fn step(&self) -> Step;

    /// The position that opens the game that is to be dealt.
    ///
    /// # Panics
    ///
    /// Unless the step is [`Step::Deal`].
    fn deal(&self, chance: &mut dyn Chance) -> String;

    /// Starts the next game from `position`.
    ///
    /// # Errors
    ///
    /// The step is not [`Step::Deal`] or `position` cannot be read.
    fn begin_game(&mut self, position: &str) -> Result<(), PlayError>;

    /// The action that `action` stands for, for the seat that decides, in canonical notation.
    ///
    /// # Errors
    ///
    /// No seat decides, `action` cannot be read, or a rule forbids it.
    fn canonical(&self, action: &str) -> Result<String, PlayError>;

    /// Plays an action for the seat that decides and gives its canonical notation.
    ///
    /// # Errors
    ///
    /// No seat decides, `action` cannot be read, or a rule forbids it; the match is unchanged.
    fn play(&mut self, action: &str) -> Result<String, PlayError>;

    /// Passes the turn of a seat that cannot act.
    ///
    /// # Errors
    ///
    /// The step is not [`Step::Pass`].
    fn pass(&mut self) -> Result<(), PlayError>;

    /// The number of rolls of the match so far.
    fn rolls(&self) -> u32;

    /// Draws the roll that is due.
    ///
    /// # Panics
    ///
    /// Unless the step is [`Step::Chance`].
    fn draw(&self, chance: &mut dyn Chance) -> String;

    /// Goes on by a roll and gives its canonical notation.
    ///
    /// # Errors
    ///
    /// The step is not [`Step::Chance`] or `roll` cannot be read.
    fn roll(&mut self, roll: &str) -> Result<String, PlayError>;

    /// Adds the points of the game that has ended to the score.
    ///
    /// # Errors
    ///
    /// The step is not [`Step::Score`].
    fn score_game(&mut self) -> Result<(), PlayError>;

    /// A copy of the match.
    fn boxed_clone(&self) -> Box<dyn Match>;
}

impl Clone for Box<dyn Match> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

/// What has to happen next in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A game is to be started.
    Deal,
    /// This seat chooses an action.
    Decide(Seat),
    /// This seat cannot act and passes.
    Pass(Seat),
    /// Chance gives a roll.
    Chance,
    /// The game is over and is to be scored.
    Score(GameOutcome),
    /// The match is over.
    Over(MatchOutcome),
}

/// Why a match refused what was asked of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// The text is no action of the game.
    #[error("the action cannot be read: {0}")]
    UnreadableAction(String),
    /// The text is no position of the game.
    #[error("the position cannot be read: {0}")]
    UnreadablePosition(String),
    /// The text is no roll of the game.
    #[error("the roll cannot be read: {0}")]
    UnreadableRoll(String),
    /// A rule of the game forbids the action.
    #[error("{facts} (rule {rule})")]
    Illegal {
        /// The rule's name on the game's rules page.
        rule: &'static str,
        /// What is the case.
        facts: String,
    },
    /// Something else has to happen next.
    #[error("this is not the step that is due")]
    OutOfStep,
}
