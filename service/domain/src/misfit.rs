use dragontooth_games::match_play::{InvalidOpening, PlayError};
use dragontooth_games::{UnknownName, catalogue::SetupError};
use dragontooth_service_vocabulary::{Recorded, Sequence};

/// The reason why an event cannot have happened at its place in a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// Its sequence is not the next one.
    #[error("the events have a gap")]
    Gap,
    /// It is the first event and creates no match.
    #[error("the first event does not create a match")]
    NotCreated,
    /// It creates the match again.
    #[error("the match is created twice")]
    CreatedTwice,
    /// The game is unknown.
    #[error(transparent)]
    UnknownGame(UnknownName),
    /// The game has no such variant or target.
    #[error(transparent)]
    Setup(SetupError),
    /// No match begins with the opening.
    #[error(transparent)]
    Opening(InvalidOpening),
    /// A time control is out of range.
    #[error("a time control is out of its range")]
    TimeControl,
    /// The player cannot have the seat.
    #[error("the player cannot have the seat")]
    Seat,
    /// No game can start here, or not like this.
    #[error("no game begins like this here")]
    GameStart,
    /// It was not the seat's turn.
    #[error("the seat was not to decide")]
    NotDue,
    /// The clock cannot have shown this time.
    #[error("the seat cannot have so much time left")]
    Clock,
    /// The action would not have been refused here, or the match does not record refusals.
    #[error("no action was refused like this here")]
    Refusal,
    /// The action, or an entry of the opening, is not in canonical notation.
    #[error("an action is not in canonical notation")]
    Notation,
    /// The rules of the game refuse it.
    #[error(transparent)]
    Play(PlayError),
    /// No roll was due, or it is not in canonical notation.
    #[error("no such roll was due")]
    Roll,
    /// The seat did not have to pass.
    #[error("the seat did not have to pass")]
    Pass,
    /// No game can end here, or not like this.
    #[error("no game ends like this here")]
    GameEnd,
    /// The match cannot end here, or not like this.
    #[error("the match cannot end like this here")]
    MatchEnd,
    /// The match is over.
    #[error("it follows the end of the match")]
    AfterTheEnd,
}

/// An event of a log that cannot have happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {sequence} does not fit: {why}", sequence = sequence.0)]
pub struct Inconsistent {
    /// Its sequence.
    pub sequence: Sequence,
    /// The reason.
    pub why: Misfit,
}

impl Inconsistent {
    pub(crate) fn new(recorded: &Recorded, why: Misfit) -> Self {
        Self {
            sequence: recorded.sequence,
            why,
        }
    }
}
