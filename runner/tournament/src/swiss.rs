//! The Swiss system: FIDE's Dutch system (Handbook C.04.3, in force from February 2026) without its
//! colour rules, because an encounter swaps the seats.

mod bracket;
mod entrant;
mod matching;
mod pairing;
mod table;
mod weights;

pub use entrant::{Entrant, Float};
pub use pairing::{SwissRound, swiss_round};
pub(super) use table::SwissTable;
