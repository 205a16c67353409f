use super::super::{Overview, ProgramTotal, Thinking};
use super::match_pages::MatchPages;
use crate::{AllMatchDetails, RunnerUsage};

/// From what a report is made.
#[derive(Debug)]
pub struct Sources<'a> {
    /// All that follows from the results.
    pub overview: &'a Overview<'a>,
    /// What is told of the matches beside their results.
    pub details: &'a AllMatchDetails,
    /// What the event is, as a text: the run's `event.json`.
    pub manifest: &'a str,
    /// How long the decisions took.
    pub thinking: &'a Thinking,
    /// What the runner took of the machine, as far as it is known.
    pub session: Option<RunnerUsage>,
    /// What the programs took.
    pub programs: &'a [ProgramTotal],
    /// Which matches have pages.
    pub pages: &'a MatchPages,
}
