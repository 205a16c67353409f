use super::markup::Element;

/// A board on which positions are drawn.
pub trait Board: Sync {
    /// Its width and height.
    fn size(&self) -> [f64; 2];

    /// What the sides are called: the one of seat first in the game's positions, then the other.
    fn sides(&self) -> [&'static str; 2];

    /// The board with nothing on it.
    fn ground(&self) -> Vec<Element>;

    /// All that may stand on it, each a group with an id, drawn around the origin.
    fn glyphs(&self) -> Vec<Element>;

    /// What stands on it in a position; none if the position cannot be read.
    fn picture(&self, position: &str) -> Option<Picture>;

    /// Where the glyph `mark` stands that marks a cell in which something has changed.
    fn middle_of(&self, cell: u8) -> [f64; 2];
}

/// What stands on a board.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// The pieces, in the order in which they are drawn.
    pub pieces: Vec<Piece>,
    /// What is due, in words.
    pub status: String,
}

/// Something on a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The id of its glyph.
    pub glyph: String,
    /// Where it is.
    pub at: [f64; 2],
    /// The cell of the board to which it belongs; none if it is no part of what moves.
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
