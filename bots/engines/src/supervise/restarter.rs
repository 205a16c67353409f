use std::ffi::OsString;
use std::io::{self, BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rustix::process::Pid;

use super::cgroup::Cgroup;
use super::orders::{self, Order};
use super::{EnvTag, ProcessEnd, SupervisorReport, clear_environment};

/// Time for a supervisor to report the start of its program, and to exit once its socket is closed.
const PATIENCE: Duration = Duration::from_secs(10);
/// Largest number of attempts to remove the control group of a killed supervisor.
const MAX_REMOVALS: usize = 50;
/// Pause between two such attempts.
const REMOVE_AGAIN: Duration = Duration::from_millis(10);

/// A supervisor that starts its program any number of times, once at a time. Dropping this kills the program
/// and everything it started.
#[derive(Debug)]
pub struct Restarter {
    supervisor: Child,
    /// `None` once the supervisor is gone.
    orders: Option<UnixStream>,
    reports: BufReader<UnixStream>,
    env_tag: EnvTag,
    /// Time of the last start.
    started: SystemTime,
    since: Instant,
}

/// The pipes to a program's standard input and output.
#[derive(Debug)]
pub struct Pipes {
    /// The end to write to.
    pub stdin: OwnedFd,
    /// The end to read from.
    pub stdout: OwnedFd,
}

/// Returns the command of a supervisor that calls [`supervise_restarts`](super::supervise_restarts) for the
/// program and arguments `words`. `own` is a program of ours with the command `supervise`. Its environment
/// has the [`PASSED_VARIABLES`](super::PASSED_VARIABLES) alone.
#[must_use]
pub fn supervisor(own: &Path, grace: Duration, words: &[OsString]) -> Command {
    let mut command = Command::new(own);
    command.arg("supervise").arg("--grace-ms");
    command.arg(grace.as_millis().to_string()).arg("--");
    clear_environment(command.args(words));
    command
}

impl Restarter {
    /// Starts a supervisor by `command`, which makes it call
    /// [`supervise_restarts`](super::supervise_restarts).
    ///
    /// # Errors
    ///
    /// The supervisor cannot be started.
    pub fn new(mut command: Command) -> io::Result<Self> {
        let env_tag = EnvTag::random();
        let (name, value) = env_tag.variable();
        let (ours, theirs) = UnixStream::pair()?;
        let supervisor = command
            .env(name, value)
            .stdin(OwnedFd::from(theirs.try_clone()?))
            .stdout(OwnedFd::from(theirs))
            .process_group(0)
            .spawn()?;
        // The command holds the other end of the socket until it is dropped.
        drop(command);
        Ok(Self {
            supervisor,
            reports: BufReader::new(ours.try_clone()?),
            orders: Some(ours),
            env_tag,
            started: SystemTime::now(),
            since: Instant::now(),
        })
    }

    /// Starts the program. It must not be running.
    ///
    /// # Errors
    ///
    /// The program cannot be started, or its supervisor is gone. One that does not answer is killed: its next report
    /// might be about this start.
    pub fn start(&mut self) -> io::Result<Pipes> {
        let (their_stdin, stdin) = io::pipe()?;
        let (stdout, their_stdout) = io::pipe()?;
        let (their_stdin, their_stdout) = (their_stdin.into(), their_stdout.into());
        let socket = self.orders.as_ref().ok_or_else(silent)?;
        let sent = orders::send(socket, Order::Start, &[&their_stdin, &their_stdout]);
        drop((their_stdin, their_stdout));
        (self.started, self.since) = (SystemTime::now(), Instant::now());
        match sent.ok().and_then(|()| self.report(PATIENCE)) {
            Some(SupervisorReport::Started(_)) => Ok(Pipes {
                stdin: stdin.into(),
                stdout: stdout.into(),
            }),
            Some(SupervisorReport::NotStarted(reason)) => Err(io::Error::other(reason)),
            Some(SupervisorReport::Ended { .. }) | None => {
                self.abandoned();
                Err(silent())
            }
        }
    }

    /// Sends an order about the running program. If the supervisor is gone, so is the program.
    pub fn order(&self, order: Order) {
        if let Some(socket) = &self.orders {
            let _ = orders::send(socket, order, &[]);
        }
    }

    /// Waits until the program and everything it started have ended; after `limit` they are killed.
    pub fn ended(&mut self, limit: Duration) -> ProcessEnd {
        let mut report = self.report(limit);
        if report.is_none() {
            self.order(Order::Kill);
            report = self.report(PATIENCE);
        }
        match report.and_then(SupervisorReport::into_end) {
            Some(end) => end,
            None => self.abandoned(),
        }
    }

    /// Time of the last start.
    #[must_use]
    pub const fn started(&self) -> SystemTime {
        self.started
    }

    /// Returns true if the supervisor is gone: the program cannot be started any more.
    #[must_use]
    pub const fn is_gone(&self) -> bool {
        self.orders.is_none()
    }

    fn report(&mut self, limit: Duration) -> Option<SupervisorReport> {
        let limit = limit.max(Duration::from_millis(1));
        self.reports.get_ref().set_read_timeout(Some(limit)).ok()?;
        let mut line = String::new();
        self.reports.read_line(&mut line).ok()?;
        SupervisorReport::read(&line)
    }

    /// Kills what can be found without the supervisor, which was killed or does not answer.
    fn abandoned(&mut self) -> ProcessEnd {
        self.orders = None;
        let _ = self.supervisor.kill();
        let _ = self.supervisor.wait();
        let pid = i32::try_from(self.supervisor.id()).ok();
        let cgroup = pid.and_then(Pid::from_raw).and_then(Cgroup::left_by);
        if let Some(cgroup) = &cgroup {
            cgroup.kill();
        }
        self.env_tag.kill_all();
        if let Some(cgroup) = cgroup {
            // Its members are reaped by their new parent, which takes a moment.
            for _ in 0..MAX_REMOVALS {
                if cgroup.remove() {
                    break;
                }
                thread::sleep(REMOVE_AGAIN);
            }
        }
        ProcessEnd {
            status: "its supervisor was killed".to_owned(),
            ran: self.since.elapsed(),
            ..ProcessEnd::default()
        }
    }
}

impl Drop for Restarter {
    fn drop(&mut self) {
        let Some(socket) = self.orders.take() else {
            return;
        };
        // Reaches the supervisor even if another process holds a copy of this end.
        let _ = socket.shutdown(std::net::Shutdown::Write);
        let since = Instant::now();
        let limit = Some(PATIENCE);
        let _ = self.reports.get_ref().set_read_timeout(limit);
        let mut line = String::new();
        while since.elapsed() < PATIENCE && matches!(self.reports.read_line(&mut line), Ok(1..)) {
            line.clear();
        }
        if since.elapsed() >= PATIENCE {
            self.abandoned();
        } else {
            let _ = self.supervisor.wait();
        }
    }
}

fn silent() -> io::Error {
    io::Error::other("its supervisor ended without a report")
}

#[cfg(test)]
mod tests {
    use super::super::Usage;
    use super::*;

    fn ended() -> SupervisorReport {
        SupervisorReport::Ended {
            status: "exit status: 0".to_owned(),
            exceeded: None,
            usage: Usage::default(),
            ran_ms: 7,
        }
    }

    /// A restarter whose supervisor says these reports.
    fn restarter(reports: &[SupervisorReport]) -> Restarter {
        let mut supervisor = Command::new("sh");
        supervisor
            .args(["-c", "printf '%s\\n' \"$@\"; exec cat > /dev/null", "sh"])
            .args(reports.iter().map(SupervisorReport::line));
        Restarter::new(supervisor).unwrap()
    }

    /// The end of a program may be asked for long after it.
    #[test]
    fn the_running_time_of_a_program_is_its_supervisors() {
        let mut restarter = restarter(&[SupervisorReport::Started(1), ended()]);
        restarter.start().unwrap();
        let end = restarter.ended(PATIENCE);
        assert_eq!(end.ran, Duration::from_millis(7));
    }

    /// Every later report would be taken for that of the start after it.
    #[test]
    fn a_supervisor_that_reports_another_start_is_given_up() {
        let mut restarter = restarter(&[ended(), SupervisorReport::Started(1), ended()]);
        restarter.start().unwrap_err();
        assert!(restarter.is_gone());
    }
}
