use dragontooth_runner_tournament::Standing;

use super::Overview;
use super::figures::{decimals_of, signed_to};
use super::shortened::shortened;

/// The cells in which an interval is drawn.
const BAR: usize = 21;
const NAME: usize = 18;

/// The standings as lines for a screen of 80 columns: the best bots, their ratings with their
/// intervals of 95 %, also drawn, all on one scale. At most `rows` bots.
#[must_use]
pub fn scoreboard(overview: &Overview<'_>, rows: usize) -> Vec<String> {
    let shown = &overview.standings[..overview.standings.len().min(rows)];
    let intervals: Vec<Option<[f64; 3]>> = shown
        .iter()
        .map(|line| {
            let rating = overview.rating(line.bot)?;
            let (elo, error) = (rating.elo, rating.error());
            Some([elo - error, elo, elo + error])
        })
        .collect();
    let ends = |end: usize| {
        intervals
            .iter()
            .flatten()
            .map(move |interval| interval[end])
    };
    let low = ends(0).reduce(f64::min).unwrap_or_default();
    let high = ends(2).reduce(f64::max).unwrap_or_default();
    let mut lines = vec![format!(
        "{:>4}  {:NAME$} {:>7} {:>7}  {:>6}  {:>7}",
        "#", "bot", "points", "score %", "Elo", "± 95 %"
    )];
    for (line, interval) in shown.iter().zip(intervals) {
        lines.push(row(overview, line, interval, [low, high]));
    }
    let hidden = overview.standings.len() - shown.len();
    if hidden > 0 {
        lines.push(format!("      and {hidden} more"));
    }
    lines
}

fn row(
    overview: &Overview<'_>,
    line: &Standing,
    interval: Option<[f64; 3]>,
    scale: [f64; 2],
) -> String {
    let equal = if line.place.shared { "=" } else { " " };
    let score = line.tally().score();
    let score = score.map_or("–".to_owned(), |score| format!("{:.1}", score * 100.0));
    let (elo, error, bar) = match interval {
        Some([low, elo, high]) => {
            let error = (high - low) / 2.0;
            let decimals = decimals_of(error);
            (
                signed_to(elo, decimals),
                format!("{error:.decimals$}"),
                drawn([low, elo, high], scale),
            )
        }
        None => ("–".to_owned(), "–".to_owned(), String::new()),
    };
    let text = format!(
        "{:>3}{equal}  {:NAME$} {:>7} {score:>7}  {elo:>6}  {error:>7}  {bar}",
        line.place.rank,
        shortened(overview.name(line.bot), NAME),
        line.points.to_string(),
    );
    text.trim_end().to_owned()
}

/// An interval with its middle on a scale: `├──●──┤`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a cell of the bar is from 0 to its length"
)]
fn drawn(interval: [f64; 3], [low, high]: [f64; 2]) -> String {
    let width = (high - low).max(f64::MIN_POSITIVE);
    let cell = |value: f64| {
        let share = ((value - low) / width).clamp(0.0, 1.0);
        (share * (BAR - 1) as f64).round() as usize
    };
    let [from, middle, to] = interval.map(cell);
    let letter = |at| match at {
        at if at == middle => '●',
        at if at == from => '├',
        at if at == to => '┤',
        at if (from..to).contains(&at) => '─',
        _ => ' ',
    };
    (0..=to).map(letter).collect()
}
