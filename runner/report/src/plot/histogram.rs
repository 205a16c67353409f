use dragontooth_games_boards::Element;

use super::canvas::{WIDTH, canvas, label, line};
use super::scale::{Scale, round_step};

const HEIGHT: f64 = 240.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 198.0;
/// The approximate number of bars.
const BARS: f64 = 24.0;

/// The names of the values and of the counted things.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Axis {
    /// The values: `plies in a match`.
    pub(in super::super) values: &'static str,
    /// The counted things: `matches`.
    pub(in super::super) counted: &'static str,
}

/// A histogram of whole numbers; `None` without values.
pub(in super::super) fn histogram(values: &[f64], axis: Axis) -> Option<Element> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (*sorted.first()?, *sorted.last()?);
    let median = sorted[sorted.len() / 2];
    let step = round_step(((high - low) / BARS).max(1.0));
    let first = (low / step).floor();
    let bins = bins(&sorted, first, step);
    let most = bins.iter().copied().max()?;
    let ends = [first * step, (first + number(bins.len())) * step];
    let x = Scale::new(ends, [LEFT, WIDTH - RIGHT]);
    let y = Scale::new([0.0, number(most) * 1.05], [BOTTOM, TOP]);
    let rows = y.ticks(4).into_iter().filter(|tick| tick.fract() < 1e-9);
    let rows = rows.flat_map(|tick| {
        let at = y.place(tick);
        [
            line("grid", [LEFT, at], [WIDTH - RIGHT, at]),
            label("end", [LEFT - 6.0, at + 4.0], &format!("{tick:.0}")).with("class", "tick"),
        ]
    });
    let columns = x
        .ticks(6)
        .into_iter()
        .filter(|tick| tick.fract().abs() < 1e-9);
    let columns = columns.map(|tick| {
        let at = [x.place(tick), BOTTOM + 16.0];
        label("middle", at, &format!("{tick:.0}")).with("class", "tick")
    });
    let bars = (0..).zip(&bins).filter(|(_, count)| **count > 0);
    let bars = bars.map(|(at, count)| {
        let from = (first + f64::from(at)) * step;
        let range = if step <= 1.0 {
            format!("{from:.0}")
        } else {
            format!("{from:.0} to {:.0}", from + step - 1.0)
        };
        let (left, right) = (x.place(from), x.place(from + step));
        let top = y.place(number(*count));
        Element::new("rect")
            .with("class", "bar")
            .at("x", left + 1.0)
            .at("y", top)
            .at("width", (right - left - 2.0).max(1.0))
            .at("height", BOTTOM - top)
            .child(Element::new("title").text(format!("{range}: {count} {}", axis.counted)))
    });
    let middle_of_bin = if step <= 1.0 { 0.5 } else { 0.0 };
    let at = x.place(median + middle_of_bin);
    let side = if at > WIDTH / 2.0 { "end" } else { "start" };
    let shift = if at > WIDTH / 2.0 { -5.0 } else { 5.0 };
    let told = format!("median {median:.0}");
    let name = format!("{} by {}; {told}", axis.counted, axis.values);
    let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
    let drawing = canvas(HEIGHT, &name)
        .children(rows)
        .children(columns)
        .children(bars)
        .child(line("median", [at, TOP - 10.0], [at, BOTTOM]))
        .child(label(side, [at + shift, TOP - 3.0], &told).with("class", "figure"))
        .child(label("middle", [middle, HEIGHT - 6.0], axis.values).with("class", "axis"));
    Some(drawing)
}

/// The number of values in each step from `first` steps on.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number of a bar is small and not below 0"
)]
fn bins(sorted: &[f64], first: f64, step: f64) -> Vec<u32> {
    let bin = |value: f64| ((value / step + 1e-9).floor() - first).max(0.0) as usize;
    let last = sorted.last().map_or(0, |value| bin(*value));
    let mut bins = vec![0; last + 1];
    for value in sorted {
        bins[bin(*value).min(last)] += 1;
    }
    bins
}

#[expect(clippy::cast_precision_loss, reason = "a place in a drawing")]
fn number(count: impl TryInto<u64>) -> f64 {
    count.try_into().unwrap_or(u64::MAX) as f64
}
