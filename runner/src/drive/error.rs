use std::io;
use std::path::PathBuf;

use dragontooth_runner_tournament::Name;

use super::arena_claimed::ArenaClaimed;
use super::draws_check::DrawsError;
use super::{HostError, PlayerError, VenueError};
use crate::config::NoToken;
use crate::record::{FolderError, JournalError, SealError, SecretError};
use crate::reports::ReportError;

/// An error that ends a run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The results cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The results are not those that were sealed, or the folder cannot be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The reports of what was played before cannot be written.
    #[error(transparent)]
    Report(Box<ReportError>),
    /// The draws that were played do not follow from the secret of the run.
    #[error(transparent)]
    Draws(#[from] DrawsError),
    /// The tokens of the run cannot be had.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// An issued token is not where the event's file says.
    #[error(transparent)]
    Token(#[from] NoToken),
    /// The service cannot be used.
    #[error(transparent)]
    Host(#[from] HostError),
    /// A bot cannot play.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A bot is not built-in, and there is no service it could connect to.
    #[error("the bot {0} plays only on a service, and there is none")]
    NeedsService(Name),
    /// The matches cannot have a processor each.
    #[error(
        "event.affinity gives each match a processor, and the runner may use {found}, not {matches}: lower event.concurrency"
    )]
    FewProcessors {
        /// The matches at the same time.
        matches: usize,
        /// The processors that the runner may use.
        found: usize,
    },
    /// The system keeps no program on a processor.
    #[error("event.affinity cannot be had on this system")]
    NoAffinity(#[source] io::Error),
    /// The embedded service can write nothing any more.
    #[error(
        "{}: the event log of the embedded service cannot be written any more; the disk may be full",
        .0.display()
    )]
    LogFailed(PathBuf),
    /// The system gives no threads.
    #[error("there are no threads to think and to write")]
    Threads(#[source] io::Error),
    /// Another process runs the arena.
    #[error("{0}")]
    ArenaClaimed(#[from] ArenaClaimed),
    /// A match cannot be played to its end.
    #[error("{title}: the match cannot be played")]
    Match {
        /// The match.
        title: String,
        /// Why.
        source: VenueError,
    },
}

impl From<ReportError> for RunError {
    fn from(error: ReportError) -> Self {
        Self::Report(Box::new(error))
    }
}
