//! The file that describes an event, checked whole: see `docs/runner/event-file.md`.

mod bot;
mod error;
mod event;
mod field;
mod file;
mod findings;
mod format;
mod limits;
mod merge;
mod program;
mod section;
mod service;
mod sources;
mod time_control;
mod token;

pub use bot::{BotConfig, Player};
pub use error::{ConfigError, Problem};
pub use event::{DEFAULT_SEED, DEFAULT_TARGET, MAX_CONCURRENCY};
pub use file::Config;
pub use format::{
    DEFAULT_CYCLES, DEFAULT_ERROR_RATE, DEFAULT_EXTRA_ENCOUNTERS, FORMATS, MAX_ENCOUNTERS,
};
pub use limits::{
    DEFAULT_ILLEGAL_ACTIONS, DEFAULT_REPLAYS, Limits, MAX_ILLEGAL_ACTIONS, MAX_REPLAYS,
    StartFailure,
};
pub use service::{Remote, ServiceConfig};
pub use sources::{MAX_CONFIG_BYTES, MAX_EXTENDED};
pub use time_control::MAX_DURATION_MS;
pub use token::{NoToken, TokenSource};
