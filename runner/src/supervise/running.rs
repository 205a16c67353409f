use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus};
use rustix::process::{kill_process, kill_process_group};

use super::cgroup::Cgroup;
use super::meter::{Allowance, Meter};
use super::processes;
use super::report::{END, Report};

/// How long what has been killed has to be gone before it is killed again, with what it may have
/// started in between.
const KILL_AGAIN: Duration = Duration::from_millis(10);
/// What the kernel refuses to a single process lies beyond what is measured of all, so that
/// exceeding it has a name: this many MiB and twice the memory that is allowed.
const MEMORY_MARGIN_MIB: u64 = 64;
/// The same for the time of processors.
const CPU_MARGIN_S: u64 = 2;

/// Starts a program and stays until it and all that it has started have ended: reads from standard
/// input what the runner wants, and tells it by [`Report`]s on standard output. What the program
/// writes goes to standard error.
///
/// # Errors
///
/// The runner cannot be told; nothing of the program is left then either.
pub fn supervise(
    program: &OsString,
    arguments: &[OsString],
    allowance: Allowance,
    grace: Duration,
) -> io::Result<()> {
    become_subreaper();
    let cgroup = Cgroup::make();
    let leader = match start(program, arguments) {
        Ok(leader) => leader,
        Err(error) => return tell(&Report::NotStarted(error.to_string())),
    };
    if let Some(cgroup) = &cgroup {
        cgroup.take(leader);
    }
    limit(leader, allowance);
    let told = tell(&Report::Started(leader.as_raw_nonzero().get()));
    let (sender, news) = channel();
    listen(sender.clone());
    wait_for_all(sender);
    let mut running = Running {
        leader,
        cgroup,
        meter: Meter::new(allowance),
        grace,
        killing: told.is_err(),
        deadline: None,
        status: None,
        exceeded: None,
    };
    running.stay(&news);
    let report = Report::Ended {
        status: running.status.map_or_else(
            || "nobody knows how".to_owned(),
            |status| ExitStatus::from_raw(status.as_raw()).to_string(),
        ),
        exceeded: running.exceeded.take(),
        usage: running.meter.total(),
    };
    tell(&report)
}

/// What happens to a supervisor.
enum News {
    /// The runner wants the program to end.
    End,
    /// The runner is gone.
    Alone,
    /// A process has ended.
    Ended(Pid, WaitStatus),
    /// None is left.
    NobodyLeft,
}

/// A program that runs, and all that it has started.
#[derive(Debug)]
struct Running {
    leader: Pid,
    cgroup: Option<Cgroup>,
    meter: Meter,
    grace: Duration,
    /// Whether all are killed, again and again until none is left.
    killing: bool,
    /// When they are killed, if they have been asked to end.
    deadline: Option<Instant>,
    /// How the program ended.
    status: Option<WaitStatus>,
    exceeded: Option<String>,
}

impl Running {
    /// Stays until nobody is left.
    fn stay(&mut self, news: &Receiver<News>) {
        let mut measure_at = Instant::now() + self.meter.pause();
        // Not for every process that ends: there may be many, and looking for them takes time.
        let mut kill_at = Instant::now();
        loop {
            let now = Instant::now();
            if self.deadline.is_some_and(|deadline| deadline <= now) {
                self.killing = true;
            }
            if self.killing {
                if kill_at <= now {
                    self.kill();
                    kill_at = Instant::now() + KILL_AGAIN;
                }
            } else if measure_at <= now {
                self.exceeded = self.meter.measure();
                self.killing = self.exceeded.is_some();
                measure_at = Instant::now() + self.meter.pause();
                continue;
            }
            let until = self.deadline.map_or(measure_at, |at| at.min(measure_at));
            let until = if self.killing { kill_at } else { until };
            match news.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(News::End) => self.ask_to_end(),
                Ok(News::Alone) => self.killing = true,
                Ok(News::Ended(pid, status)) if pid == self.leader => {
                    self.status = Some(status);
                    self.killing = true;
                }
                Ok(News::Ended(..)) | Err(RecvTimeoutError::Timeout) => {}
                Ok(News::NobodyLeft) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn ask_to_end(&mut self) {
        if self.deadline.is_none() {
            self.deadline = Some(Instant::now() + self.grace);
            // Whoever it does not reach is killed later.
            let _ = kill_process_group(self.leader, Signal::TERM);
        }
    }

    fn kill(&self) {
        if let Some(cgroup) = &self.cgroup {
            cgroup.kill();
        }
        if self.status.is_none() {
            let _ = kill_process_group(self.leader, Signal::KILL);
        }
        for pid in processes::descendants() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Has this process adopt the descendants that lose their parents.
fn become_subreaper() {
    #[cfg(target_os = "linux")]
    {
        // Without it only the group can be killed.
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    }
}

/// Starts the program as the leader of a group, with its output where this process has its errors.
fn start(program: &OsString, arguments: &[OsString]) -> io::Result<Pid> {
    let log = io::stderr().as_fd().try_clone_to_owned()?;
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(log)
        .process_group(0)
        .spawn()?;
    Ok(Pid::from_child(&child))
}

/// Has the kernel refuse each process of the program far more than is allowed, and all of them the
/// writing of their memory when they crash: it may take long.
fn limit(leader: Pid, allowance: Allowance) {
    let Allowance { memory_mib, cpu_s } = allowance;
    let memory = memory_mib.map(|limit| {
        let mib = limit.saturating_mul(2).saturating_add(MEMORY_MARGIN_MIB);
        (Resource::Data, mib.saturating_mul(1 << 20))
    });
    let cpu = cpu_s.map(|limit| (Resource::Cpu, limit.saturating_add(CPU_MARGIN_S)));
    let all = [Some((Resource::Core, 0)), memory, cpu];
    for (resource, limit) in all.into_iter().flatten() {
        let most = Rlimit {
            current: Some(limit),
            maximum: Some(limit),
        };
        // What cannot be refused is still measured.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::prlimit(Some(leader), resource, most);
    }
}

fn tell(report: &Report) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", report.line())?;
    out.flush()
}

/// Hears what the runner wants.
fn listen(news: Sender<News>) {
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            match line {
                Ok(line) if line == END => {
                    let _ = news.send(News::End);
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        let _ = news.send(News::Alone);
    });
}

/// Waits for every process that ends, so that none is left as a zombie.
fn wait_for_all(news: Sender<News>) {
    thread::spawn(move || {
        loop {
            let told = match rustix::process::wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) => news.send(News::Ended(pid, status)),
                Ok(None) | Err(rustix::io::Errno::INTR) => Ok(()),
                Err(_) => {
                    let _ = news.send(News::NobodyLeft);
                    return;
                }
            };
            if told.is_err() {
                return;
            }
        }
    });
}
