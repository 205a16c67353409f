use dragontooth_games_boards::{Element, Rounded};

use super::super::shortened::shortened;
use super::canvas::{WIDTH, label};

/// The frame of a chart of lines with their names on the right.
pub(super) const HEIGHT: f64 = 300.0;
pub(super) const LEFT: f64 = 40.0;
pub(super) const NAMES: f64 = 110.0;
pub(super) const BOTTOM: f64 = 258.0;
pub(super) const TOP: f64 = 10.0;

/// The least distance between two names.
const NAME_HEIGHT: f64 = 15.0;
const NAME_LETTERS: usize = 10;

/// The end of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineEnd<'a> {
    /// The number of its colour, from 1.
    pub(super) colour: usize,
    pub(super) name: &'a str,
    /// Its place in the drawing.
    pub(super) at: [f64; 2],
}

/// The names at the ends of the lines, moved apart so that all can be read.
pub(super) fn names(ends: &[LineEnd<'_>]) -> Vec<Element> {
    let mut ends: Vec<LineEnd<'_>> = ends.to_vec();
    ends.sort_by(|a, b| a.at[1].total_cmp(&b.at[1]));
    let mut free = TOP;
    let mut places: Vec<f64> = Vec::new();
    for end in &ends {
        let place = end.at[1].max(free);
        free = place + NAME_HEIGHT;
        places.push(place);
    }
    let mut most = BOTTOM;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - NAME_HEIGHT;
    }
    let named = ends.iter().zip(places).flat_map(|(line, place)| {
        let ([from, end], colour) = (line.at, line.colour);
        let right = WIDTH - NAMES;
        // A line from the middle of the drawing to the name would look like a part of the course.
        let is_at_edge = from >= right - 0.5;
        let leader = is_at_edge.then(|| {
            let from = [right, end].map(Rounded);
            let to = [right + 10.0, place].map(Rounded);
            Element::new("polyline")
                .with("class", format!("leader c{colour}"))
                .with(
                    "points",
                    format!("{},{} {},{}", from[0], from[1], to[0], to[1]),
                )
        });
        let end = (!is_at_edge).then(|| {
            Element::new("circle")
                .with("class", format!("c{colour}"))
                .at("cx", from)
                .at("cy", end)
                .at("r", 3.5)
        });
        let key = Element::new("circle")
            .with("class", format!("c{colour}"))
            .at("cx", right + 10.0)
            .at("cy", place)
            .at("r", 3.5);
        let name = shortened(line.name, NAME_LETTERS);
        let name = label("start", [right + 17.0, place + 4.0], &name);
        leader.into_iter().chain(end).chain([key, name])
    });
    named.collect()
}
