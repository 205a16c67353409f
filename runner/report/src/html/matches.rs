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

/// The matches one by one, with links to their pages.
pub(super) fn matches(
    overview: &Overview<'_>,
    details: &AllMatchDetails,
    pages: &MatchPages,
) -> Element {
    let row = |(planned, result): (&ScheduledMatch, &MatchResult)| {
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
        vec![
            head,
            bot(Seat::First),
            number(format!("{}-{}", result.score[0], result.score[1])),
            bot(Seat::Second),
            text(result.termination),
            number(result.plies),
            maybe(duration.map(|time| format!("{:.2}", time.as_secs_f64()))),
        ]
    };
    let played = overview.results.played();
    let mut others = MAX_SHOWN_MATCHES.saturating_sub(pages.count());
    let rows = overview.results.with_match(overview.schedule.matches());
    let rows = rows.filter(|(planned, _)| {
        let has_page = pages.of(&overview.schedule.title(planned)).is_some();
        let is_shown = has_page || others > 0;
        others -= usize::from(!has_page && is_shown);
        is_shown
    });
    let table = HtmlTable::new("matches")
        .column("match", true)
        .column("first seat", true)
        .column("score", false)
        .column("second seat", true)
        .column("end", true)
        .column("plies", false)
        .column("seconds", false)
        .rows(rows.map(row));
    let mut part = section("matches", "Matches");
    if !pages.is_empty() {
        part = part.child(note(
            "A match with a link has a page of its own on which it can be played through.",
        ));
    }
    let part = part.child(table.tall().element());
    if played > MAX_SHOWN_MATCHES.max(pages.count()) {
        part.child(note(&format!(
            "{MAX_SHOWN_MATCHES} of {played}; all of them are in results.jsonl."
        )))
    } else {
        part
    }
}
