use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Error of GNU Backgammon.
#[derive(Debug, thiserror::Error)]
pub enum GnubgError {
    /// The program cannot be started.
    #[error("cannot start GNU Backgammon as {program:?}; is the package gnubg installed?")]
    Start {
        /// The program.
        program: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The program ended before it listened.
    #[error("GNU Backgammon ended before it was ready; its last line was {said:?}")]
    Ended {
        /// The last line that it wrote.
        said: String,
    },
    /// The program does not listen on its port.
    #[error("GNU Backgammon did not listen within {} s", .0.as_secs_f32())]
    Mute(Duration),
    /// The connection to the program failed.
    #[error("the connection to GNU Backgammon failed")]
    Connection(#[from] io::Error),
    /// The time for an answer is over.
    #[error("GNU Backgammon did not answer within {} s", .0.as_secs_f32())]
    Late(Duration),
    /// The time for an answer was over before the program was asked: it was answering for other matches.
    #[error("the time was over before GNU Backgammon could be asked")]
    Unasked,
    /// The program has closed the connection.
    #[error("GNU Backgammon has closed the connection")]
    Closed,
    /// The answer is too long.
    #[error("GNU Backgammon answered more than {0} bytes")]
    TooLong(usize),
    /// The answer is not a legal action.
    #[error("GNU Backgammon answered {answer:?} to {question:?}, which cannot be played")]
    Answer {
        /// The board line.
        question: String,
        /// The answer.
        answer: String,
    },
}

impl GnubgError {
    /// Returns true if the time for an answer is over.
    #[must_use]
    pub const fn is_timeout(&self) -> bool {
        matches!(self, Self::Late(_) | Self::Unasked)
    }
}
