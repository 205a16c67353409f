use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why GNU Backgammon gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The program cannot be started.
    #[error("GNU Backgammon cannot be started as {program:?}; is the package gnubg installed?")]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program ended before it listened.
    #[error("GNU Backgammon ends before it can be asked; it said {said:?}")]
    Ended {
        /// The last line that it wrote.
        said: String,
    },
    /// The program says nothing of a port.
    #[error("GNU Backgammon does not listen within {} s", .0.as_secs_f32())]
    Mute(Duration),
    /// The connection to the program failed.
    #[error("GNU Backgammon cannot be asked")]
    Connection(#[from] io::Error),
    /// The program has closed the connection.
    #[error("GNU Backgammon has closed the connection")]
    Closed,
    /// The answer is longer than any.
    #[error("GNU Backgammon answers more than {0} bytes")]
    TooLong(usize),
    /// The answer fits no legal action.
    #[error("GNU Backgammon answers {answer:?} to {question:?}, which cannot be played")]
    Answer {
        /// The board line.
        question: String,
        /// What was answered.
        answer: String,
    },
}
