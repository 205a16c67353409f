//! What people see: the progress of a run, and its tables as text and as Markdown.

mod document;
mod figures;
mod plan;
mod progress;
mod schedule;
mod sheet;
mod strength;
mod tables;

pub use document::Document;
pub use figures::{EstimateFigures, SprtFigures};
pub use plan::PlanFigures;
pub use progress::Progress;
pub use schedule::write_schedule;
pub use strength::Strength;
