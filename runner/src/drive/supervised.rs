use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::supervise::{END, Report, Usage};

/// How long a program may take to end when it is told to, before it is killed.
pub const GRACE: Duration = Duration::from_secs(2);
/// How long a supervisor may take to say that the program runs, and beyond the time of grace that
/// it has ended.
const SUPERVISOR_PATIENCE: Duration = Duration::from_secs(10);

/// A program that runs under a supervisor of its own. When this is dropped, the program and all
/// that it has started are killed.
#[derive(Debug)]
pub(super) struct Supervised {
    supervisor: Child,
    orders: ChildStdin,
    reports: Lines<BufReader<ChildStdout>>,
    group: Pid,
}

/// How a program ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct End {
    /// How, for people.
    pub(super) status: String,
    /// What it took more of than it may, for people.
    pub(super) exceeded: Option<String>,
    /// What it took.
    pub(super) usage: Usage,
}

impl Supervised {
    /// Starts a program by `command`, which is one of [`supervisor`] with what is to be started.
    ///
    /// # Errors
    ///
    /// The supervisor or the program cannot be started.
    pub(super) async fn start(mut command: Command) -> io::Result<Self> {
        let mut supervisor = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let orders = supervisor.stdin.take().ok_or_else(silent)?;
        let reports = supervisor.stdout.take().ok_or_else(silent)?;
        let mut reports = BufReader::new(reports).lines();
        let line = timeout(SUPERVISOR_PATIENCE, reports.next_line()).await??;
        let group = match line.as_deref().and_then(Report::read) {
            Some(Report::Started(pid)) => Pid::from_raw(pid).ok_or_else(silent)?,
            Some(Report::NotStarted(reason)) => return Err(io::Error::other(reason)),
            Some(Report::Ended { .. }) | None => return Err(silent()),
        };
        Ok(Self {
            supervisor,
            orders,
            reports,
            group,
        })
    }

    /// Ready when the program has ended and nothing is left of it. May be called again if it was
    /// dropped before.
    pub(super) async fn ended(&mut self) -> End {
        let line = self.reports.next_line().await;
        let report = line.ok().flatten();
        let end = match report.as_deref().and_then(Report::read) {
            Some(Report::Ended {
                status,
                exceeded,
                usage,
            }) => End {
                status,
                exceeded,
                usage,
            },
            Some(Report::Started(_) | Report::NotStarted(_)) | None => self.abandoned(),
        };
        // It ends after its last word.
        let _ = self.supervisor.wait().await;
        end
    }

    /// Asks the program to end, and has it killed with all that it has started when it does not.
    pub(super) async fn end(mut self) -> End {
        // It may have ended by itself.
        let _ = self.orders.write_all(format!("{END}\n").as_bytes()).await;
        let patience = GRACE + SUPERVISOR_PATIENCE;
        timeout(patience, self.ended())
            .await
            .unwrap_or_else(|_| End {
                status: "it cannot be ended".to_owned(),
                ..End::default()
            })
    }

    /// Somebody has ended the supervisor: what can be found without it is killed.
    fn abandoned(&self) -> End {
        let _ = kill_process_group(self.group, Signal::KILL);
        End {
            status: "its supervisor was killed".to_owned(),
            ..End::default()
        }
    }
}

/// The beginning of a command that starts a supervisor: this very program, or that of the package
/// if this is one of its tests, which stand a folder below it.
///
/// # Errors
///
/// Nobody knows where this program is.
pub(super) fn supervisor() -> io::Result<Command> {
    let own = env::current_exe()?;
    let mut command = Command::new(program(own));
    command.arg("supervise").arg("--grace-ms");
    command.arg(GRACE.as_millis().to_string());
    Ok(command)
}

fn program(own: PathBuf) -> PathBuf {
    let folder = own.parent();
    if folder.and_then(Path::file_name) == Some("deps".as_ref()) {
        let package = folder.and_then(Path::parent).unwrap_or(Path::new(""));
        return package.join("dragontooth-runner");
    }
    if own.exists() {
        own
    } else {
        // It was replaced while it runs.
        PathBuf::from("/proc/self/exe")
    }
}

fn silent() -> io::Error {
    io::Error::other("its supervisor has ended without a word")
}
