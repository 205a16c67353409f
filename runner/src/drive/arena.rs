use std::error::Error;
use std::future::Future;

use dragontooth_runner_tournament::ScheduledMatch;

use crate::record::Played;

/// Why a match cannot be played to its end. The fault of a bot is no such reason.
pub type ArenaError = Box<dyn Error + Send + Sync>;

/// Where matches are played.
pub trait Arena: Send + Sync + 'static {
    /// Plays a match to its end, or goes on with it if it was begun in an earlier run.
    ///
    /// The future may be dropped before it is ready: the match goes on with the next call.
    fn play(
        &self,
        planned: ScheduledMatch,
    ) -> impl Future<Output = Result<Played, ArenaError>> + Send;

    /// The next thing there is to tell of the place itself, for people. It may be dropped and called
    /// again.
    fn news(&self) -> impl Future<Output = String> + Send {
        std::future::pending()
    }
}
