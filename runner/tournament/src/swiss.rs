//! The Swiss system: the Dutch one of FIDE (Handbook C.04.3, in force from February 2026), without
//! the rules about colours, because in an encounter both bots have both seats.

mod bracket;
mod entrant;
mod matching;
mod pairing;
mod table;
mod weights;

pub use entrant::{Entrant, Float};
pub use pairing::{SwissRound, swiss_round};
pub(super) use table::SwissTable;
