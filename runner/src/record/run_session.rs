use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use dragontooth_runner_report::RunnerUsage;
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::FolderError;
use super::append_line::append_lines;

/// The most lines of `sessions.jsonl` that are read.
const MAX_SESSIONS: usize = 10_000;

/// The resources that the runner used from its start to its end: a line of `sessions.jsonl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSession {
    /// The matches that ended in it.
    pub matches: u64,
    /// The actions in these matches.
    pub actions: u64,
    /// Duration in milliseconds.
    pub wall_ms: u64,
    /// The time of processors that the runner itself used, in milliseconds: with the embedded
    /// service and the built-in bots in it, without the programs.
    pub cpu_ms: u64,
}

/// Measures a session.
#[derive(Clone, Copy, Debug)]
pub struct SessionStopwatch {
    begun: Instant,
    cpu: Duration,
}

impl SessionStopwatch {
    /// Starts to measure.
    #[must_use]
    pub fn start() -> Self {
        Self {
            begun: Instant::now(),
            cpu: own_cpu(),
        }
    }

    /// The resources used since the start, for `matches` and `actions`.
    #[must_use]
    pub fn stop(self, matches: u64, actions: u64) -> RunSession {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        RunSession {
            matches,
            actions,
            wall_ms: ms(self.begun.elapsed()),
            cpu_ms: ms(own_cpu().saturating_sub(self.cpu)),
        }
    }
}

impl RunSession {
    /// Adds a line to a file.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn append_to(&self, path: &Path) -> Result<(), FolderError> {
        let mut line = serde_json::to_string(self).expect("numbers can all be written");
        line.push('\n');
        append_lines(path, &line).map_err(|source| FolderError::Unusable {
            path: path.to_owned(),
            source,
        })?;
        Ok(())
    }

    /// The sum of all sessions in a file; `None` if it is missing or has none.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn sum_in(path: &Path) -> Result<Option<Self>, FolderError> {
        Self::sum_of_first(path, MAX_SESSIONS)
    }

    /// The sum of the sessions in the first `most` lines of a file; `None` if it is missing or has none. Lines
    /// that cannot be read, as after a power loss, are skipped.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn sum_of_first(path: &Path, most: usize) -> Result<Option<Self>, FolderError> {
        let unusable = |source| FolderError::Unusable {
            path: path.to_owned(),
            source,
        };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(unusable(source)),
        };
        let mut sum: Option<Self> = None;
        for line in BufReader::new(file)
            .split(b'\n')
            .take(most.min(MAX_SESSIONS))
        {
            let line = line.map_err(unusable)?;
            if let Ok(one) = serde_json::from_slice::<Self>(&line) {
                sum = Some(sum.map_or(one, |sum| sum.plus(one)));
            }
        }
        Ok(sum)
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            matches: self.matches.saturating_add(other.matches),
            actions: self.actions.saturating_add(other.actions),
            wall_ms: self.wall_ms.saturating_add(other.wall_ms),
            cpu_ms: self.cpu_ms.saturating_add(other.cpu_ms),
        }
    }
}

impl From<RunSession> for RunnerUsage {
    fn from(session: RunSession) -> Self {
        let RunSession {
            matches,
            actions,
            wall_ms,
            cpu_ms,
        } = session;
        Self {
            matches,
            actions,
            wall_ms,
            cpu_ms,
        }
    }
}

/// The time of processors that this process has used so far.
fn own_cpu() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}
