use dragontooth_games::backgammon::{BAR, CHECKERS, Due, Position};
use dragontooth_games::{Position as _, Seat, Turn};

use super::due::due;
use super::markup::Element;
use super::picture::{Area, DrawnBoard, Picture};
use super::shape::{coordinate, disc, glyph, letters, rect, stroked};

/// The board of twenty-four points, seat first at the bottom with its home on the right.
pub(super) struct Backgammon;

const POINT: f64 = 32.0;
const TRAY: f64 = 44.0;
const BAR_WIDTH: f64 = 36.0;
const TOP: f64 = 22.0;
const HEIGHT: f64 = 330.0;
const RADIUS: f64 = 14.0;
/// The height of a point, which its checkers share.
const REACH: f64 = 140.0;
const PAINTS: [(&str, &str); 2] = [("#f4efe2", "#7a6d4e"), ("#7a1f1f", "#3b0c0c")];
const INKS: [&str; 2] = ["#17181b", "#ffffff"];
/// The highest cube with its own glyph, in doublings.
const CUBES: u8 = 16;
/// The cell of the checkers that a side has borne off, and of those that the other has.
const OFF_CELLS: [u8; 2] = [26, 27];
/// The cells of the bar.
const BAR_CELLS: [u8; 2] = [25, 0];

impl DrawnBoard for Backgammon {
    fn size(&self) -> [f64; 2] {
        [right_edge() + TRAY + 2.0, 2.0 * TOP + HEIGHT]
    }

    fn sides(&self) -> [&'static str; 2] {
        ["White", "Red"]
    }

    fn ground(&self) -> Vec<Element> {
        let mut shapes = vec![
            stroked(
                rect([1.0, TOP], [TRAY - 2.0, HEIGHT], "#6b4a2f"),
                "#3d2916",
                1.0,
            ),
            stroked(
                rect([TRAY, TOP], [right_edge() - TRAY, HEIGHT], "#d9c7a0"),
                "#3d2916",
                2.0,
            ),
            rect(
                [bar_middle() - BAR_WIDTH / 2.0, TOP],
                [BAR_WIDTH, HEIGHT],
                "#6b4a2f",
            ),
            stroked(
                rect([right_edge() + 2.0, TOP], [TRAY - 2.0, HEIGHT], "#6b4a2f"),
                "#3d2916",
                1.0,
            ),
        ];
        for point in 1..=24 {
            shapes.push(triangle(point));
            let y = if point <= 12 {
                TOP + HEIGHT + 12.0
            } else {
                10.0
            };
            shapes.push(coordinate([column(point), y], &point.to_string()));
        }
        shapes
    }

    fn glyphs(&self) -> Vec<Element> {
        let half = [POINT - 2.0, HEIGHT / 2.0 - 12.0];
        let mark = rect([-half[0] / 2.0, -half[1] / 2.0], half, "#ffffff80");
        let mut glyphs = vec![glyph("mark", [mark])];
        for seat in Seat::BOTH {
            let (body, edge) = PAINTS[seat.index()];
            let side = seat.index();
            let checker = stroked(disc([0.0; 2], RADIUS, body), edge, 1.5);
            glyphs.push(glyph(&format!("c{side}"), [checker]));
            let ink = INKS[side];
            glyphs.extend((2..=CHECKERS).map(|count| {
                let text = letters([0.0; 2], 14.0, ink, &count.to_string());
                glyph(&format!("n{side}-{count}"), [text])
            }));
            glyphs.extend((1..=6).map(|pips| die(side, pips)));
        }
        glyphs.extend((0..=CUBES).map(|doublings| {
            // The cube lies with 64 up before it is turned.
            let value = if doublings == 0 {
                64
            } else {
                1_u32 << doublings
            };
            let text = value.to_string();
            let size = if text.len() > 3 { 10.0 } else { 15.0 };
            glyph(
                &format!("q{doublings}"),
                [
                    stroked(rect([-16.0; 2], [32.0; 2], "#fbfbf8"), "#17181b", 1.5).at("rx", 5.0),
                    letters([0.0; 2], size, "#17181b", &text),
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
        for seat in Seat::BOTH {
            for place in 1..BAR {
                let count = position.board().at(seat, place);
                let point = match seat {
                    Seat::First => place,
                    Seat::Second => BAR - place,
                };
                stack(&mut picture, seat, count, column(point), point <= 12, point);
            }
            let bar = position.board().at(seat, BAR);
            let bar_cell = BAR_CELLS[seat.index()];
            stack(
                &mut picture,
                seat,
                bar,
                bar_middle(),
                seat == Seat::Second,
                bar_cell,
            );
            let off = position.board().at(seat, 0);
            let tray = right_edge() + 1.0 + TRAY / 2.0;
            stack(
                &mut picture,
                seat,
                off,
                tray,
                seat == Seat::First,
                OFF_CELLS[seat.index()],
            );
        }
        cube(&mut picture, &position);
        if let Due::Moves(dice) = position.due() {
            let mover = position.mover().unwrap_or(Seat::First);
            let middle = match mover {
                Seat::First => bar_middle() + BAR_WIDTH / 2.0 + 3.0 * POINT,
                Seat::Second => TRAY + 3.0 * POINT,
            };
            for (shift, pips) in [(-18.0, dice.first()), (18.0, dice.second())] {
                let at = [middle + shift, TOP + HEIGHT / 2.0];
                picture.note(format!("d{}-{pips}", mover.index()), at);
            }
        }
        Some(picture)
    }

    fn middle_of(&self, cell: u8) -> [f64; 2] {
        let x = match cell {
            1..=24 => column(cell),
            26 | 27 => right_edge() + 1.0 + TRAY / 2.0,
            _ => bar_middle(),
        };
        let is_below = matches!(cell, 0..=12 | 26);
        let from_middle = HEIGHT / 4.0;
        let y = TOP + HEIGHT / 2.0 + if is_below { from_middle } else { -from_middle };
        [x, y]
    }

    fn areas(&self) -> Vec<Area> {
        let half = HEIGHT / 2.0;
        let area = |cell: u8, name: String, width: f64| {
            Area::around(name, self.middle_of(cell), [width, half])
        };
        let points = (1..=24).map(|point| area(point, point.to_string(), POINT));
        let sides = Seat::BOTH.into_iter().flat_map(|seat| {
            let number = seat.index() + 1;
            [
                area(BAR_CELLS[seat.index()], format!("bar{number}"), BAR_WIDTH),
                area(OFF_CELLS[seat.index()], format!("off{number}"), TRAY),
            ]
        });
        points.chain(sides).collect()
    }
}

/// Puts checkers onto a point, from the edge of the board to its middle.
fn stack(picture: &mut Picture, seat: Seat, count: u8, x: f64, is_below: bool, cell: u8) {
    let gaps = f64::from(count.saturating_sub(1).max(1));
    let step = ((REACH - 2.0 * RADIUS) / gaps).min(2.0 * RADIUS);
    let mut last = [x, 0.0];
    for at in 0..count {
        let up = RADIUS + 2.0 + f64::from(at) * step;
        let y = if is_below {
            TOP + HEIGHT - up
        } else {
            TOP + up
        };
        last = [x, y];
        picture.put(format!("c{}", seat.index()), last, cell);
    }
    if count > 5 {
        picture.put(format!("n{}-{count}", seat.index()), last, cell);
    }
}

fn cube(picture: &mut Picture, position: &Position) {
    let cube = position.cube();
    let middle = TOP + HEIGHT / 2.0;
    let y = match cube.owner() {
        None => middle,
        Some(Seat::First) => TOP + HEIGHT - 20.0,
        Some(Seat::Second) => TOP + 20.0,
    };
    let glyph = format!("q{}", cube.doublings().min(CUBES));
    if position.is_crawford() {
        return;
    }
    picture.note(glyph, [TRAY / 2.0, y]);
}

fn status(position: &Position) -> String {
    let side = |seat: Seat| Backgammon.sides()[seat.index()];
    let mover = position.mover().map_or("neither side", side);
    let other = position
        .mover()
        .map_or("neither side", |seat| side(seat.other()));
    let decision = match position.due() {
        Due::OpeningRoll => "each side rolls a die".to_owned(),
        Due::Roll => format!("{mover} rolls"),
        Due::RollOrDouble => format!("{mover} rolls or doubles"),
        Due::TakeOrDrop => format!("{mover} doubles; {other} takes or drops"),
        Due::Moves(dice) => format!("{mover} plays {dice}"),
        Due::Answer(offer) => format!(
            "a resignation of {} times the cube is offered",
            offer.times()
        ),
        Due::Nothing => String::new(),
    };
    let due = match position.turn() {
        // The dice are part of the position, so they are shown too.
        Turn::Chance => decision,
        turn @ (Turn::Over(_) | Turn::Pass(_) | Turn::Decide(_)) => {
            due(turn, Backgammon.sides(), |_| decision)
        }
    };
    let pips = Seat::BOTH.map(|seat| format!("{} {}", side(seat), position.board().pips(seat)));
    let crawford = if position.is_crawford() {
        "; Crawford game"
    } else {
        ""
    };
    format!("{due}; pips: {}{crawford}", pips.join(", "))
}

fn triangle(point: u8) -> Element {
    let x = column(point);
    let (base, tip) = if point <= 12 {
        (TOP + HEIGHT, TOP + HEIGHT - REACH)
    } else {
        (TOP, TOP + REACH)
    };
    let half = POINT / 2.0 - 1.0;
    let fill = if point.is_multiple_of(2) {
        "#b98a52"
    } else {
        "#8a5f3a"
    };
    Element::new("polygon")
        .with(
            "points",
            format!("{:.1},{base} {:.1},{base} {x:.1},{tip}", x - half, x + half),
        )
        .with("fill", fill)
}

fn die(side: usize, pips: u8) -> Element {
    let (body, edge) = PAINTS[side];
    let ink = INKS[side];
    let far = 8.0;
    let places: &[[f64; 2]] = match pips {
        1 => &[[0.0, 0.0]],
        2 => &[[-far, -far], [far, far]],
        3 => &[[-far, -far], [0.0, 0.0], [far, far]],
        4 => &[[-far, -far], [far, -far], [-far, far], [far, far]],
        5 => &[
            [-far, -far],
            [far, -far],
            [0.0, 0.0],
            [-far, far],
            [far, far],
        ],
        _ => &[
            [-far, -far],
            [far, -far],
            [-far, 0.0],
            [far, 0.0],
            [-far, far],
            [far, far],
        ],
    };
    let face = stroked(rect([-15.0; 2], [30.0; 2], body), edge, 1.5).at("rx", 5.0);
    let dots = places.iter().map(|at| disc(*at, 2.8, ink));
    glyph(&format!("d{side}-{pips}"), [face].into_iter().chain(dots))
}

/// The middle of a point, as seat first counts them.
fn column(point: u8) -> f64 {
    let at = |from: f64, place: u8| from + (f64::from(place) + 0.5) * POINT;
    let right = bar_middle() + BAR_WIDTH / 2.0;
    match point {
        1..=6 => at(right, 6 - point),
        7..=12 => at(TRAY, 12 - point),
        13..=18 => at(TRAY, point - 13),
        _ => at(right, point.saturating_sub(19)),
    }
}

const fn bar_middle() -> f64 {
    TRAY + 6.0 * POINT + BAR_WIDTH / 2.0
}

const fn right_edge() -> f64 {
    TRAY + 12.0 * POINT + BAR_WIDTH
}
