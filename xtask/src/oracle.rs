//! Compares the rules of backgammon with programs that were written elsewhere.

mod gnubg;
mod gnubg_nn;
mod matches;
mod ours;

pub(crate) use gnubg::{compare_with_gnubg, find_gnubg};
pub(crate) use gnubg_nn::compare_with_gnubg_nn;
pub(crate) use matches::compare_matches;
