//! Evaluation of Linja positions for the built-in bots.

mod evaluation;
mod hints;
mod sides;
mod weights;

pub use evaluation::LinjaEvaluation;
pub use weights::Weights;
