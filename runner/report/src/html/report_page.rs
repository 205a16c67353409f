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
    let has = HasParts {
        luck: luck.is_some(),
        calls: calls.is_some(),
        decisions: decisions.is_some(),
    };
    let header = Element::new("header")
        .child(Element::new("h1").text(event.name()))
        .child(Element::new("p").with("class", "lead").text(lead))
        .child(facts::tiles(overview, details))
        .child(links(has));
    let main = Element::new("main")
        .child(standings::standings(overview))
        .children(bracket::bracket(overview))
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

/// The parts that not every report has.
#[derive(Clone, Copy)]
struct HasParts {
    luck: bool,
    calls: bool,
    decisions: bool,
}

fn links(has: HasParts) -> Element {
    let all = [
        ("#standings", "Standings"),
        ("#figures", "Figures"),
        ("#crosstable", "Crosstable"),
        ("#luck", "Luck"),
        ("#calls", "Adjudication"),
        ("#decisions", "Decisions"),
        ("#faults", "Faults"),
        ("#matches", "Matches"),
        ("#event", "The event"),
    ];
    let is_there = |(place, _): &(&str, &str)| match *place {
        "#luck" => has.luck,
        "#calls" => has.calls,
        "#decisions" => has.decisions,
        _ => true,
    };
    let link = |(place, name): (&str, &str)| Element::new("a").with("href", place).text(name);
    Element::new("nav")
        .with("aria-label", "parts of the report")
        .children(all.into_iter().filter(is_there).map(link))
}
