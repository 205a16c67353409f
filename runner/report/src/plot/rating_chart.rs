use dragontooth_games_boards::{Element, Rounded};

use super::canvas::{WIDTH, canvas, label, line};
use super::line_names::{BOTTOM, HEIGHT, LEFT, LineEnd, NAMES, TOP, names};
use super::scale::Scale;

/// The most lines in a chart: one for each colour that can be told apart.
pub(in super::super) const MAX_RATING_LINES: usize = 8;

/// The rating of a contender over time.
#[derive(Clone, Debug)]
pub(in super::super) struct RatingLine {
    pub(in super::super) name: String,
    /// Numbers of matches and ratings in Elo, in order.
    pub(in super::super) points: Vec<[f64; 2]>,
}

/// A chart of the ratings over the matches of an arena, of at most [`MAX_RATING_LINES`]; `None` without a rating.
pub(in super::super) fn rating_chart(all: &[RatingLine]) -> Option<Element> {
    let shown = &all[..all.len().min(MAX_RATING_LINES)];
    let points = || shown.iter().flat_map(|one| &one.points);
    let last = points().map(|point| point[0]).reduce(f64::max)?;
    let low = points().map(|point| point[1]).reduce(f64::min)?;
    let high = points().map(|point| point[1]).reduce(f64::max)?;
    let x = Scale::new([0.0, last], [LEFT, WIDTH - NAMES]);
    let y = Scale::new([low - 10.0, high + 10.0], [BOTTOM, TOP]);
    let rows = y.ticks(5).into_iter().flat_map(|tick| {
        let at = y.place(tick);
        [
            line("grid", [LEFT, at], [WIDTH - NAMES, at]),
            label("end", [LEFT - 6.0, at + 4.0], &format!("{tick:.0}")).with("class", "tick"),
        ]
    });
    let columns = x.whole_ticks(4).map(|tick| {
        let at = [x.place(tick), BOTTOM + 16.0];
        label("middle", at, &format!("{tick:.0}")).with("class", "tick")
    });
    let lines = (1..).zip(shown).map(|(colour, one): (usize, _)| {
        let points: Vec<String> = one
            .points
            .iter()
            .map(|[matches, elo]| {
                let [x, y] = [x.place(*matches), y.place(*elo)].map(Rounded);
                format!("{x},{y}")
            })
            .collect();
        Element::new("polyline")
            .with("class", format!("course c{colour}"))
            .with("points", points.join(" "))
            .child(Element::new("title").text(&one.name))
    });
    let ends = (1..).zip(shown).filter_map(|(colour, one)| {
        let [matches, elo] = *one.points.last()?;
        Some(LineEnd {
            colour,
            name: &one.name,
            at: [x.place(matches), y.place(elo)],
        })
    });
    let middle = f64::midpoint(LEFT, WIDTH - NAMES);
    let drawing = canvas(HEIGHT, "ratings over the matches of the arena")
        .children(rows)
        .children(columns)
        .child(
            label("middle", [middle, HEIGHT - 6.0], "matches of the arena").with("class", "axis"),
        )
        .children(lines)
        .children(names(&ends.collect::<Vec<_>>()));
    Some(drawing)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two matches are too few for four ticks between whole numbers.
    #[test]
    fn matches_are_counted_in_whole_numbers() {
        let line = RatingLine {
            name: "a".to_owned(),
            points: vec![[1.0, 0.0], [2.0, 5.0]],
        };
        let drawing = rating_chart(&[line]).unwrap().to_string();
        let ticks: Vec<&str> = drawing
            .split("<text ")
            .filter(|text| text.contains("\"middle\"") && text.contains("\"tick\""))
            .filter_map(|text| text.split(['<', '>']).nth(1))
            .collect();
        assert_eq!(ticks, ["0", "1", "2"]);
    }
}
