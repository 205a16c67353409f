use std::collections::BTreeMap;
use std::fmt;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::supervise::{ProcessEnd, Restarter};

/// Default time for an engine to say hello.
pub const START_LIMIT: Duration = Duration::from_mins(1);

/// Receives the time at which a program was started and how it ended.
pub type NoteEnd = dyn Fn(SystemTime, &ProcessEnd) + Send + Sync;

/// The settings with which engines are started.
pub struct Launch {
    /// Makes the command of a supervisor that runs
    /// [`supervise_restarts`](crate::supervise::supervise_restarts) for the program.
    pub command: Box<dyn Fn() -> std::io::Result<Command> + Send + Sync>,
    /// Name and version of the program that starts the engine.
    pub bridge: String,
    /// Options for the engine.
    pub options: BTreeMap<String, String>,
    /// Seed that the engine may use in addition to the seed of each decision.
    pub seed: u64,
    /// Time for the engine to say hello.
    pub start_limit: Duration,
    /// Largest number of processes at the same time.
    pub processes_max: usize,
    /// True if each process plays one match only.
    pub restart: bool,
    /// Number of failures after which no process is started; `None` means no limit. A process that was killed because it
    /// did not stop is none.
    pub ends_max: Option<u32>,
    /// Writes a line for the engine's author.
    pub note: Box<dyn Fn(&str) + Send + Sync>,
    /// Writes a line that the engine sent as `info`.
    pub info: Box<dyn Fn(&str) + Send + Sync>,
    /// Called when a process has ended.
    pub on_end: Box<NoteEnd>,
    /// Supervisors without a program, ready to start one.
    pub idle: Mutex<Vec<Restarter>>,
}

impl Launch {
    pub(super) fn note(&self, text: &str) {
        (self.note)(text);
    }

    pub(super) fn info(&self, text: &str) {
        (self.info)(text);
    }

    pub(super) fn note_end(&self, started: SystemTime, end: &ProcessEnd) {
        (self.on_end)(started, end);
    }

    /// Returns a supervisor whose program has ended, for the next start.
    pub(super) fn give_back(&self, restarter: Restarter) {
        if restarter.is_gone() {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(restarter);
    }

    pub(super) fn idle_restarter(&self) -> Option<Restarter> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.pop()
    }
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("bridge", &self.bridge)
            .finish_non_exhaustive()
    }
}
