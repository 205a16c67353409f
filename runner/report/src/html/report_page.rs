use dragontooth_games_boards::Element;

use super::super::document::kind;
use super::page::page;
use super::sources::Sources;
use super::{
    bracket, calls, crosstable, decisions, facts, faults, figures, luck, matches, standings,
};

/// The report of a run as one page that needs nothing else. The same run gives the same page.
#[must_use]
pub fn report_page(sources: &Sources<'_>) -> String {
    let (overview, details) = (sources.overview, sources.details);
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
    let calls = calls::calls(overview);
    let luck = luck::luck(overview, sources.luck);
    let bracket = bracket::bracket(overview);
    let not_always = [
        ("#bracket", bracket.is_some()),
        ("#luck", luck.is_some()),
        ("#calls", calls.is_some()),
        ("#decisions", decisions.is_some()),
    ];
    let header = Element::new("header")
        .child(Element::new("h1").text(event.name()))
        .child(Element::new("p").with("class", "lead").text(lead))
        .child(facts::tiles(overview, details))
        .child(links(&not_always));
    let main = Element::new("main")
        .child(standings::standings(overview, usize::MAX))
        .children(bracket)
        .child(figures::figures(overview, details))
        .child(crosstable::crosstable(overview))
        .children(luck)
        .children(calls)
        .children(decisions)
        .child(faults::faults(overview, Some(details)))
        .child(matches::matches(overview, details, sources.pages))
        .child(facts::facts(sources));
    let footer = Element::new("footer").text(format!(
        "Written by dragontooth-runner {}.",
        env!("CARGO_PKG_VERSION")
    ));
    let title = format!("{}: report", event.name());
    page(&title, "", [header, main, footer])
}

/// The links to the parts. Of those that not every report has, `not_always` says which are there.
fn links(not_always: &[(&str, bool)]) -> Element {
    let all = [
        ("#standings", "Standings"),
        ("#bracket", "Bracket"),
        ("#figures", "Figures"),
        ("#crosstable", "Crosstable"),
        ("#luck", "Luck"),
        ("#calls", "Adjudication"),
        ("#decisions", "Decisions"),
        ("#faults", "Faults"),
        ("#matches", "Matches"),
        ("#event", "The event"),
    ];
    let is_there = |(place, _): &(&str, &str)| !not_always.contains(&(*place, false));
    let link = |(place, name): (&str, &str)| Element::new("a").with("href", place).text(name);
    Element::new("nav")
        .with("aria-label", "parts of the report")
        .children(all.into_iter().filter(is_there).map(link))
}
