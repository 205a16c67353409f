use std::io;
use std::path::PathBuf;

use dragontooth_runner_tournament::Name;

/// The reason why the program of a bot cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// The system does not start it.
    #[error("the bot {bot} cannot be started: {}", program.display())]
    Start {
        /// The bot.
        bot: Name,
        /// Its program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The log cannot be written.
    #[error("{}: the log cannot be written", path.display())]
    Log {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl ProgramError {
    /// The error with its cause, for people.
    #[must_use]
    pub fn with_cause(&self) -> String {
        match self {
            Self::Start { source, .. } | Self::Log { source, .. } => format!("{self}: {source}"),
        }
    }
}
