//! What people see: the progress of a run, and its tables as text and as Markdown.

mod document;
mod progress;
mod schedule;
mod sheet;
mod tables;

pub use document::Document;
pub use progress::Progress;
pub use schedule::write_schedule;
