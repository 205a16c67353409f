use dragontooth_games::linja::{Due, Position, Row};
use dragontooth_games::{Position as _, Seat};

use super::due::due;
use super::markup::Element;
use super::picture::{Area, DrawnBoard, Picture};
use super::shape::{coordinate, disc, glyph, line, rect, ring, stroked};

/// The eight rows between seven sticks, Red at the bottom.
pub(super) struct Linja;

const LEFT: f64 = 26.0;
const WIDTH: f64 = 352.0;
const ROW: f64 = 44.0;
/// The room of a side in a row.
const ROOM: f64 = 150.0;
const RADIUS: f64 = 13.0;
const PAINTS: [(&str, &str); 2] = [("#c93434", "#7d1414"), ("#232529", "#7d8087")];

impl DrawnBoard for Linja {
    fn size(&self) -> [f64; 2] {
        [LEFT + WIDTH + 4.0, 8.0 * ROW + 8.0]
    }

    fn sides(&self) -> [&'static str; 2] {
        ["Red", "Black"]
    }

    fn ground(&self) -> Vec<Element> {
        let mut shapes = vec![stroked(
            rect([LEFT, 4.0], [WIDTH, 8.0 * ROW], "#e9d9b6"),
            "#8a6d3b",
            1.0,
        )];
        shapes.extend((1..8_u8).map(|at| {
            let y = 4.0 + f64::from(at) * ROW;
            line([LEFT + 3.0, y], [LEFT + WIDTH - 3.0, y], "#8a5a2b", 5.0)
        }));
        shapes.extend(
            Row::all().map(|row| coordinate([LEFT / 2.0, middle(row)], &row.number().to_string())),
        );
        shapes
    }

    fn glyphs(&self) -> Vec<Element> {
        let mut glyphs: Vec<Element> = Seat::BOTH
            .iter()
            .map(|seat| {
                let (fill, edge) = PAINTS[seat.index()];
                let mut shapes = vec![stroked(disc([0.0; 2], RADIUS, fill), edge, 1.5)];
                // Red and Black look alike to some.
                if *seat == Seat::Second {
                    shapes.push(ring([0.0; 2], RADIUS / 2.0, "#d8dade", 2.0));
                }
                glyph(&format!("p{}", seat.index()), shapes)
            })
            .collect();
        let size = [WIDTH - 4.0, ROW - 8.0];
        let frame = rect([-size[0] / 2.0, -size[1] / 2.0], size, "#fff8");
        glyphs.push(glyph("mark", [frame]));
        glyphs
    }

    fn picture(&self, position: &str) -> Option<Picture> {
        let position: Position = position.parse().ok()?;
        let mut picture = Picture {
            status: status(&position),
            ..Picture::default()
        };
        for row in Row::all() {
            for seat in Seat::BOTH {
                let count = position.count(seat, row);
                for at in 0..count {
                    let from_edge = RADIUS + 6.0 + f64::from(at) * spacing(count);
                    let x = match seat {
                        Seat::First => LEFT + from_edge,
                        Seat::Second => LEFT + WIDTH - from_edge,
                    };
                    picture.put(format!("p{}", seat.index()), [x, middle(row)], row.number());
                }
            }
        }
        Some(picture)
    }

    fn middle_of(&self, cell: u8) -> [f64; 2] {
        let y = Row::new(cell).map_or(0.0, middle);
        [LEFT + WIDTH / 2.0, y]
    }

    fn areas(&self) -> Vec<Area> {
        let area = |row: Row| {
            let middle = [LEFT + WIDTH / 2.0, middle(row)];
            Area::around(row.number(), middle, [WIDTH, ROW])
        };
        Row::all().map(area).collect()
    }
}

fn status(position: &Position) -> String {
    let decision = |side| {
        let extra = if position.is_extra_turn() {
            " of an extra turn"
        } else {
            ""
        };
        match position.due() {
            Due::First => format!("{side}: first move{extra}"),
            Due::Second { steps } => format!("{side}: second move{extra}, {steps} rows"),
        }
    };
    due(position.turn(), Linja.sides(), decision)
}

/// The distance between `count` pieces of a side in a row.
fn spacing(count: u8) -> f64 {
    let gaps = f64::from(count.saturating_sub(1).max(1));
    ((ROOM - 2.0 * RADIUS) / gaps).min(2.0 * RADIUS + 2.0)
}

/// The height of the middle of a row.
fn middle(row: Row) -> f64 {
    4.0 + (7.5 - f64::from(row.number())) * ROW
}
