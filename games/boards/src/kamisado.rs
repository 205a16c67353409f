use dragontooth_games::kamisado::{Colour, Demand, Position, Square};
use dragontooth_games::{Position as _, Seat, Turn};

use super::due::due;
use super::markup::Element;
use super::picture::{Area, DrawnBoard, Picture};
use super::shape::{coordinate, disc, glyph, letters, rect, ring, stroked};

/// The board of eight times eight coloured squares, Black at the bottom.
pub(super) struct Kamisado;

const CELL: f64 = 46.0;
const MARGIN: f64 = 22.0;
const BODIES: [(&str, &str); 2] = [("#17181b", "#000"), ("#fbfbf8", "#55575c")];

impl DrawnBoard for Kamisado {
    fn size(&self) -> [f64; 2] {
        [MARGIN + 8.0 * CELL + 4.0; 2]
    }

    fn sides(&self) -> [&'static str; 2] {
        ["Black", "White"]
    }

    fn ground(&self) -> Vec<Element> {
        let squares = Square::all().flat_map(|square| {
            let [x, y] = middle(square);
            let corner = [x - CELL / 2.0, y - CELL / 2.0];
            let colour = square.colour();
            let letter = colour.letter().to_string();
            [
                stroked(rect(corner, [CELL; 2], paint(colour)), "#0003", 1.0),
                // Colours alone are not enough for everyone.
                letters(
                    [corner[0] + 6.0, corner[1] + 6.0],
                    8.0,
                    ink(colour),
                    &letter,
                ),
            ]
        });
        let ranks = (0..8_u8).map(|at| {
            let [_, y] = place(0, at);
            coordinate([MARGIN / 2.0, y], &(at + 1).to_string())
        });
        let files = ('a'..='h').zip(0..8_u8).map(|(name, at)| {
            let [x, _] = place(at, 0);
            coordinate([x, 4.0 + 8.0 * CELL + MARGIN / 2.0], &name.to_string())
        });
        squares.chain(ranks).chain(files).collect()
    }

    fn glyphs(&self) -> Vec<Element> {
        let mut glyphs = vec![
            glyph(
                "mark",
                [
                    frame(CELL - 5.0, "#fff", 3.0),
                    frame(CELL - 1.0, "#000", 1.0),
                ],
            ),
            glyph(
                "due",
                [
                    ring([0.0; 2], 21.0, "#fff", 2.0),
                    ring([0.0; 2], 19.5, "#000", 1.0),
                ],
            ),
        ];
        for seat in Seat::BOTH {
            for colour in Colour::ALL {
                glyphs.push(tower(seat, colour));
            }
            let (body, edge) = BODIES[seat.other().index()];
            glyphs.extend((1..=3_u8).map(|teeth| {
                let dots = (0..teeth).map(|at| {
                    let x = f64::from(at) * 8.0 - f64::from(teeth - 1) * 4.0;
                    stroked(disc([x, 14.5], 3.0, body), edge, 0.8)
                });
                glyph(&format!("t{}{teeth}", seat.index()), dots)
            }));
        }
        glyphs
    }

    fn picture(&self, position: &str) -> Option<Picture> {
        let position: Position = position.parse().ok()?;
        let mut picture = Picture {
            status: status(&position),
            ..Picture::default()
        };
        let due = match (position.turn(), position.demand()) {
            (Turn::Decide(seat), Demand::Tower(colour)) => Some((seat, colour)),
            _ => None,
        };
        for tower in position.towers() {
            let at = middle(tower.square);
            let cell = u8::try_from(tower.square.index()).unwrap_or(u8::MAX);
            let seat = tower.seat.index();
            picture.put(format!("k{seat}{}", tower.colour.letter()), at, cell);
            if tower.rank.teeth() > 0 {
                picture.put(format!("t{seat}{}", tower.rank.teeth()), at, cell);
            }
            if due == Some((tower.seat, tower.colour)) {
                picture.note("due", at);
            }
        }
        Some(picture)
    }

    fn middle_of(&self, cell: u8) -> [f64; 2] {
        Square::from_index(cell).map_or([0.0; 2], middle)
    }

    fn areas(&self) -> Vec<Area> {
        let area = |square| Area::around(square, middle(square), [CELL; 2]);
        Square::all().map(area).collect()
    }
}

/// A square with nothing in it, whose outline has its middle `side` apart.
fn frame(side: f64, stroke: &str, width: f64) -> Element {
    let square = rect([-side / 2.0; 2], [side; 2], "none");
    stroked(square, stroke, width)
}

fn tower(seat: Seat, colour: Colour) -> Element {
    let (body, edge) = BODIES[seat.index()];
    let letter = colour.letter();
    glyph(
        &format!("k{}{letter}", seat.index()),
        [
            stroked(disc([0.0; 2], 18.0, body), edge, 1.2),
            disc([0.0, -2.0], 11.0, paint(colour)),
            letters([0.0, -2.0], 12.0, ink(colour), &letter.to_string()),
        ],
    )
}

fn status(position: &Position) -> String {
    let decision = |side| match position.demand() {
        Demand::Tower(colour) => format!("{side} moves the {colour} tower"),
        Demand::Any => format!("{side} moves any tower"),
        Demand::Refill => format!("{side} chooses the refill"),
    };
    due(position.turn(), Kamisado.sides(), decision)
}

fn middle(square: Square) -> [f64; 2] {
    place(square.file(), square.rank())
}

/// The middle of a square on a file and a rank, from 0.
fn place(file: u8, rank: u8) -> [f64; 2] {
    let along = |at: u8| (f64::from(at) + 0.5) * CELL;
    [MARGIN + along(file), 4.0 + along(7 - rank)]
}

const fn paint(colour: Colour) -> &'static str {
    match colour {
        Colour::Brown => "#7b4a2a",
        Colour::Green => "#1d8f50",
        Colour::Red => "#cf3535",
        Colour::Yellow => "#efc92d",
        Colour::Pink => "#ef8fb9",
        Colour::Purple => "#7647ab",
        Colour::Blue => "#2c6bc9",
        Colour::Orange => "#ef8a26",
    }
}

/// The colour of letters on a colour.
const fn ink(colour: Colour) -> &'static str {
    match colour {
        Colour::Yellow | Colour::Pink | Colour::Orange => "#17181b",
        Colour::Brown | Colour::Green | Colour::Red | Colour::Purple | Colour::Blue => "#fff",
    }
}
