use dragontooth_games::counted;
use dragontooth_games_boards::Element;

use super::super::plot::durations;
use super::super::{Overview, ThinkingLine, ThinkingTime};
use super::html_table::{HtmlTable, number, row_head};
use super::page::{note, section};

/// The durations of the decisions; `None` if no match has a transcript.
pub(super) fn decisions(overview: &Overview<'_>, thinking: &ThinkingTime) -> Option<Element> {
    let drawing = durations(&thinking.times_us(), "decisions")?;
    let place = |line: &ThinkingLine| {
        let mut standings = overview.standings.iter();
        standings.position(|standing| overview.name(standing.bot) == line.bot)
    };
    let mut lines = thinking.lines();
    lines.sort_by_key(place);
    let sends = |line: &ThinkingLine| line.nodes_per_second.or(line.mean_depth).is_some();
    let has_thinking = lines.iter().any(sends);
    let row = |line: &ThinkingLine| {
        let times = [
            line.shortest_ms,
            line.median_ms,
            line.mean_ms,
            line.percentile_99_ms,
            line.longest_ms,
        ];
        let cells = times.map(|ms| number(format!("{ms:.2}")));
        let shown = |figure: Option<f64>, digits: usize| {
            number(figure.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.digits$}")))
        };
        let sent = [shown(line.nodes_per_second, 0), shown(line.mean_depth, 1)];
        [row_head(&line.bot), number(line.decisions)]
            .into_iter()
            .chain(cells)
            .chain(sent.into_iter().filter(|_| has_thinking))
            .collect::<Vec<_>>()
    };
    let mut table = HtmlTable::new("decisions")
        .column("bot", true)
        .column("decisions", false)
        .column("shortest, ms", false)
        .column("median", false)
        .column("mean", false)
        .column("99th percentile", false)
        .column("longest", false);
    if has_thinking {
        table = table.column("nodes/s", false).column("depth", false);
    }
    let table = table.rows(lines.iter().map(row));
    let figure = Element::new("figure")
        .child(Element::new("h3").text("Decision times"))
        .child(drawing);
    let part = section("decisions", "Decisions")
        .child(table.element())
        .child(note(
            "The time charged to a bot's clock: from the moment a decision is due until its action is received. It \
             includes the round trip, because it is the time of the service and not of the bot; the shortest decision is \
             an upper bound for the round trip at that moment.",
        ))
        .child(Element::new("div").with("class", "plots").child(figure));
    let over = overview.results.played();
    let part = if has_thinking {
        part.child(note(
            "Nodes a second and the mean depth are what the bots say themselves, by their own clocks.",
        ))
    } else {
        part
    };
    Some(if thinking.matches() < over {
        let matches = thinking.matches();
        let over = counted(over, "match");
        part.child(note(&format!("Of {matches} of the {over}.")))
    } else {
        part
    })
}
