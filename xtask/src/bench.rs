//! The project's table of figures: ratios of what its benches measure, over several rounds.

mod bencher;
mod figures;
mod options;
mod packages;
mod part;
mod ratio;
mod run;
mod uci;
mod wildbg;

pub use run::run;
pub(crate) use run::run_quickly;
