use rustix::process::{Signal, kill_process};
use uuid::Uuid;

use super::processes;

/// Name of the environment variable.
const NAME: &str = "DRAGONTOOTH_GROUP";

/// Largest number of rounds of killing.
const MAX_KILLS: usize = 1000;

/// A variable in the environment of all processes of a program, by which they are found when their
/// supervisor is gone. A process that removes it is not found.
#[derive(Debug)]
pub struct EnvTag(String);

impl EnvTag {
    /// Creates a tag with a new random value.
    #[must_use]
    pub fn random() -> Self {
        Self(Uuid::new_v4().to_string())
    }

    /// Name and value of the variable.
    #[must_use]
    pub fn variable(&self) -> (&'static str, &str) {
        (NAME, &self.0)
    }

    /// Kills all processes with the tag, and those that they start meanwhile.
    pub fn kill_all(&self) {
        let variable = format!("{NAME}={}", self.0);
        for _ in 0..MAX_KILLS {
            let tagged = processes::with_variable(&variable);
            if tagged.is_empty() {
                return;
            }
            for pid in tagged {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}
