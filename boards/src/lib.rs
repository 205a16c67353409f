//! How the positions of the games are drawn.
//!
//! A board is drawn once, and every position is a list of pieces with places on it, so that a page
//! can go through a whole match. What a game's position says is read from its notation, as anyone
//! outside does.

mod backgammon;
mod due;
mod game;
mod kamisado;
mod linja;
mod markup;
mod picture;
mod shape;
mod tzaar;

pub use game::board_of;
pub use markup::{Element, Rounded};
pub use picture::{Board, Picture, Piece};
