use std::time::Duration;

/// What an engine did wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineFault {
    /// It cannot be started.
    #[error("it cannot be started: {0}")]
    NotStarted(String),
    /// It has ended too often.
    #[error("it has ended {ends} times and is started no more; at last: {last}")]
    Gone {
        /// How often.
        ends: u32,
        /// How it ended at last.
        last: String,
    },
    /// Its program ended.
    #[error("its program ended: {0}")]
    Ended(String),
    /// Its program was killed because it took too much.
    #[error("its program was killed: {0}")]
    Exceeded(String),
    /// It said no hello.
    #[error("it said no hello within {} s", .0.as_secs_f32())]
    Mute(Duration),
    /// Its hello is none.
    #[error("it said {line:?} instead of a hello: {reason}")]
    BadHello {
        /// The line, shortened.
        line: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It was not ready for a match.
    #[error("it was not ready for a match within {} s", .0.as_secs_f32())]
    Unready(Duration),
    /// It does not play the game.
    #[error("it does not play {0}")]
    OtherGame(String),
    /// It did not answer before its clock had run out.
    #[error("it did not answer in time")]
    Late,
    /// It did not answer where there is no clock.
    #[error("it did nothing for {} s", .0.as_secs_f32())]
    Idle(Duration),
    /// It does not read.
    #[error("it did not read what it was told for {} s", .0.as_secs_f32())]
    Deaf(Duration),
    /// A line of it is too long.
    #[error("it wrote a line of more than {bytes} bytes, which begins {begin:?}")]
    LongLine {
        /// The most that are allowed.
        bytes: usize,
        /// How it begins.
        begin: String,
    },
    /// It wrote too much beside its answers.
    #[error("it wrote more than {bytes} bytes without an answer, at last {line:?}")]
    Flood {
        /// The most that are allowed.
        bytes: usize,
        /// The last line, shortened.
        line: String,
    },
    /// Too many of its lines were refused.
    #[error("more than {count} of its lines were refused, at last {line:?}: {reason}")]
    Refused {
        /// The most that are allowed.
        count: u32,
        /// The last line, shortened.
        line: String,
        /// Why it was refused.
        reason: String,
    },
    /// It chose what cannot be played.
    #[error("it played {action:?}: {reason}")]
    Illegal {
        /// The action, shortened.
        action: String,
        /// Why it cannot be played.
        reason: String,
    },
    /// The match was over before it answered: no fault at all.
    #[error("the match was over")]
    MatchOver,
}
