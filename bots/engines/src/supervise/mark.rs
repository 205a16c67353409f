use dragontooth_service_client::RequestId;
use rustix::process::{Signal, kill_process};

use super::processes;

/// The environment variable with a program's mark.
const MARK: &str = "DRAGONTOOTH_GROUP";

/// How often those are killed whose supervisor is gone.
const MAX_KILLS: usize = 1000;

/// What all processes of a program have in their environment, unless they take it out.
#[derive(Debug)]
pub struct Mark(RequestId);

impl Mark {
    /// One that nobody has.
    #[must_use]
    pub fn random() -> Self {
        Self(RequestId::random())
    }

    /// The environment variable and its value.
    #[must_use]
    pub fn variable(&self) -> (&'static str, &str) {
        (MARK, self.0.as_str())
    }

    /// Kills all processes that have it, and what they start in between.
    pub fn kill_all(&self) {
        let mark = format!("{MARK}={}", self.0.as_str());
        for _ in 0..MAX_KILLS {
            let marked = processes::with_variable(&mark);
            if marked.is_empty() {
                return;
            }
            for pid in marked {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}
