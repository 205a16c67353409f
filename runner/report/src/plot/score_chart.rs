use dragontooth_games_boards::{Element, Rounded};

use super::canvas::{WIDTH, canvas, label, line};
use super::line_names::{BOTTOM, HEIGHT, LEFT, LineEnd, NAMES, TOP, names};
use super::scale::Scale;

/// The most lines in a chart: one for each colour that can be told apart.
pub(in super::super) const MAX_SCORE_LINES: usize = 8;

/// The points of a course that are drawn.
const POINTS: usize = 150;

/// The share of the points that a bot had after each of its matches, from 0 to 1.
#[derive(Clone, Debug)]
pub(in super::super) struct ScoreLine<'a> {
    /// The bot's name.
    pub(in super::super) name: &'a str,
    /// The share after the first match, the second and so on.
    pub(in super::super) shares: Vec<f64>,
}

/// A chart of the score over the matches, of at most [`MAX_SCORE_LINES`] bots; `None` if no match was
/// played.
pub(in super::super) fn score_chart(all: &[ScoreLine<'_>]) -> Option<Element> {
    let shown = &all[..all.len().min(MAX_SCORE_LINES)];
    let longest = shown.iter().map(|one| one.shares.len()).max();
    let longest = longest.filter(|longest| *longest > 0)?;
    let x = Scale::new([1.0, number(longest).max(2.0)], [LEFT, WIDTH - NAMES]);
    let y = Scale::new([0.0, 1.0], [BOTTOM, TOP]);
    let rows = [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().flat_map(|share| {
        let at = y.place(share);
        let figure = format!("{:.0}", share * 100.0);
        let class = if (share - 0.5).abs() < 1e-9 {
            "zero"
        } else {
            "grid"
        };
        [
            line(class, [LEFT, at], [WIDTH - NAMES, at]),
            label("end", [LEFT - 6.0, at + 4.0], &figure).with("class", "tick"),
        ]
    });
    let columns = x.whole_ticks(5).map(|tick| {
        let at = [x.place(tick), BOTTOM + 16.0];
        label("middle", at, &format!("{tick:.0}")).with("class", "tick")
    });
    let middle = f64::midpoint(LEFT, WIDTH - NAMES);
    let name = "share of the points after each match; the last figures are in the standings";
    let drawing = canvas(HEIGHT, name)
        .children(rows)
        .children(columns)
        .child(label("middle", [middle, HEIGHT - 6.0], "matches of the bot").with("class", "axis"))
        .children(
            (1..)
                .zip(shown)
                .map(|(colour, one)| score_line(one, colour, &x, &y)),
        )
        .children(names(
            &shown
                .iter()
                .enumerate()
                .filter_map(|(at, one)| {
                    let last = one.shares.last()?;
                    Some(LineEnd {
                        colour: at + 1,
                        name: one.name,
                        at: [x.place(number(one.shares.len())), y.place(*last)],
                    })
                })
                .collect::<Vec<_>>(),
        ));
    Some(drawing)
}

fn score_line(one: &ScoreLine<'_>, colour: usize, x: &Scale, y: &Scale) -> Element {
    let count = one.shares.len();
    let step = count.div_ceil(POINTS).max(1);
    let drawn = one
        .shares
        .iter()
        .enumerate()
        .filter(|(at, _)| (count - 1 - at).is_multiple_of(step));
    let points: Vec<String> = drawn
        .map(|(at, share)| {
            let place = [x.place(number(at + 1)), y.place(*share)].map(Rounded);
            format!("{},{}", place[0], place[1])
        })
        .collect();
    Element::new("polyline")
        .with("class", format!("course c{colour}"))
        .with("points", points.join(" "))
        .child(Element::new("title").text(one.name))
}

#[expect(clippy::cast_precision_loss, reason = "a place in a drawing")]
const fn number(count: usize) -> f64 {
    count as f64
}
