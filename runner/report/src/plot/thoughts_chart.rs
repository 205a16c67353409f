use dragontooth_games::Seat;
use dragontooth_games_boards::{Element, Rounded};

use super::super::shortened::shortened;
use super::super::thoughts::{Thought, Thoughts};
use super::canvas::{WIDTH, canvas, label, line};
use super::scale::Scale;

const HEIGHT: f64 = 220.0;
const LEFT: f64 = 40.0;
const NAMES: f64 = 110.0;
const BOTTOM: f64 = 178.0;
const TOP: f64 = 10.0;
/// The least distance between two names.
const NAME_HEIGHT: f64 = 15.0;
const NAME_LETTERS: usize = 12;

/// The chances of the first player as both saw them, over the actions of a match; `None` without values.
pub(in super::super) fn thoughts_chart(
    thoughts: &Thoughts,
    players: &[String; 2],
) -> Option<Element> {
    let last = thoughts.values.last()?.action;
    let x = Scale::new([1.0, number(last + 1).max(2.0)], [LEFT, WIDTH - NAMES]);
    let y = Scale::new([0.0, 1.0], [BOTTOM, TOP]);
    let rows = [(0.0, "grid"), (0.5, "zero"), (1.0, "grid")];
    let rows = rows.into_iter().flat_map(|(share, class)| {
        let at = y.place(share);
        [
            line(class, [LEFT, at], [WIDTH - NAMES, at]),
            label(
                "end",
                [LEFT - 6.0, at + 4.0],
                &format!("{:.0}", share * 100.0),
            )
            .with("class", "tick"),
        ]
    });
    let columns = x.ticks(5).into_iter();
    let columns = columns.filter(|tick| *tick >= 1.0 && tick.fract() < 1e-9);
    let columns = columns.map(|tick| {
        let at = [x.place(tick), BOTTOM + 16.0];
        label("middle", at, &format!("{tick:.0}")).with("class", "tick")
    });
    let shades = thoughts.disagreements.iter().map(|[from, to]| {
        let [left, right] = [*from, *to].map(|action| x.place(number(action + 1)));
        Element::new("rect")
            .with("class", "disagreement")
            .at("x", left - 1.0)
            .at("y", TOP)
            .at("width", right - left + 2.0)
            .at("height", BOTTOM - TOP)
    });
    let turns = thoughts.turns.iter().map(|action| {
        let at = x.place(number(action + 1));
        line("bound", [at, TOP], [at, BOTTOM])
    });
    let name = format!(
        "chances of {} as both players saw them, in percent",
        players[0]
    );
    let middle = f64::midpoint(LEFT, WIDTH - NAMES);
    let drawing = canvas(HEIGHT, &name)
        .children(shades)
        .children(rows)
        .children(columns)
        .children(turns)
        .child(label("middle", [middle, HEIGHT - 6.0], "actions").with("class", "axis"))
        .children(Seat::BOTH.into_iter().flat_map(|seat| {
            let of_seat: Vec<_> = (thoughts.values.iter())
                .filter(|thought| thought.seat == seat)
                .collect();
            let games = of_seat.chunk_by(|a, b| a.game == b.game);
            let curves: Vec<_> = games.map(|game| curve(game, seat, &x, &y)).collect();
            curves
        }))
        .children(names(thoughts, players, &y));
    Some(drawing)
}

/// The values of a seat in a game.
fn curve(game: &[&Thought], seat: Seat, x: &Scale, y: &Scale) -> Element {
    let place = |thought: &Thought| {
        [
            x.place(number(thought.action + 1)),
            y.place(thought.chances),
        ]
    };
    // A line through one point is not drawn.
    if let [only] = game {
        let [x, y] = place(only);
        return Element::new("circle")
            .with("class", format!("c{}", seat.index() + 1))
            .at("cx", x)
            .at("cy", y)
            .at("r", 2.5);
    }
    let points = game.iter().map(|thought| {
        let place = place(thought).map(Rounded);
        format!("{},{}", place[0], place[1])
    });
    let points: Vec<_> = points.collect();
    Element::new("polyline")
        .with("class", format!("course c{}", seat.index() + 1))
        .with("points", points.join(" "))
}

/// The names of the players beside the ends of their curves.
fn names(thoughts: &Thoughts, players: &[String; 2], y: &Scale) -> Vec<Element> {
    let last = |seat: Seat| {
        let mut values = thoughts.values.iter().rev();
        let last = values.find(|thought| thought.seat == seat)?;
        Some((y.place(last.chances), seat))
    };
    let mut places: Vec<(f64, Seat)> = Seat::BOTH.into_iter().filter_map(last).collect();
    if let [one, other] = &mut places[..]
        && (one.0 - other.0).abs() < NAME_HEIGHT
    {
        let middle = f64::midpoint(one.0, other.0);
        let (upper, lower) = if one.0 <= other.0 {
            (one, other)
        } else {
            (other, one)
        };
        upper.0 = middle - NAME_HEIGHT / 2.0;
        lower.0 = middle + NAME_HEIGHT / 2.0;
    }
    let names = places.into_iter().flat_map(|(at, seat)| {
        let name = shortened(&players[seat.index()], NAME_LETTERS);
        let from = WIDTH - NAMES + 10.0;
        let key = Element::new("circle")
            .with("class", format!("c{}", seat.index() + 1))
            .at("cx", from)
            .at("cy", at)
            .at("r", 4.0);
        [key, label("start", [from + 8.0, at + 4.0], &name)]
    });
    names.collect()
}

#[expect(clippy::cast_precision_loss, reason = "a place in a drawing")]
const fn number(count: usize) -> f64 {
    count as f64
}
