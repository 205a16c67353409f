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
use super::{End, Mark, Report};

/// How long a supervisor may take to say that its program runs, and to end when nobody is left who could
/// want anything of it.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often, and how soon one after the other, it is tried to take away the control group of a
/// supervisor that was killed.
const MAX_REMOVALS: usize = 50;
const REMOVE_AGAIN: Duration = Duration::from_millis(10);

/// A supervisor that starts its program as often as it is wanted, one at a time. When this is dropped,
/// the program and all that it has started are killed.
#[derive(Debug)]
pub struct Keeper {
    supervisor: Child,
    /// None when nothing is wanted any more.
    orders: Option<UnixStream>,
    reports: BufReader<UnixStream>,
    mark: Mark,
    /// When the program was started.
    started: SystemTime,
    since: Instant,
}

/// What goes to a program and what comes from it.
#[derive(Debug)]
pub struct Pipes {
    /// What is written here it reads on standard input.
    pub stdin: OwnedFd,
    /// What it writes to standard output is read here.
    pub stdout: OwnedFd,
}

/// The command of a supervisor: a program of ours, which has the command `supervise`, that
/// [`keep`](super::keep)s the program of these words. It gets no token.
#[must_use]
pub fn supervisor(own: &Path, grace: Duration, words: &[OsString]) -> Command {
    let mut command = Command::new(own);
    command.arg("supervise").arg("--grace-ms");
    command.arg(grace.as_millis().to_string()).arg("--");
    command.args(words).env_remove("DRAGONTOOTH_TOKEN");
    command
}

impl Keeper {
    /// Starts a supervisor by `command`, which has it [`keep`](super::keep) its program.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub fn new(mut command: Command) -> io::Result<Self> {
        let mark = Mark::random();
        let (name, value) = mark.variable();
        let (ours, theirs) = UnixStream::pair()?;
        let supervisor = command
            .env(name, value)
            .stdin(OwnedFd::from(theirs.try_clone()?))
            .stdout(OwnedFd::from(theirs))
            .process_group(0)
            .spawn()?;
        // The command holds the other end as long as it lives.
        drop(command);
        Ok(Self {
            supervisor,
            reports: BufReader::new(ours.try_clone()?),
            orders: Some(ours),
            mark,
            started: SystemTime::now(),
            since: Instant::now(),
        })
    }

    /// Starts the program, if none runs.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub fn start(&mut self) -> io::Result<Pipes> {
        let (their_stdin, stdin) = io::pipe()?;
        let (stdout, their_stdout) = io::pipe()?;
        let (their_stdin, their_stdout) = (their_stdin.into(), their_stdout.into());
        let socket = self.orders.as_ref().ok_or_else(silent)?;
        orders::send(socket, Order::Start, &[&their_stdin, &their_stdout])?;
        drop((their_stdin, their_stdout));
        (self.started, self.since) = (SystemTime::now(), Instant::now());
        match self.report(PATIENCE) {
            Some(Report::Started(_)) => Ok(Pipes {
                stdin: stdin.into(),
                stdout: stdout.into(),
            }),
            Some(Report::NotStarted(reason)) => Err(io::Error::other(reason)),
            Some(Report::Ended { .. }) | None => Err(silent()),
        }
    }

    /// Gives an order about the program that runs. If the supervisor is gone, so is the program.
    pub fn order(&self, order: Order) {
        if let Some(socket) = &self.orders {
            let _ = orders::send(socket, order, &[]);
        }
    }

    /// Waits until the program has ended and nothing is left of it; one that takes longer than `limit`
    /// is killed.
    pub fn ended(&mut self, limit: Duration) -> End {
        let mut report = self.report(limit);
        if report.is_none() {
            self.order(Order::Kill);
            report = self.report(PATIENCE);
        }
        let end = match report.and_then(Report::into_end) {
            Some(end) => end,
            None => self.abandoned(),
        };
        End {
            ran: self.since.elapsed(),
            ..end
        }
    }

    /// When the program was started.
    #[must_use]
    pub const fn started(&self) -> SystemTime {
        self.started
    }

    /// Whether nobody is there any more who could start the program.
    #[must_use]
    pub const fn is_gone(&self) -> bool {
        self.orders.is_none()
    }

    fn report(&mut self, limit: Duration) -> Option<Report> {
        let limit = limit.max(Duration::from_millis(1));
        self.reports.get_ref().set_read_timeout(Some(limit)).ok()?;
        let mut line = String::new();
        self.reports.read_line(&mut line).ok()?;
        Report::read(&line)
    }

    /// Somebody has ended the supervisor, or it does not answer: what can be found without it is
    /// killed.
    fn abandoned(&mut self) -> End {
        self.orders = None;
        let _ = self.supervisor.kill();
        let _ = self.supervisor.wait();
        let pid = i32::try_from(self.supervisor.id()).ok();
        let cgroup = pid.and_then(Pid::from_raw).and_then(Cgroup::left_by);
        if let Some(cgroup) = &cgroup {
            cgroup.kill();
        }
        self.mark.kill_all();
        if let Some(cgroup) = cgroup {
            // Somebody else waits for those who were in it.
            for _ in 0..MAX_REMOVALS {
                if cgroup.remove() {
                    break;
                }
                thread::sleep(REMOVE_AGAIN);
            }
        }
        End {
            status: "its supervisor was killed".to_owned(),
            ..End::default()
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let Some(socket) = self.orders.take() else {
            return;
        };
        // All copies of this end hear nothing more after that.
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
    io::Error::other("its supervisor has ended without a word")
}
