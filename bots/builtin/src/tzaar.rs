//! Evaluation of TZAAR positions for the built-in bots.

mod evaluation;
mod hints;
mod placement;
mod sides;
mod weights;

pub use evaluation::TzaarEvaluation;
pub use weights::Weights;
