use dragontooth_games_boards::Element;

use super::super::elapsed::elapsed;
use super::canvas::{WIDTH, canvas, label, line};
use super::scale::Scale;

const HEIGHT: f64 = 240.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 26.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 198.0;
/// The bars for a factor of ten.
const BARS_A_DECADE: u32 = 5;

/// A histogram of times on a logarithmic scale; `None` without times.
pub(in super::super) fn durations(times_us: &[u64], counted: &str) -> Option<Element> {
    let bins: Vec<u32> = times_us.iter().map(|time| bin(*time)).collect();
    let first = bins.iter().min()? / BARS_A_DECADE * BARS_A_DECADE;
    let last = (bins.iter().max()? / BARS_A_DECADE + 1) * BARS_A_DECADE;
    let mut counts = vec![0_u32; (last - first) as usize];
    for bin in bins {
        counts[(bin - first) as usize] += 1;
    }
    let most = counts.iter().copied().max()?;
    let x = Scale::new([f64::from(first), f64::from(last)], [LEFT, WIDTH - RIGHT]);
    let y = Scale::new([0.0, f64::from(most) * 1.05], [BOTTOM, TOP]);
    let rows = y.ticks(4).into_iter().filter(|tick| tick.fract() < 1e-9);
    let rows = rows.flat_map(|tick| {
        let at = y.place(tick);
        [
            line("grid", [LEFT, at], [WIDTH - RIGHT, at]),
            label("end", [LEFT - 6.0, at + 4.0], &format!("{tick:.0}")).with("class", "tick"),
        ]
    });
    let decades = first / BARS_A_DECADE..=last / BARS_A_DECADE;
    let columns = decades.map(|decade| {
        let at = [x.place(f64::from(decade * BARS_A_DECADE)), BOTTOM + 16.0];
        label("middle", at, &elapsed(power(decade * BARS_A_DECADE))).with("class", "tick")
    });
    let bars = (first..).zip(&counts).filter(|(_, count)| **count > 0);
    let bars = bars.map(|(bin, count)| {
        let [left, right] = [bin, bin + 1].map(|at| x.place(f64::from(at)));
        let top = y.place(f64::from(*count));
        let [from, to] = [bin, bin + 1].map(|at| elapsed(power(at)));
        Element::new("rect")
            .with("class", "bar")
            .at("x", left + 1.0)
            .at("y", top)
            .at("width", (right - left - 2.0).max(1.0))
            .at("height", BOTTOM - top)
            .child(Element::new("title").text(format!("{from} to {to}: {count} {counted}")))
    });
    let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
    let drawing = canvas(HEIGHT, &format!("{counted} by how long they took"))
        .children(rows)
        .children(columns)
        .children(bars)
        .child(
            label("middle", [middle, HEIGHT - 6.0], "time, by factors of ten")
                .with("class", "axis"),
        );
    Some(drawing)
}

/// The number of the bar of a time: bar 0 begins at a microsecond, and shorter ones are in it.
fn bin(time_us: u64) -> u32 {
    let mut bin = 0;
    while power(bin + 1) <= as_number(time_us) * (1.0 + 1e-9) {
        bin += 1;
    }
    bin
}

/// Returns the lower bound of a bar, in microseconds.
fn power(bin: u32) -> f64 {
    10_f64.powf(f64::from(bin) / f64::from(BARS_A_DECADE))
}

#[expect(clippy::cast_precision_loss, reason = "a place in a drawing")]
const fn as_number(time_us: u64) -> f64 {
    time_us as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_equal_factors() {
        let bins = [0, 1, 2, 9, 10, 999, 1000, 1_000_000].map(bin);
        assert_eq!(bins, [0, 0, 1, 4, 5, 14, 15, 30]);
    }
}
