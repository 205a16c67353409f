use std::collections::BTreeSet;

use super::markup::Element;
use super::picture::{DrawnBoard, Picture};

/// The colour of coordinates, readable on light and dark pages alike.
const COORDINATES: &str = "#77797f";

/// The reason why a position cannot be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CannotDraw {
    /// The position cannot be read.
    Position,
    /// The position before it cannot be read.
    Before,
}

/// A position as an SVG file of its own, without styles and scripts. Its label is the status of the game.
///
/// `before` is the position before the last action; what has changed since then is marked. Each [area] is an
/// invisible rectangle with its name in `data-area`.
///
/// # Errors
///
/// A position cannot be read.
///
/// [area]: super::Area
///
/// ```
/// use dragontooth_games_boards::{CannotDraw, board_of, drawing};
///
/// let board = board_of("linja").expect("a board of Linja");
/// let start = "6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6 r 1";
/// let svg = drawing(board, start, None).expect("a position");
/// assert!(svg.contains("Red: first move"));
/// assert_eq!(drawing(board, "7,1,1", None), Err(CannotDraw::Position));
/// ```
pub fn drawing(
    board: &dyn DrawnBoard,
    position: &str,
    before: Option<&str>,
) -> Result<String, CannotDraw> {
    let picture = board.picture(position).ok_or(CannotDraw::Position)?;
    let mut marks = Picture::default();
    if let Some(before) = before {
        let before = board.picture(before).ok_or(CannotDraw::Before)?;
        for cell in picture.changes(&before) {
            marks.note("mark", board.middle_of(cell));
        }
    }
    let pieces = marks.pieces.iter().chain(&picture.pieces);
    let used: BTreeSet<&str> = pieces.clone().map(|piece| &*piece.glyph).collect();
    let glyphs = board.glyphs().into_iter();
    let glyphs = glyphs.filter(|glyph| used.iter().any(|id| glyph.has_id(id)));
    let placed = pieces.map(|piece| {
        Element::new("use")
            .with("href", format_args!("#{}", piece.glyph))
            .at("x", piece.at[0])
            .at("y", piece.at[1])
    });
    let areas = board.areas().into_iter().map(|area| {
        Element::new("rect")
            .with("data-area", area.name)
            .at("x", area.at[0])
            .at("y", area.at[1])
            .at("width", area.size[0])
            .at("height", area.size[1])
    });
    let areas = Element::new("g")
        .with("fill", "none")
        .with("pointer-events", "all")
        .children(areas);
    let [width, height] = board.size();
    let svg = Element::new("svg")
        .with("xmlns", "http://www.w3.org/2000/svg")
        .with("viewBox", format_args!("0 0 {width:.0} {height:.0}"))
        .with("role", "img")
        .with("aria-label", &picture.status)
        .with("color", COORDINATES)
        .with("font-family", "system-ui, sans-serif")
        .with("font-weight", 600)
        .child(Element::new("defs").children(glyphs))
        .children(board.ground())
        .children(placed)
        .child(areas);
    Ok(svg.to_string())
}
