use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The line that asks a supervisor to end its program: it sends SIGTERM, and after the grace time it kills
/// the program and everything it started. If its input is closed, because the runner is gone, it kills
/// them at once.
pub const END: &str = "end";

/// A report of a supervisor: a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SupervisorReport {
    /// The program is running; the number is the id of its process and of its process group.
    Started(i32),
    /// The program cannot be started, for this reason.
    NotStarted(String),
    /// The program has ended, and nothing that it started is left.
    Ended {
        /// The exit status, for people.
        status: String,
        /// The limit that it exceeded and was killed for, for people.
        exceeded: Option<String>,
        /// The resources that it used.
        usage: Usage,
        /// Time from its start to its end, in milliseconds.
        ran_ms: u64,
    },
}

/// The resources that a program and everything it started used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Processor time of all its processes together, in milliseconds.
    pub cpu_ms: u64,
    /// Peak memory of all its processes together, in KiB. It is measured several times a second, so
    /// shorter peaks are missed.
    pub peak_kib: u64,
}

/// The end of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessEnd {
    /// The exit status, for people.
    pub status: String,
    /// The limit that it exceeded, for people.
    pub exceeded: Option<String>,
    /// The resources that it used.
    pub usage: Usage,
    /// Time from its start to its end.
    pub ran: Duration,
}

impl SupervisorReport {
    /// Returns the report as a line, without the line feed.
    #[must_use]
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("numbers and texts can all be written")
    }

    /// Reads a line; `None` if it is not a report.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    /// Returns the end that [`SupervisorReport::Ended`] reports; `None` for other reports.
    #[must_use]
    pub fn into_end(self) -> Option<ProcessEnd> {
        match self {
            Self::Ended {
                status,
                exceeded,
                usage,
                ran_ms,
            } => Some(ProcessEnd {
                status,
                exceeded,
                usage,
                ran: Duration::from_millis(ran_ms),
            }),
            Self::Started(_) | Self::NotStarted(_) => None,
        }
    }
}
