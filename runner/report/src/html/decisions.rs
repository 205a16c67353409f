use dragontooth_games_boards::Element;

use super::super::plot::durations;
use super::super::{Overview, Thinking, ThinkingLine};
use super::html_table::{HtmlTable, number, row_head};
use super::page::{note, section};

/// The durations of the decisions; `None` if no match has a transcript.
pub(super) fn decisions(overview: &Overview<'_>, thinking: &Thinking) -> Option<Element> {
    let drawing = durations(&thinking.times_us(), "decisions")?;
    let place = |line: &ThinkingLine| {
        let mut standings = overview.standings.iter();
        standings.position(|standing| overview.name(standing.bot) == line.bot)
    };
    let mut lines = thinking.lines();
    lines.sort_by_key(place);
    let row = |line: &ThinkingLine| {
        let times = [
            line.shortest_ms,
            line.median_ms,
            line.mean_ms,
            line.percentile_99_ms,
            line.longest_ms,
        ];
        let cells = times.map(|ms| number(format!("{ms:.2}")));
        [row_head(&line.bot), number(line.decisions)]
            .into_iter()
            .chain(cells)
            .collect::<Vec<_>>()
    };
    let table = HtmlTable::new("decisions")
        .column("bot", true)
        .column("decisions", false)
        .column("shortest, ms", false)
        .column("median", false)
        .column("mean", false)
        .column("99 % below", false)
        .column("longest", false)
        .rows(lines.iter().map(row));
    let figure = Element::new("figure")
        .child(Element::new("h3").text("How long decisions took"))
        .child(drawing);
    let part = section("decisions", "Decisions")
        .child(table.element())
        .child(note(
            "From the moment when all that made a decision due was there to the moment when the action was \
             received: what a bot's clock pays. The bot's thinking and the way there and back cannot be told apart, \
             for a bot does not say how long it thought; but the shortest decision is the most that the way took \
             then.",
        ))
        .child(Element::new("div").with("class", "plots").child(figure));
    let over = overview.results.played();
    Some(if thinking.matches() < over {
        let matches = thinking.matches();
        part.child(note(&format!("Of {matches} of the {over} matches.")))
    } else {
        part
    })
}
