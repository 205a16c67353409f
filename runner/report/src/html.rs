//! The report of a run as pages in HTML that need nothing else: no network, no other file.

mod arena_page;
mod bracket;
mod calls;
mod crosstable;
mod decisions;
mod facts;
mod faults;
mod figures;
mod html_table;
mod live_page;
mod luck;
mod match_page;
mod match_pages;
mod matches;
mod page;
mod report_page;
mod sources;
mod standings;

pub use arena_page::{arena_page, live_arena};
pub use faults::MAX_SHOWN_FAULTS;
pub use live_page::{
    LIVE_ICON, LIVE_SCRIPT, LIVE_STYLE, RunPhase, UNDER_WAY, UnderWay, live_matches, live_page,
    live_tables,
};
pub use match_page::{MatchSources, match_page};
pub use match_pages::MatchPages;
pub use matches::{MAX_LATEST_MATCHES, MAX_SHOWN_MATCHES};
pub use report_page::report_page;
pub use sources::Sources;
