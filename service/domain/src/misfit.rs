use dragontooth_games::match_play::PlayError;
use dragontooth_games::{UnknownName, catalogue::SetupError};

/// Why an event cannot have happened where it stands in a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// Its number is not the next one.
    #[error("the events have a gap")]
    Gap,
    /// It is the first one and creates no match.
    #[error("the first event does not create a match")]
    NotCreated,
    /// It creates the match again.
    #[error("the match is created twice")]
    CreatedTwice,
    /// This program does not know the game.
    #[error(transparent)]
    UnknownGame(UnknownName),
    /// The game has no such variant or is not played to so many points.
    #[error(transparent)]
    Setup(SetupError),
    /// A time control is out of its range.
    #[error("a time control is out of its range")]
    TimeControl,
    /// The player cannot have the seat.
    #[error("the player cannot have the seat")]
    Seat,
    /// No game begins here, or not like this.
    #[error("no game begins like this here")]
    GameStart,
    /// The seat was not to decide.
    #[error("the seat was not to decide")]
    NotDue,
    /// The clock cannot have shown this.
    #[error("the seat cannot have so much time left")]
    Clock,
    /// The action is none that would have been refused here, or the match does not record it.
    #[error("no action was refused like this here")]
    Refusal,
    /// The action is not in canonical notation.
    #[error("the action is not in canonical notation")]
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
    /// No game ends here, or not like this.
    #[error("no game ends like this here")]
    GameEnd,
    /// The match cannot end here, or not like this.
    #[error("the match cannot end like this here")]
    MatchEnd,
    /// The match is over.
    #[error("it follows the end of the match")]
    AfterTheEnd,
}
