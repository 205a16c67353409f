use std::fmt::Display;

use super::markup::Element;

/// A board on which positions are drawn.
pub trait DrawnBoard: Sync {
    /// Its width and height.
    fn size(&self) -> [f64; 2];

    /// The names of the sides: first the side of the first seat in the game's positions, then the
    /// other.
    fn sides(&self) -> [&'static str; 2];

    /// The board with nothing on it.
    fn ground(&self) -> Vec<Element>;

    /// The pieces and marks that can be on the board, each a group with an id, drawn around the origin.
    fn glyphs(&self) -> Vec<Element>;

    /// The pieces of a position; `None` if the position cannot be read.
    fn picture(&self, position: &str) -> Option<Picture>;

    /// The place of the glyph `mark` for a cell that has changed.
    fn middle_of(&self, cell: u8) -> [f64; 2];

    /// The areas of the board that an action can name.
    fn areas(&self) -> Vec<Area>;
}

/// An area of a board, for pages on which it can be pointed at.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    /// Its name in the notation of actions. In Backgammon points are numbered as the first seat counts them, and
    /// bar and tray have the number of the seat behind their name: `bar1`, `off2`.
    pub name: String,
    /// The left upper corner.
    pub at: [f64; 2],
    /// The width and height.
    pub size: [f64; 2],
}

impl Area {
    /// An area of this size around a place.
    pub(super) fn around(name: impl Display, middle: [f64; 2], size: [f64; 2]) -> Self {
        Self {
            name: name.to_string(),
            at: [middle[0] - size[0] / 2.0, middle[1] - size[1] / 2.0],
            size,
        }
    }
}

/// The pieces on a board.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// The pieces, in the order in which they are drawn.
    pub pieces: Vec<Piece>,
    /// The status, in words.
    pub status: String,
}

/// Something on a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The id of its glyph.
    pub glyph: String,
    /// The place in the picture.
    pub at: [f64; 2],
    /// The cell it belongs to; `None` if it does not take part in moves.
    pub cell: Option<u8>,
}

impl Picture {
    /// Puts a piece into a cell.
    pub(super) fn put(&mut self, glyph: impl Into<String>, at: [f64; 2], cell: u8) {
        self.pieces.push(Piece {
            glyph: glyph.into(),
            at,
            cell: Some(cell),
        });
    }

    /// Puts something beside the pieces.
    pub fn note(&mut self, glyph: impl Into<String>, at: [f64; 2]) {
        self.pieces.push(Piece {
            glyph: glyph.into(),
            at,
            cell: None,
        });
    }

    /// The cells that have something else in `self` than in `before`, in order.
    #[must_use]
    pub fn changes(&self, before: &Self) -> Vec<u8> {
        let cells = self.pieces.iter().chain(&before.pieces);
        let mut cells: Vec<u8> = cells.filter_map(|piece| piece.cell).collect();
        cells.sort_unstable();
        cells.dedup();
        let content = |picture: &Self, cell| {
            let there = picture.pieces.iter().filter(move |p| p.cell == Some(cell));
            let mut glyphs: Vec<String> = there.map(|piece| piece.glyph.clone()).collect();
            glyphs.sort_unstable();
            glyphs
        };
        cells.retain(|cell| content(self, *cell) != content(before, *cell));
        cells
    }
}
