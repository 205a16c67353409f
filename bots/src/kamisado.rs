//! What the built-in bots know of Kamisado beyond its rules.

mod equity;
mod evaluation;
mod hints;
mod side;
mod weights;

pub use evaluation::KamisadoEvaluation;
pub use weights::Weights;
