use dragontooth_games_boards::{Element, Rounded};

use super::canvas::{WIDTH, canvas, label, line};
use super::scale::Scale;

const HEIGHT: f64 = 300.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = WIDTH - 40.0;
const BOTTOM: f64 = 258.0;
const TOP: f64 = 10.0;
/// The points of the course that are drawn.
const POINTS: usize = 300;
/// The room above and below the bounds, as a share of the distance between them.
const ROOM: f64 = 0.08;

/// The log-likelihood ratio of a sequential test after each encounter, between the bounds at which H0 and
/// H1 are accepted; `None` if no encounter counts yet.
pub(in super::super) fn sprt_chart(ratios: &[f64], [lower, upper]: [f64; 2]) -> Option<Element> {
    let extreme =
        |start: f64, choose: fn(f64, f64) -> f64| ratios.iter().copied().fold(start, choose);
    let room = (upper - lower) * ROOM;
    let values = [
        extreme(lower, f64::min) - room,
        extreme(upper, f64::max) + room,
    ];
    let count = Some(ratios.len()).filter(|count| *count > 0)?;
    let x = Scale::new([0.0, number(count)], [LEFT, RIGHT]);
    let y = Scale::new(values, [BOTTOM, TOP]);
    let bounds = [("H1", upper), ("H0", lower)]
        .into_iter()
        .flat_map(|(name, bound)| {
            let at = y.place(bound);
            [
                line("bound", [LEFT, at], [RIGHT, at]),
                label("end", [LEFT - 6.0, at + 4.0], &format!("{bound:.2}")).with("class", "tick"),
                label("start", [RIGHT + 6.0, at + 4.0], name).with("class", "tick"),
            ]
        });
    let zero = y.place(0.0);
    let columns = x.whole_ticks(5).map(|tick| {
        let at = [x.place(tick), BOTTOM + 16.0];
        label("middle", at, &format!("{tick:.0}")).with("class", "tick")
    });
    let middle = f64::midpoint(LEFT, RIGHT);
    let name =
        "log-likelihood ratio after each encounter; its last value is in the text of the test";
    let drawing = canvas(HEIGHT, name)
        .child(line("zero", [LEFT, zero], [RIGHT, zero]))
        .child(label("end", [LEFT - 6.0, zero + 4.0], "0").with("class", "tick"))
        .children(bounds)
        .children(columns)
        .child(label("middle", [middle, HEIGHT - 6.0], "encounters").with("class", "axis"))
        .child(course(ratios, &x, &y));
    Some(drawing)
}

/// The line from 0 to the last ratio, through at most [`POINTS`] of those before it.
fn course(ratios: &[f64], x: &Scale, y: &Scale) -> Element {
    let count = ratios.len();
    let step = count.div_ceil(POINTS).max(1);
    let drawn = (1..).zip(ratios);
    let drawn = drawn.filter(|(at, _)| (count - at).is_multiple_of(step));
    let places = std::iter::once((0, &0.0)).chain(drawn).map(|(at, ratio)| {
        let place = [x.place(number(at)), y.place(*ratio)].map(Rounded);
        format!("{},{}", place[0], place[1])
    });
    Element::new("polyline")
        .with("class", "course c1")
        .with("points", places.collect::<Vec<_>>().join(" "))
}

#[expect(clippy::cast_precision_loss, reason = "a place in a drawing")]
const fn number(count: usize) -> f64 {
    count as f64
}
