use dragontooth_games_boards::Element;

use super::super::figures::{decimals_of, signed_to};
use super::super::shortened::shortened;
use super::canvas::{WIDTH, canvas, label, line};
use super::scale::Scale;

/// The most bots in a drawing of intervals.
pub(in super::super) const MAX_INTERVALS: usize = 40;

const ROW: f64 = 26.0;
const NAMES: f64 = 122.0;
const FIGURES: f64 = 92.0;
const FOOT: f64 = 38.0;
const NAME_LETTERS: usize = 13;
/// The most decimals of a tick.
const MAX_DECIMALS: usize = 4;

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
    let ticks = scale.ticks(4);
    let decimals = decimals(&ticks);
    let grid = ticks.into_iter().flat_map(|tick| {
        let x = scale.place(tick);
        let class = if tick.abs() < 1e-9 { "zero" } else { "grid" };
        let figure = signed_to(tick, decimals).replace('-', "−");
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
    let decimals = decimals_of(one.error);
    let value = signed_to(one.value, decimals).replace('-', "−");
    let figures = format!("{value} ± {:.decimals$}", one.error);
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

/// The decimals by which ticks, 1, 2 or 5 times a power of ten apart, can be told apart.
fn decimals(ticks: &[f64]) -> usize {
    let mut step = match ticks {
        [first, second, ..] => second - first,
        [_] | [] => 1.0,
    };
    let mut decimals = 0;
    while step < 0.99 && decimals < MAX_DECIMALS {
        step *= 10.0;
        decimals += 1;
    }
    decimals
}

#[expect(clippy::cast_precision_loss, reason = "there are few rows")]
const fn count(rows: usize) -> f64 {
    rows as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of a drawing: those of the ticks, and the figures beside the rows.
    fn texts(values: &[[f64; 2]]) -> [String; 2] {
        let all = values.iter().map(|[value, error]| Interval {
            name: "a",
            value: *value,
            error: *error,
        });
        let drawing = intervals(&all.collect::<Vec<_>>(), "Elo").unwrap();
        let drawing = drawing.to_string();
        ["tick", "figure"].map(|class| {
            let start = format!("class=\"{class}\">");
            let texts = drawing.split(&start).skip(1);
            let texts = texts.filter_map(|text| text.split('<').next());
            texts.collect::<Vec<_>>().join(" | ")
        })
    }

    #[test]
    fn figures_have_the_decimals_that_their_size_asks_for() {
        for (values, ticks, figures) in [
            (
                &[[101.4, 298.7], [-101.4, 298.7]][..],
                "−400 | −200 | 0 | +200 | +400",
                "+101 ± 299 | −101 ± 299",
            ),
            (&[[0.3, 12.0]], "−10 | 0 | +10", "0 ± 12"),
            (&[[-0.3, 12.0]], "−10 | 0 | +10", "0 ± 12"),
            (
                &[[0.31, 0.2], [-0.04, 0.2]],
                "−0.2 | 0.0 | +0.2 | +0.4",
                "+0.3 ± 0.2 | 0.0 ± 0.2",
            ),
            (&[[0.0, 0.076]], "−0.05 | 0.00 | +0.05", "0.0 ± 0.1"),
        ] {
            assert_eq!(texts(values), [ticks, figures].map(str::to_owned));
        }
    }
}
