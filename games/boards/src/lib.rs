//! Draws positions of the games as SVG.
//!
//! A board is drawn once, and each position is a list of pieces with coordinates, so that a page can step
//! through a whole match. Positions are read from their notation.

mod backgammon;
mod drawing;
mod due;
mod game;
mod kamisado;
mod linja;
mod markup;
mod picture;
mod shape;
mod tzaar;

pub use drawing::{CannotDraw, drawing};
pub use game::board_of;
pub use markup::{Element, Rounded};
pub use picture::{Area, DrawnBoard, Picture, Piece};
