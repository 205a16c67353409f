//! Evaluation of Kamisado positions for the built-in bots.

mod equity;
mod evaluation;
mod hints;
mod side;
mod weights;

pub use evaluation::KamisadoEvaluation;
pub use weights::Weights;
