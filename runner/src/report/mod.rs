//! What people see: the progress of a run, and its tables as text and as Markdown.

mod csv;
mod document;
mod figures;
mod html;
mod json;
mod junit;
mod markup;
mod overview;
mod plan;
mod plot;
mod progress;
mod schedule;
mod sheet;
mod strength;
mod tables;

pub use csv::csv;
pub use document::Document;
pub use figures::{EstimateFigures, SprtFigures};
pub use html::{MAX_SHOWN_FAULTS, MAX_SHOWN_MATCHES, MatchPages, Sources, report_page};
pub use json::JsonTables;
pub use junit::{MAX_LISTED_FAULTS, junit};
pub use overview::Overview;
pub use plan::PlanFigures;
pub use progress::Progress;
pub use schedule::write_schedule;
pub use strength::Strength;
