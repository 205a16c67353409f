use dragontooth_games::tzaar::{Due, Kind, Point, Position};
use dragontooth_games::{Position as _, Seat};

use super::due::due;
use super::markup::Element;
use super::picture::{Area, DrawnBoard, Picture};
use super::shape::{coordinate, disc, glyph, letters, line, ring, stroked};

/// The hexagon of sixty points around a hole.
pub(super) struct Tzaar;

/// The distance of neighbouring points.
const STEP: f64 = 46.0;
/// The distance of neighbouring files.
const FILE: f64 = 39.8;
const MARGIN: f64 = 36.0;
const RADIUS: f64 = 18.0;
const PAINTS: [(&str, &str); 2] = [("#f6f1e3", "#6f6549"), ("#26272b", "#000")];
const INKS: [&str; 2] = ["#5b4a1f", "#e7dfc8"];
/// The greatest height that a stack can have.
const HEIGHT_MAX: u8 = 30;

impl DrawnBoard for Tzaar {
    fn size(&self) -> [f64; 2] {
        [2.0 * MARGIN + 8.0 * FILE, 2.0 * MARGIN + 8.0 * STEP]
    }

    fn sides(&self) -> [&'static str; 2] {
        ["White", "Black"]
    }

    fn ground(&self) -> Vec<Element> {
        let corners = [(0, 0), (0, 4), (4, 8), (8, 4), (8, 0), (4, 0)];
        let outline = corners.map(|(file, rank)| {
            let [x, y] = place(file, rank);
            let [middle_x, middle_y] = place(4, 4);
            let away = |at: f64, middle: f64| middle + (at - middle) * 1.12;
            format!("{:.1},{:.1}", away(x, middle_x), away(y, middle_y))
        });
        let outline = Element::new("polygon")
            .with("points", outline.join(" "))
            .with("fill", "#c9b991");
        let mut shapes = vec![stroked(outline, "#8d7b4d", 1.0)];
        let points: Vec<Point> = Point::all().collect();
        for (at, one) in points.iter().enumerate() {
            for other in &points[at + 1..] {
                let [from, to] = [*one, *other].map(middle);
                if (from[0] - to[0]).hypot(from[1] - to[1]) < STEP * 1.1 {
                    shapes.push(line(from, to, "#8d7b4d", 1.5));
                }
            }
        }
        shapes.extend(('a'..='i').zip(0..9_u8).map(|(name, file)| {
            let [x, y] = place(file, 0);
            coordinate([x, y + STEP * 0.57], &name.to_string())
        }));
        shapes
    }

    fn glyphs(&self) -> Vec<Element> {
        let mut glyphs = vec![glyph("mark", [ring([0.0; 2], 21.0, "#1f66c1", 4.0)])];
        for seat in Seat::BOTH {
            let (body, edge) = PAINTS[seat.index()];
            let ink = INKS[seat.index()];
            for kind in Kind::ALL {
                let mut shapes = vec![stroked(disc([0.0; 2], RADIUS, body), edge, 1.2)];
                shapes.extend(match kind {
                    Kind::Tott => vec![],
                    Kind::Tzarra => vec![disc([0.0; 2], 5.5, ink)],
                    Kind::Tzaar => vec![ring([0.0; 2], 11.5, ink, 3.0), disc([0.0; 2], 5.5, ink)],
                });
                glyphs.push(glyph(&unit(seat, kind), shapes));
            }
        }
        glyphs.extend((2..=HEIGHT_MAX).map(|height| {
            glyph(
                &format!("n{height}"),
                [
                    stroked(disc([12.0, 12.0], 8.5, "#1f66c1"), "#fff", 1.2),
                    letters([12.0, 12.0], 11.0, "#fff", &height.to_string()),
                ],
            )
        }));
        glyphs
    }

    fn picture(&self, position: &str) -> Option<Picture> {
        let position: Position = position.parse().ok()?;
        let mut picture = Picture {
            status: status(&position),
            ..Picture::default()
        };
        for point in Point::all() {
            let Some(there) = position.unit(point) else {
                continue;
            };
            let at = middle(point);
            let cell = u8::try_from(point.index()).unwrap_or(u8::MAX);
            picture.put(unit(there.seat, there.kind), at, cell);
            if there.height > 1 {
                picture.put(format!("n{}", there.height.min(HEIGHT_MAX)), at, cell);
            }
        }
        Some(picture)
    }

    fn middle_of(&self, cell: u8) -> [f64; 2] {
        Point::from_index(cell).map_or([0.0; 2], middle)
    }

    fn areas(&self) -> Vec<Area> {
        let area = |point| Area::around(point, middle(point), [2.0 * RADIUS; 2]);
        Point::all().map(area).collect()
    }
}

fn status(position: &Position) -> String {
    let sides = Tzaar.sides();
    let left = Seat::BOTH.map(|seat| {
        let counts = Kind::ALL.map(|kind| position.units_of(seat, kind).into_iter().count());
        let side = sides[seat.index()];
        format!("{side} {}-{}-{}", counts[0], counts[1], counts[2])
    });
    let decision = |side| {
        let what = match position.due() {
            Due::Placement => "places a piece",
            Due::Opening => "makes the opening capture",
            Due::First => "captures",
            Due::Second => "captures, stacks or passes",
        };
        format!("{side} {what}")
    };
    let due = due(position.turn(), sides, decision);
    format!("{due}; Tzaars, Tzarras and Totts: {}", left.join(", "))
}

fn unit(seat: Seat, kind: Kind) -> String {
    format!("u{}{}", seat.index(), kind.letter())
}

fn middle(point: Point) -> [f64; 2] {
    place(point.file(), point.rank())
}

/// Returns the place of the point on a file and a rank, from 0.
fn place(file: u8, rank: u8) -> [f64; 2] {
    let from_middle = f64::from(file.abs_diff(4));
    [
        MARGIN + f64::from(file) * FILE,
        MARGIN + (8.0 - from_middle / 2.0 - f64::from(rank)) * STEP,
    ]
}
