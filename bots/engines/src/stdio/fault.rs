use std::time::Duration;

use dragontooth_games::counted;

use super::shortened;

/// A fault of an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineFault {
    /// It cannot be started.
    #[error("it cannot be started: {0}")]
    NotStarted(String),
    /// It ended too often.
    #[error("it ended {} and will not be started again; last: {last}", counted(*ends, "time"))]
    TooManyEnds {
        /// Number of ends.
        ends: u32,
        /// Reason for the last end.
        last: String,
    },
    /// Its program ended.
    #[error("its program ended: {0}")]
    Ended(String),
    /// Its program ended before it said hello.
    #[error("it ended before it said hello ({0})")]
    EndedEarly(String),
    /// Its program was killed because it exceeded a resource limit.
    #[error("its program was killed: {0}")]
    Exceeded(String),
    /// It did not say hello in time.
    #[error("it did not say hello within {} s", .0.as_secs_f32())]
    NoHello(Duration),
    /// Its hello is invalid.
    #[error("it said {line:?} instead of a hello: {reason}")]
    BadHello {
        /// The line, shortened.
        line: String,
        /// The error in it.
        reason: String,
    },
    /// It was not ready for a match.
    #[error("it was not ready for a match within {} s", .0.as_secs_f32())]
    NotReady(Duration),
    /// It does not play the game.
    #[error("it does not play {game}, only {}", shortened(games.join(", ").as_bytes()))]
    OtherGame {
        /// The game of the match.
        game: String,
        /// The games in its hello.
        games: Vec<String>,
    },
    /// It did not answer `stop`. Nothing is wrong with its program: it does not read while it thinks.
    #[error("it did not stop within {} s", .0.as_secs_f32())]
    NotStopped(Duration),
    /// It did not answer before its clock had run out.
    #[error("it did not answer in time")]
    Late,
    /// It did not answer in a match without a clock.
    #[error("it did nothing for {} s", .0.as_secs_f32())]
    Idle(Duration),
    /// It did not read its input.
    #[error("it did not read its input for {} s", .0.as_secs_f32())]
    NotReading(Duration),
    /// It wrote a line that is too long.
    #[error("it wrote a line of more than {bytes} bytes, which begins {begin:?}")]
    LongLine {
        /// The limit.
        bytes: usize,
        /// The beginning of the line.
        begin: String,
    },
    /// It wrote too much in addition to its answers.
    #[error("it wrote more than {bytes} bytes without an answer; last line: {line:?}")]
    Flood {
        /// The limit.
        bytes: usize,
        /// The last line, shortened.
        line: String,
    },
    /// Too many of its lines were refused.
    #[error("more than {count} of its lines were refused; last line: {line:?}: {reason}")]
    Refused {
        /// The limit.
        count: u32,
        /// The last line, shortened.
        line: String,
        /// The reason for the refusal.
        reason: String,
    },
    /// It chose an action that cannot be played.
    #[error("it played {action:?}: {reason}")]
    Illegal {
        /// The action, shortened.
        action: String,
        /// The rule that forbids it, or the syntax error.
        reason: String,
    },
    /// The match was over before it answered: not a fault.
    #[error("the match was over")]
    MatchOver,
}
