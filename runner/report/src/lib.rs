//! The tables of a run: as text, Markdown, CSV, JSON, JUnit and HTML.

mod arena_tables;
mod calls;
mod csv;
mod divergence;
mod document;
mod elapsed;
mod figures;
mod forecast;
mod html;
mod json;
mod junit;
mod live_board;
mod live_clocks;
mod luck;
mod match_details;
mod overview;
mod plan;
mod playback;
mod plot;
mod programs;
mod repeated;
mod schedule;
mod scoreboard;
mod selection;
mod shortened;
mod strength;
mod table;
mod tables;
mod thinking;
mod thoughts;
mod typical_length;
mod usage;

pub use arena_tables::{ArenaTables, contender_label};
pub use csv::{csv, openings_csv};
pub use divergence::{Divergence, replayed};
pub use document::Document;
pub use figures::{EstimateFigures, SprtFigures};
pub use forecast::Forecast;
pub use html::{
    LIVE_ICON, LIVE_SCRIPT, LIVE_STYLE, MAX_LATEST_MATCHES, MAX_SHOWN_FAULTS, MAX_SHOWN_MATCHES,
    MatchPages, MatchSources, RunPhase, Sources, UNDER_WAY, UnderWay, arena_page, live_arena,
    live_matches, live_page, live_tables, match_page, report_page,
};
pub use json::JsonTables;
pub use junit::{MAX_LISTED_FAULTS, junit};
pub use live_board::{LiveBoard, LiveStep};
pub use luck::LuckFigures;
pub use match_details::{AllMatchDetails, MatchDetails};
pub use overview::Overview;
pub use plan::PlanFigures;
pub use playback::{Cause, Frame, MAX_FRAMES, Playback};
pub use programs::{ProgramTotal, programs_text};
pub use schedule::write_schedule;
pub use scoreboard::scoreboard;
pub use selection::{DEFAULT_PAGES, MAX_PAGES, PAGES_FOLDER, SelectedMatch, selected};
pub use strength::Strength;
pub use thinking::{MAX_TIMED_MATCHES, ThinkingLine, ThinkingTime};
pub use typical_length::{mean_longest_match, typical_decisions};
pub use usage::RunnerUsage;
