//! The file that describes an event, checked whole: see `docs/runner/event-file.md`.

mod adjudicate;
mod bot;
mod error;
mod event;
mod field;
mod findings;
mod format;
mod merge;
mod opening_choice;
mod program;
mod run_config;
mod run_limits;
mod section;
mod service;
mod sources;
mod time_control;
mod token;

pub use adjudicate::DEFAULT_AUDIT;
pub use bot::{BotConfig, Player};
pub use error::{ConfigError, Problem};
pub use event::{DEFAULT_MAX_CUBE, DEFAULT_SEED, DEFAULT_TARGET, HIGHEST_CUBE, MAX_CONCURRENCY};
pub use format::{
    DEFAULT_CYCLES, DEFAULT_ERROR_RATE, DEFAULT_EXTRA_ENCOUNTERS, FORMATS, MAX_ENCOUNTERS,
    MAX_PARK_AFTER,
};
pub use run_config::RunConfig;
pub use run_limits::{
    DEFAULT_ILLEGAL_ACTIONS, DEFAULT_REPLAYS, MAX_REPLAYS, RunLimits, StartFailure,
};
pub use service::{Remote, ServiceConfig};
pub use sources::{MAX_CONFIG_BYTES, MAX_EXTENDED};
pub use time_control::MAX_DURATION_MS;
pub use token::{NoToken, TokenSource};
