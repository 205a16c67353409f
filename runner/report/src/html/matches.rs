use dragontooth_games::Seat;
use dragontooth_games_boards::Element;
use dragontooth_runner_tournament::{MatchResult, ScheduledMatch};

use super::super::Overview;
use super::html_table::{HtmlTable, maybe, number, row_head, text};
use super::match_pages::MatchPages;
use super::page::{note, section};
use crate::AllMatchDetails;

/// The most matches that a report lists, if not more of them have pages: those with pages, and of
/// the others the first.
pub const MAX_SHOWN_MATCHES: usize = 2000;

/// The most matches that the page of an event in progress lists: the last of the schedule's order.
pub const MAX_LATEST_MATCHES: usize = 200;

/// The matches one by one, with links to their pages.
pub(super) fn matches(
    overview: &Overview<'_>,
    details: &AllMatchDetails,
    pages: &MatchPages,
) -> Element {
    let played = overview.results.played();
    let mut others = MAX_SHOWN_MATCHES.saturating_sub(pages.count());
    let rows = overview.results.with_match(overview.schedule.matches());
    let rows = rows.filter(|(planned, _)| {
        let has_page = pages.of(&overview.schedule.title(planned)).is_some();
        let is_shown = has_page || others > 0;
        others -= usize::from(!has_page && is_shown);
        is_shown
    });
    let rows = rows.map(|(planned, result)| row(overview, details, pages, planned, result));
    let mut part = section("matches", "Matches");
    if !pages.is_empty() {
        part = part.child(note(
            "A match with a link has a page of its own on which it can be played through.",
        ));
    }
    let part = part.child(table(has_openings(overview), rows));
    if played > MAX_SHOWN_MATCHES.max(pages.count()) {
        part.child(note(&format!(
            "{MAX_SHOWN_MATCHES} of {played}; all of them are in results.jsonl."
        )))
    } else {
        part
    }
}

/// The latest matches with a result, at most [`MAX_LATEST_MATCHES`], the last of the schedule's order first.
pub(super) fn latest(overview: &Overview<'_>, details: &AllMatchDetails) -> Element {
    let played = overview.results.played();
    let pages = MatchPages::default();
    let rows = overview.schedule.matches().iter().rev();
    let rows = rows.filter_map(|planned| {
        let result = overview.results.of(planned.number)?;
        Some(row(overview, details, &pages, planned, result))
    });
    let part = section("matches", "Matches over");
    if played == 0 {
        return part.child(Element::new("p").text("No match is over yet."));
    }
    let part = part.child(table(has_openings(overview), rows.take(MAX_LATEST_MATCHES)));
    if played > MAX_LATEST_MATCHES {
        part.child(note(&format!("The last {MAX_LATEST_MATCHES} of {played}.")))
    } else {
        part
    }
}

/// Returns true if the matches of the event have openings.
fn has_openings(overview: &Overview<'_>) -> bool {
    let mut results = overview.results.with_match(overview.schedule.matches());
    results
        .next()
        .is_some_and(|(_, result)| result.opening.is_some())
}

fn table(has_openings: bool, rows: impl Iterator<Item = Vec<Element>>) -> Element {
    let mut table = HtmlTable::new("matches").column("match", true);
    if has_openings {
        table = table.column("opening", true);
    }
    table
        .column("first seat", true)
        .column("score", false)
        .column("second seat", true)
        .column("end", true)
        .column("plies", false)
        .column("seconds", false)
        .rows(rows)
        .tall()
        .element()
}

fn row(
    overview: &Overview<'_>,
    details: &AllMatchDetails,
    pages: &MatchPages,
    planned: &ScheduledMatch,
    result: &MatchResult,
) -> Vec<Element> {
    let title = overview.schedule.title(planned);
    let bot = |seat: Seat| {
        let name = overview.name(planned.bot(seat));
        if result.winner == Some(seat) {
            Element::new("td")
                .with("class", "text")
                .child(Element::new("strong").text(name))
        } else {
            text(name)
        }
    };
    let duration = details.duration(planned.number);
    let head = match pages.of(&title) {
        Some(page) => Element::new("th")
            .with("scope", "row")
            .with("class", "text")
            .child(Element::new("a").with("href", page).text(&title)),
        None => row_head(&title),
    };
    let opening =
        has_openings(overview).then(|| text(result.opening.as_deref().unwrap_or_default()));
    let start = std::iter::once(head).chain(opening);
    let end = [
        bot(Seat::First),
        number(format!("{}-{}", result.score[0], result.score[1])),
        bot(Seat::Second),
        text(match result.deciding_call() {
            Some(call) => format!("{} by {}", result.termination, call.rule),
            None => result.termination.to_string(),
        }),
        number(result.plies),
        maybe(duration.map(|time| format!("{:.2}", time.as_secs_f64()))),
    ];
    start.chain(end).collect()
}
