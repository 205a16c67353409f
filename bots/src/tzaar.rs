//! What the built-in bots know of TZAAR beyond its rules.

mod evaluation;
mod hints;
mod placement;
mod sides;
mod weights;

pub use evaluation::TzaarEvaluation;
pub use weights::Weights;
