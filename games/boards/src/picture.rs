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
