use std::collections::{HashMap, HashSet};

use dragontooth_games_boards::Element;
use dragontooth_runner_tournament::arena::{Contender, RatingHistory};

use super::super::arena_tables::{LEGEND, label_of};
use super::super::plot::{MAX_RATING_LINES, RatingLine, rating_chart};
use super::html_table::{HtmlTable, number, of_data, row_head, text};
use super::page::{note, page, section};
use crate::ArenaTables;

/// The most contenders in the table of results against each other.
const MAX_CROSSED: usize = 16;

/// The report of an arena as one page that needs nothing else. The same journal gives the same page.
#[must_use]
pub fn arena_page(tables: &ArenaTables<'_>) -> String {
    let header = Element::new("header")
        .child(Element::new("h1").text(tables.event.name()))
        .child(
            Element::new("p")
                .with("class", "lead")
                .text(tables.summary()),
        );
    let main = Element::new("main")
        .child(ratings(tables))
        .child(chart(tables))
        .child(crosstable(tables))
        .children(parked(tables));
    let footer = Element::new("footer").text(format!(
        "Written by dragontooth-runner {}.",
        env!("CARGO_PKG_VERSION")
    ));
    let title = format!("{}: arena", tables.event.name());
    page(&title, "", [header, main, footer])
}

/// The parts of the live page of an arena: the same elements, with those who are `present`.
#[must_use]
pub fn live_arena(tables: &ArenaTables<'_>, present: &[Contender]) -> Vec<(&'static str, String)> {
    vec![
        ("summary", here(tables, present).to_string()),
        ("standings", ratings(tables).to_string()),
        ("figures", chart(tables).to_string()),
        ("crosstable", crosstable(tables).to_string()),
        (
            "faults",
            parked(tables).map_or_else(String::new, |part| part.to_string()),
        ),
    ]
}

fn ratings(tables: &ArenaTables<'_>) -> Element {
    section("standings", "Ratings")
        .child(of_data("ratings", &tables.table()).tall().element())
        .child(note(LEGEND))
}

/// The latest builds, the strongest first.
fn chart(tables: &ArenaTables<'_>) -> Element {
    let part = section("figures", "Ratings over time");
    let rows = tables.ranking.rows.iter().filter(|row| row.is_latest);
    let lines = rows.take(MAX_RATING_LINES).map(|row| {
        let points = tables.history.into_iter().flat_map(RatingHistory::points);
        let points = points.filter_map(|point| {
            let mut ratings = point.ratings.iter();
            let (_, elo) = ratings.find(|(contender, _)| *contender == row.contender)?;
            #[expect(clippy::cast_precision_loss, reason = "a place in a drawing")]
            let matches = point.matches as f64;
            Some([matches, *elo])
        });
        RatingLine {
            name: label_of(row),
            points: points.collect(),
        }
    });
    match rating_chart(&lines.collect::<Vec<_>>()) {
        Some(chart) => part.child(Element::new("figure").child(chart)),
        None => part.child(note("No ratings yet.")),
    }
}

/// The results of the strongest contenders against each other.
fn crosstable(tables: &ArenaTables<'_>) -> Element {
    let rows = &tables.ranking.rows[..tables.ranking.rows.len().min(MAX_CROSSED)];
    let mut met: HashMap<(&Contender, &Contender), (u64, u64)> = HashMap::new();
    for one in &tables.head_to_head {
        let [first, second] = one.contenders.each_ref();
        let others = (2 * one.matches).saturating_sub(one.half_points);
        met.insert((first, second), (one.half_points, one.matches));
        met.insert((second, first), (others, one.matches));
    }
    let head = HtmlTable::new("head to head").column("contender", true);
    let table = (1..=rows.len()).fold(head, |table, rank| table.column(&rank.to_string(), false));
    let cells = (1..).zip(rows).map(|(rank, row): (usize, _)| {
        let mut cells = vec![row_head(format!("{rank} {}", label_of(row)))];
        cells.extend(rows.iter().map(|other| {
            met.get(&(&row.contender, &other.contender)).map_or_else(
                || number(""),
                |(halves, matches)| {
                    let half = if halves % 2 == 0 { "" } else { "½" };
                    number(format!("{}{half} / {matches}", halves / 2))
                },
            )
        }));
        cells
    });
    let text = format!("Points and matches of the {MAX_CROSSED} strongest; all are in the JSON.");
    section("crosstable", "Head to head")
        .child(table.rows(cells).element())
        .child(note(&text))
}

fn parked(tables: &ArenaTables<'_>) -> Option<Element> {
    let parked: Vec<_> = tables
        .ranking
        .rows
        .iter()
        .filter(|row| row.parked.is_some())
        .collect();
    if parked.is_empty() {
        return None;
    }
    let rows = parked.into_iter().map(|row| {
        vec![
            row_head(label_of(row)),
            text(row.parked.as_deref().unwrap_or_default()),
        ]
    });
    let table = HtmlTable::new("parked contenders")
        .column("contender", true)
        .column("reason", true);
    Some(section("faults", "Parked").child(table.rows(rows).element()))
}

/// The contenders that are present.
fn here(tables: &ArenaTables<'_>, present: &[Contender]) -> Element {
    let names: HashMap<&Contender, String> = (tables.ranking.rows.iter())
        .map(|row| (&row.contender, label_of(row)))
        .collect();
    let names = present.iter().map(|contender| {
        let name = names.get(contender).cloned();
        name.unwrap_or_else(|| crate::contender_label(contender, ""))
    });
    let names: Vec<String> = names.collect();
    let count: HashSet<&Contender> = present.iter().collect();
    Element::new("p")
        .child(Element::new("strong").text(format!("{} present", count.len())))
        .child(Element::new("span").text(if names.is_empty() {
            String::new()
        } else {
            format!(": {}", names.join(", "))
        }))
}
