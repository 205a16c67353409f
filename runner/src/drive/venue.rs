use std::error::Error;
use std::future::Future;

use dragontooth_runner_live::MatchFeed;
use dragontooth_runner_tournament::ScheduledMatch;

use crate::record::Played;

/// An error that keeps a match from being played to its end. A bot's fault is not one.
pub type VenueError = Box<dyn Error + Send + Sync>;

/// A place where matches are played.
pub trait Venue: Send + Sync + 'static {
    /// True if playing blocks the thread, so that matches played at the same time need threads of their
    /// own.
    const ON_THREADS: bool = false;

    /// Plays a match to its end, or continues it if an earlier run began it. Its steps go to `feed`, if there is one.
    ///
    /// Dropping the future is safe: the next call continues the match.
    fn play(
        &self,
        planned: ScheduledMatch,
        feed: Option<MatchFeed>,
    ) -> impl Future<Output = Result<Played, VenueError>> + Send;

    /// The next message about the venue itself, for people. Cancel safe.
    fn news(&self) -> impl Future<Output = String> + Send {
        std::future::pending()
    }

    /// No result is wanted any more: matches whose futures cannot be dropped end soon, with an error.
    fn break_off(&self) {}
}
