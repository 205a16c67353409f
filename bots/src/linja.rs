//! What the built-in bots know of Linja beyond its rules.

mod evaluation;
mod hints;
mod sides;
mod weights;

pub use evaluation::LinjaEvaluation;
pub use weights::Weights;
