//! Rules against programs that no one here wrote.

mod gnubg;
mod gnubg_nn;
mod matches;
mod ours;
mod run;

pub(crate) use gnubg::compare_with_gnubg;
pub(crate) use gnubg_nn::compare_with_gnubg_nn;
pub(crate) use matches::compare_matches;
pub use run::run;
