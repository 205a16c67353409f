use std::fmt;
use std::path::PathBuf;

use dragontooth_runner_programs::ProgramLog;
use tokio::task::spawn_blocking;

use crate::progress::harmless;

/// The end of what a program wrote, as it follows an error.
#[derive(Clone, Debug)]
pub struct LogExcerpt {
    path: PathBuf,
    lines: Vec<String>,
}

impl LogExcerpt {
    /// Reads the log of a bot whose processes have ended, when all of it has arrived. `open` pipes are not
    /// waited for.
    pub(super) async fn of(log: &ProgramLog, open: usize) -> Self {
        let path = log.path().to_owned();
        let log = log.clone();
        let lines = spawn_blocking(move || {
            log.settle(open);
            // What cannot be read is not worth another error.
            let lines = log.tail().unwrap_or_default();
            lines.iter().map(|line| harmless(line)).collect()
        });
        Self {
            path,
            lines: lines.await.unwrap_or_default(),
        }
    }

    /// The excerpt in one line, for the detail of a fault. The file is named from the folder of the run.
    pub(super) fn in_one_line(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        if self.lines.is_empty() {
            return format!("logs/{name} is empty");
        }
        format!("logs/{name} ends with: {}", self.lines.join(" | "))
    }
}

impl fmt::Display for LogExcerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        if self.lines.is_empty() {
            return write!(f, "\nits log, {path}, is empty");
        }
        write!(f, "\nthe last lines of its log, {path}:")?;
        for line in &self.lines {
            write!(f, "\n  {line}")?;
        }
        Ok(())
    }
}
