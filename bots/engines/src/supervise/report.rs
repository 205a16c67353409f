use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::End;

/// The line by which the runner has a program ended: it is asked to, and after a time of grace it
/// and all that it has started are killed. When the supervisor can read no more, because the runner
/// is gone, they are killed at once.
pub const END: &str = "end";

/// A line of JSON that a supervisor writes to the runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// The program runs; the number is that of its process and of its group.
    Started(i32),
    /// The program cannot be started, for this reason.
    NotStarted(String),
    /// The program has ended, and nothing of what it has started is left.
    Ended {
        /// How, for people.
        status: String,
        /// What it took more of than it may, for people; it was killed for that.
        exceeded: Option<String>,
        /// What it took.
        usage: Usage,
    },
}

/// What a program and all that it has started took from the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The time of processors, of all its processes together.
    pub cpu_ms: u64,
    /// The most memory that was seen, of all its processes together. Measured several times a
    /// second, so that what ends sooner is not seen.
    pub peak_kib: u64,
}

impl Report {
    /// The report as a line, without its end.
    #[must_use]
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("numbers and texts can all be written")
    }

    /// Reads a line; none if it is no report.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    /// The end that it tells of, without the time that the program ran; none if it tells of no end.
    #[must_use]
    pub fn into_end(self) -> Option<End> {
        match self {
            Self::Ended {
                status,
                exceeded,
                usage,
            } => Some(End {
                status,
                exceeded,
                usage,
                ran: Duration::ZERO,
            }),
            Self::Started(_) | Self::NotStarted(_) => None,
        }
    }
}
