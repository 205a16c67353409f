use super::super::{LuckFigures, Overview, ProgramTotal, ThinkingTime};
use super::match_pages::MatchPages;
use crate::{AllMatchDetails, RunnerUsage};

/// The sources of a report.
#[derive(Debug)]
pub struct Sources<'a> {
    /// All that follows from the results.
    pub overview: &'a Overview<'a>,
    /// The details of the matches beside their results.
    pub details: &'a AllMatchDetails,
    /// The text of the run's manifest, `event.json`.
    pub manifest: &'a str,
    /// The results with and without the luck in the dice.
    pub luck: &'a LuckFigures,
    /// The durations of the decisions.
    pub thinking: &'a ThinkingTime,
    /// The resources that the runner used, if known.
    pub session: Option<RunnerUsage>,
    /// The resources that the programs used.
    pub programs: &'a [ProgramTotal],
    /// Which matches have pages.
    pub pages: &'a MatchPages,
    /// The event digest, by which a published event can be held to.
    pub event_digest: &'a str,
}
