use crate::{MatchView, WatchedEvent};

/// The record of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedMatch {
    /// The match.
    pub view: MatchView,
    /// All of its events.
    pub events: Vec<WatchedEvent>,
    /// The creator's seed; `None` if there was none, and until all matches that use it are over.
    pub seed: Option<String>,
    /// The record in the requested format.
    pub text: String,
}
