use std::collections::{BTreeMap, BTreeSet};

use dragontooth_games_boards::Element;
use dragontooth_runner_tournament::Verdict;

use super::super::Overview;
use super::html_table::{HtmlTable, number, row_head, text};
use super::page::{note, section};
use crate::AllMatchDetails;

/// The most faults that a report lists.
pub const MAX_SHOWN_FAULTS: usize = 500;

/// The bots' faults and the void matches. `None` leaves out what happened: it may quote what a program wrote, which
/// is not for everyone.
pub(super) fn faults(overview: &Overview<'_>, details: Option<&AllMatchDetails>) -> Element {
    let part = section("faults", "Faults");
    let (faults, void) = (overview.results.faults(), overview.results.void());
    if faults + void == 0 {
        return part.child(Element::new("p").text("No bot had a fault, and no match was void."));
    }
    let part = part.child(summary(overview));
    let mut rows = Vec::new();
    for (planned, result) in overview.results.with_match(overview.schedule.matches()) {
        let title = overview.schedule.title(planned);
        let mut row = |who: &str, kind: &str, detail: &str| {
            let mut cells = vec![row_head(&title), text(who), text(kind)];
            if details.is_some() {
                cells.push(number(detail).with("class", "long"));
            }
            rows.push(cells);
        };
        if result.verdict() == Verdict::Void {
            row("–", "void", "it was called off and counts for neither bot");
        }
        let details = details.map_or(&[][..], |details| details.faults(planned.number));
        for (at, (seat, kind)) in result.faults.iter().enumerate() {
            let bot = overview.name(planned.bot(*seat));
            let detail = details.get(at).map_or("", |fault| fault.detail.as_str());
            row(bot, &kind.to_string(), detail);
        }
        if rows.len() > MAX_SHOWN_FAULTS {
            break;
        }
    }
    let more = rows.len() > MAX_SHOWN_FAULTS;
    rows.truncate(MAX_SHOWN_FAULTS);
    let table = HtmlTable::new("faults")
        .column("match", true)
        .column("bot", true)
        .column("kind", true);
    let table = if details.is_some() {
        table.column("what happened", true)
    } else {
        table
    };
    let table = table.rows(rows);
    let heading = Element::new("h3").text("One by one");
    let part = part.child(heading).child(table.tall().element());
    if more {
        part.child(note(&format!(
            "The first {MAX_SHOWN_FAULTS}; all of them are in results.jsonl."
        )))
    } else {
        part
    }
}

/// The bots' faults by kind.
fn summary(overview: &Overview<'_>) -> Element {
    let mut counts: BTreeMap<(usize, String), u32> = BTreeMap::new();
    for (planned, result) in overview.results.with_match(overview.schedule.matches()) {
        for (seat, kind) in &result.faults {
            let of = (planned.bot(*seat).get(), kind.to_string());
            *counts.entry(of).or_default() += 1;
        }
    }
    let kinds: BTreeSet<&String> = counts.keys().map(|(_, kind)| kind).collect();
    let guilty = overview.standings.iter().filter(|line| line.faults > 0);
    let rows = guilty.map(|line| {
        let of = |kind: &&String| counts.get(&(line.bot.get(), (*kind).clone()));
        let cells = kinds
            .iter()
            .map(|kind| number(of(kind).copied().unwrap_or_default()));
        [row_head(overview.name(line.bot))]
            .into_iter()
            .chain(cells)
            .chain([number(line.faults)])
            .collect()
    });
    let table = HtmlTable::new("faults by bot").column("bot", true);
    let table = kinds
        .iter()
        .fold(table, |table, kind| table.column(kind, false));
    table.column("all", false).rows(rows).element()
}
