use dragontooth_games_boards::Element;

use super::canvas::{WIDTH, canvas, label, line, shortened};
use super::scale::Scale;

/// The most bots in a drawing of intervals.
pub(in super::super) const MAX_INTERVALS: usize = 40;

const ROW: f64 = 26.0;
const NAMES: f64 = 122.0;
const FIGURES: f64 = 92.0;
const FOOT: f64 = 38.0;
const NAME_LETTERS: usize = 13;

/// A value with its error.
#[derive(Clone, Debug)]
pub(in super::super) struct Interval<'a> {
    /// The name.
    pub(in super::super) name: &'a str,
    /// The value.
    pub(in super::super) value: f64,
    /// Half the width of the interval.
    pub(in super::super) error: f64,
}

/// Values with their intervals below each other, at most [`MAX_INTERVALS`]; `None` if there are none.
pub(in super::super) fn intervals(all: &[Interval<'_>], unit: &str) -> Option<Element> {
    let shown = &all[..all.len().min(MAX_INTERVALS)];
    let low = shown.iter().map(|one| one.value - one.error);
    let high = shown.iter().map(|one| one.value + one.error);
    let (low, high) = (low.reduce(f64::min)?, high.reduce(f64::max)?);
    let scale = Scale::new([low, high], [NAMES + 6.0, WIDTH - FIGURES]);
    let bottom = ROW * count(shown.len()) + 8.0;
    let name = format!("{unit} with intervals of 95 %; the figures are in the standings");
    let grid = scale.ticks(4).into_iter().flat_map(|tick| {
        let x = scale.place(tick);
        let class = if tick.abs() < 1e-9 { "zero" } else { "grid" };
        let figure = format!("{tick:+.0}").replace("+0", "0").replace('-', "−");
        [
            line(class, [x, 4.0], [x, bottom]),
            label("middle", [x, bottom + 15.0], &figure).with("class", "tick"),
        ]
    });
    let unit_at = [f64::midpoint(NAMES, WIDTH - FIGURES), bottom + 31.0];
    let rows = shown.iter().enumerate().map(|(at, one)| {
        let y = ROW * (count(at) + 0.5) + 4.0;
        row(one, &scale, y)
    });
    let drawing = canvas(bottom + FOOT, &name)
        .children(grid)
        .child(label("middle", unit_at, unit).with("class", "axis"))
        .children(rows);
    Some(drawing)
}

fn row(one: &Interval<'_>, scale: &Scale, y: f64) -> Element {
    let [low, middle, high] =
        [one.value - one.error, one.value, one.value + one.error].map(|at| scale.place(at));
    let cap = |x| line("whisker", [x, y - 4.0], [x, y + 4.0]);
    // The sum makes a zero of a negative one.
    let value = one.value.round() + 0.0;
    let figures = format!("{value:+.0} ± {:.0}", one.error).replace('-', "−");
    let dot = Element::new("circle")
        .with("class", "dot")
        .at("cx", middle)
        .at("cy", y)
        .at("r", 5.0);
    Element::new("g")
        .child(Element::new("title").text(format!("{}: {figures}", one.name)))
        .child(label(
            "end",
            [NAMES - 6.0, y + 4.5],
            &shortened(one.name, NAME_LETTERS),
        ))
        .child(line("whisker", [low, y], [high, y]))
        .child(cap(low))
        .child(cap(high))
        .child(dot)
        .child(label("end", [WIDTH - 2.0, y + 4.5], &figures).with("class", "figure"))
}

#[expect(clippy::cast_precision_loss, reason = "there are few rows")]
const fn count(rows: usize) -> f64 {
    rows as f64
}
