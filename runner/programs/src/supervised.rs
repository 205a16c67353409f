use std::io;
use std::process::{self, Stdio};
use std::time::{Duration, Instant, SystemTime};

use dragontooth_bots_engines::supervise::cgroup::Cgroup;
use dragontooth_bots_engines::supervise::{
    END, EnvTag, ProcessEnd, ResourceLimits, SupervisorReport, clear_environment,
};
use rustix::process::Pid;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{sleep, timeout};

use super::isolation::{Isolation, own_program};

/// Time that a program has to exit when asked to, before it is killed.
pub const GRACE: Duration = Duration::from_secs(2);
/// Time that a supervisor has to report the start, and, beyond the grace period, the exit.
const SUPERVISOR_PATIENCE: Duration = Duration::from_secs(10);

/// Attempts to remove the control group of a killed supervisor, and the pause between them.
const MAX_REMOVALS: usize = 50;
const REMOVE_AGAIN: Duration = Duration::from_millis(10);

/// A program under a supervisor. Dropping this kills the program and all its descendants.
#[derive(Debug)]
pub struct Supervised {
    supervisor: Child,
    orders: ChildStdin,
    reports: Lines<BufReader<ChildStdout>>,
    env_tag: EnvTag,
    /// The supervisor's.
    pid: Option<Pid>,
    /// The time of its start.
    pub started: SystemTime,
    since: Instant,
    /// The end of the program, once it is known: its supervisor ends a little later.
    end: Option<ProcessEnd>,
}

impl Supervised {
    /// Starts a program with a `command` made by [`supervisor`].
    ///
    /// # Errors
    ///
    /// The supervisor or the program cannot be started.
    pub async fn start(mut command: Command) -> io::Result<Self> {
        let env_tag = EnvTag::random();
        let (name, value) = env_tag.variable();
        let mut supervisor = command
            .env(name, value)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let orders = supervisor.stdin.take().ok_or_else(silent)?;
        let reports = supervisor.stdout.take().ok_or_else(silent)?;
        let pid = supervisor.id().and_then(|id| i32::try_from(id).ok());
        let pid = pid.and_then(Pid::from_raw);
        let mut reports = BufReader::new(reports).lines();
        let line = timeout(SUPERVISOR_PATIENCE, reports.next_line()).await??;
        match line.as_deref().and_then(SupervisorReport::read) {
            Some(SupervisorReport::NotStarted(reason)) => {
                // It ends after its last word.
                let _ = timeout(SUPERVISOR_PATIENCE, supervisor.wait()).await;
                return Err(io::Error::other(reason));
            }
            // If it ended without a word, that is found out when its end is waited for.
            Some(SupervisorReport::Started(_) | SupervisorReport::Ended { .. }) | None => {}
        }
        Ok(Self {
            supervisor,
            orders,
            reports,
            env_tag,
            pid,
            started: SystemTime::now(),
            since: Instant::now(),
            end: None,
        })
    }

    /// Ready when the program has ended and nothing is left of it. May be called again if it was
    /// dropped before.
    pub async fn ended(&mut self) -> ProcessEnd {
        if self.end.is_none() {
            // Kept, as a report comes only once.
            self.end = Some(self.heard().await);
        }
        // It ends after its last word.
        let _ = self.supervisor.wait().await;
        self.end.clone().unwrap_or_default()
    }

    /// Waits for the report of the end.
    async fn heard(&mut self) -> ProcessEnd {
        let line = self.reports.next_line().await;
        let report = line.ok().flatten();
        let report = report.as_deref().and_then(SupervisorReport::read);
        match report.and_then(SupervisorReport::into_end) {
            Some(end) => end,
            None => self.abandoned().await,
        }
    }

    /// Asks the program to end, and has it killed with all that it has started when it does not.
    pub async fn end(mut self) -> ProcessEnd {
        // It may have ended by itself.
        let _ = self.orders.write_all(format!("{END}\n").as_bytes()).await;
        let patience = GRACE + SUPERVISOR_PATIENCE;
        timeout(patience, self.ended())
            .await
            .unwrap_or_else(|_| ProcessEnd {
                status: "it cannot be ended".to_owned(),
                ..ProcessEnd::default()
            })
    }

    /// The supervisor was killed: kills everything that can be found without it.
    async fn abandoned(&self) -> ProcessEnd {
        let cgroup = self.pid.and_then(Cgroup::left_by);
        if let Some(cgroup) = &cgroup {
            cgroup.kill();
        }
        self.env_tag.kill_all();
        if let Some(cgroup) = cgroup {
            // Another process reaps those that were in it.
            for _ in 0..MAX_REMOVALS {
                if cgroup.remove() {
                    break;
                }
                sleep(REMOVE_AGAIN).await;
            }
        }
        ProcessEnd {
            status: "its supervisor was killed".to_owned(),
            ran: self.since.elapsed(),
            ..ProcessEnd::default()
        }
    }
}

/// The command that starts a supervisor for a bot's program with additional `options`. The supervisor is
/// this executable, or that of the package in its tests, whose executables are one folder below it. The
/// environment of the program has [`PASSED_VARIABLES`](dragontooth_bots_engines::supervise::PASSED_VARIABLES)
/// and its own variables.
///
/// # Errors
///
/// The path of this executable is unknown.
pub fn supervisor(
    options: &[&str],
    supervised: &crate::ProgramCommand,
) -> io::Result<process::Command> {
    let mut command = process::Command::new(own_program()?);
    command.arg("supervise").arg("--grace-ms");
    command.arg(GRACE.as_millis().to_string()).args(options);
    let ResourceLimits {
        memory_mib,
        cpu_s,
        processes,
        disk_mib,
    } = supervised.allowance;
    for (option, limit) in [
        ("--memory-mib", memory_mib),
        ("--cpu-s", cpu_s),
        ("--processes", processes),
        ("--disk-mib", disk_mib),
    ] {
        if let Some(limit) = limit {
            command.arg(option).arg(limit.to_string());
        }
    }
    if supervised.namespace && Isolation::of_this_system().namespace {
        command.arg("--namespace");
    }
    clear_environment(&mut command);
    if let Some(folder) = &supervised.folder {
        command.current_dir(folder);
    }
    command
        .arg("--")
        .arg(&supervised.program)
        .args(supervised.arguments())
        .envs(&supervised.variables);
    Ok(command)
}

fn silent() -> io::Error {
    io::Error::other("its supervisor ended without a report")
}
