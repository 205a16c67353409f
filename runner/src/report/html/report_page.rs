use std::collections::HashMap;

use super::super::document::kind;
use super::super::markup::Element;
use super::super::{Overview, ProgramTotal, Thinking};
use super::page::page;
use super::{crosstable, decisions, facts, faults, figures, matches, standings};
use crate::record::{Accounts, Session};

/// From what a report is made.
#[derive(Debug)]
pub struct Sources<'a> {
    /// All that follows from the results.
    pub overview: &'a Overview<'a>,
    /// What is told of the matches beside their results.
    pub accounts: &'a Accounts,
    /// What the event is, as a text: the run's `event.json`.
    pub manifest: &'a str,
    /// How long the decisions took.
    pub thinking: &'a Thinking,
    /// What the runner took of the machine, as far as it is known.
    pub session: Option<Session>,
    /// What the programs took.
    pub programs: &'a [ProgramTotal],
    /// Which matches have pages.
    pub pages: &'a MatchPages,
}

/// The pages of matches, by the title of the match: where they are, seen from the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchPages(HashMap<String, String>);

impl MatchPages {
    /// Pages with their places.
    #[must_use]
    pub const fn new(places: HashMap<String, String>) -> Self {
        Self(places)
    }

    /// Where the page of a match is.
    #[must_use]
    pub fn of(&self, title: &str) -> Option<&str> {
        self.0.get(title).map(String::as_str)
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The report of a run as one page that needs nothing else. The same run gives the same page.
#[must_use]
pub fn report_page(sources: &Sources<'_>) -> String {
    let (overview, accounts) = (sources.overview, sources.accounts);
    let event = overview.schedule.event();
    let rules = event.rules();
    let lead = format!(
        "{}, {} ({}), matches to {}",
        kind(event.format(), event.bots().len()),
        rules.game(),
        rules.variant(),
        rules.target(),
    );
    let decisions = decisions::decisions(overview, sources.thinking);
    let header = Element::new("header")
        .child(Element::new("h1").text(event.name()))
        .child(Element::new("p").with("class", "lead").text(lead))
        .child(facts::tiles(overview, accounts))
        .child(links(decisions.is_some()));
    let main = Element::new("main")
        .child(standings::standings(overview))
        .child(figures::figures(overview, accounts))
        .child(crosstable::crosstable(overview))
        .children(decisions)
        .child(faults::faults(overview, accounts))
        .child(matches::matches(overview, accounts, sources.pages))
        .child(facts::facts(sources));
    let footer = Element::new("footer").text(format!(
        "Written by dragontooth-runner {}.",
        env!("CARGO_PKG_VERSION")
    ));
    let title = format!("{}: report", event.name());
    page(&title, "", [header, main, footer])
}

fn links(has_decisions: bool) -> Element {
    let all = [
        ("#standings", "Standings"),
        ("#figures", "Figures"),
        ("#crosstable", "Crosstable"),
        ("#decisions", "Decisions"),
        ("#faults", "Faults"),
        ("#matches", "Matches"),
        ("#event", "The event"),
    ];
    let is_there = |(place, _): &(&str, &str)| has_decisions || *place != "#decisions";
    let link = |(place, name): (&str, &str)| Element::new("a").with("href", place).text(name);
    Element::new("nav")
        .with("aria-label", "parts of the report")
        .children(all.into_iter().filter(is_there).map(link))
}
