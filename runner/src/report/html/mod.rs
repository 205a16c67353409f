//! The report of a run as pages in HTML that need nothing else: no network, no other file.

mod crosstable;
mod decisions;
mod facts;
mod faults;
mod figures;
mod match_page;
mod matches;
mod page;
mod report_page;
mod standings;
mod table;

pub use faults::MAX_SHOWN_FAULTS;
pub use match_page::{MatchSources, match_page};
pub use matches::MAX_SHOWN_MATCHES;
pub use report_page::{MatchPages, Sources, report_page};
