//! The reports in a run directory: `report.md`, `report.html` and the pages of matches, which follow from the
//! other files. [`publish`] writes them; `verify` renders them again and compares.

mod arena_export;
mod covered;
mod error;
mod luck;
mod past_run;
mod render;
mod reports_lock;

pub use arena_export::export_pgn;
pub use covered::Covered;
pub use error::ReportError;
pub use luck::{MAX_UNASKED_LUCK_ACTIONS, UnknownLuck, luck_figures};
pub use past_run::PastRun;
pub use render::{PAGE, TABLES, publish, publish_missing, read_thinking, render_page, write_file};
pub use reports_lock::ReportsLock;
