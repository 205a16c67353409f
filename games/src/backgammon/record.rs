//! Match records that other programs read: Jellyfish's `.mat` and SGF.
//!
//! In both, seat first is the first player: the left column of a `.mat`, White in SGF.

mod game_replay;
mod mat;
mod sgf;

pub use mat::{MAT, MAT_BYTES_MAX};
pub use sgf::SGF;
