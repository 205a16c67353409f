use dragontooth_games_boards::Element;
use dragontooth_runner_tournament::{BotIndex, Tally};

use super::super::Overview;
use super::html_table::{HtmlTable, number, row_head};
use super::page::{note, section};

/// The most bots in a crosstable: a page with more cells is too large to be read.
const MAX_BOTS: usize = 64;

/// The crosstable and the likelihood of superiority, the better the bluer.
pub(super) fn crosstable(overview: &Overview<'_>) -> Element {
    let order: Vec<BotIndex> = overview
        .standings
        .iter()
        .take(MAX_BOTS)
        .map(|line| line.bot)
        .collect();
    let met = |bot, other| {
        let tally: Tally = overview.crosstable.cell(bot, other);
        tally.score().map(|score| (tally.to_string(), score))
    };
    let likely = |bot, other| {
        let share = overview.superiority(bot, other)?;
        Some((format!("{:.1}", share * 100.0), share))
    };
    let mut part = section("crosstable", "Crosstable").child(note(
        "Won, drawn and lost by the bot of the row against that of the column. Blue: it had more of the points; \
         red: less.",
    ));
    if overview.standings.len() > MAX_BOTS {
        part = part.child(note(&format!("The first {MAX_BOTS} bots.")));
    }
    part = part.child(heat(overview, "crosstable", &order, met));
    if overview.ratings.is_ok() {
        part = part
            .child(Element::new("h3").text("Likelihood of superiority, %"))
            .child(note(
                "That the bot of the row is stronger than that of the column.",
            ))
            .child(heat(overview, "likelihood of superiority", &order, likely));
    }
    part
}

/// A table in which each cell has a text and a share, from 0 to 1, by which it is coloured.
fn heat(
    overview: &Overview<'_>,
    caption: &'static str,
    order: &[BotIndex],
    cell: impl Fn(BotIndex, BotIndex) -> Option<(String, f64)>,
) -> Element {
    let numbered = || (1..).zip(order);
    let row = |(place, bot): (usize, &BotIndex)| {
        let start = [number(place), row_head(overview.name(*bot))];
        let cells = order.iter().map(|other| {
            let title = format!("{} against {}", overview.name(*bot), overview.name(*other));
            match cell(*bot, *other) {
                Some(_) | None if bot == other => number(""),
                Some((text, share)) => coloured(share).with("title", title).text(text),
                None => number("–"),
            }
        });
        start.into_iter().chain(cells).collect::<Vec<_>>()
    };
    let table = HtmlTable::new(caption)
        .of_class("heat")
        .column("#", false)
        .column("bot", true);
    let table = numbered().fold(table, |table, (place, _)| {
        table.column(&place.to_string(), false)
    });
    table.rows(numbered().map(row)).element()
}

/// The steps of the colour, each 4 % more of it: classes of the style, because a page with a strict policy has no
/// style in its elements.
const STEPS: f64 = 16.0;

/// A cell with the colour of a share.
fn coloured(share: f64) -> Element {
    let strength = (share - 0.5).abs() * 2.0;
    let cell = Element::new("td");
    if strength < 0.005 {
        return cell.with("class", "even");
    }
    let side = if share > 0.5 { "good" } else { "bad" };
    let step = (strength * STEPS).ceil().clamp(1.0, STEPS);
    cell.with("class", format!("{side} s{step:.0}"))
}
