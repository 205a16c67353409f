use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus};
use rustix::process::{getpid, kill_process, kill_process_group};

use super::cgroup::Cgroup;
use super::meter::{Meter, ResourceLimits};
use super::orders::{self, Order};
use super::processes;
use super::report::{END, SupervisorReport};

/// The hint about a file that the system cannot run.
const FIRST_LINE: &str = "; a script needs a first line such as `#!/usr/bin/env python3`";
/// Interval between two rounds of killing: a killed process may have started others meanwhile.
const KILL_AGAIN: Duration = Duration::from_millis(10);
/// Time after the end of a program before its remaining processes are searched and killed. Most programs
/// leave none, and the search is expensive.
const LEFT_BEHIND: Duration = Duration::from_millis(2);
/// Margin of the kernel's limit for a single process over twice the measured limit for all. The measured
/// limit is then exceeded first, and the end of the program has a reason.
const MEMORY_MARGIN_MIB: u64 = 64;
/// The same for processor time.
const CPU_MARGIN_S: u64 = 2;
/// The most processes and threads that the kernel allows for each process that a limit allows.
const TASKS_OF_A_PROCESS: u64 = 64;

/// The terms of a supervisor.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The limits of the program.
    pub limits: ResourceLimits,
    /// Time for the program to end after it is asked to.
    pub grace: Duration,
    /// The process that its user has started, if it is not this one but the one that has made its namespace.
    pub supervisor: Option<Pid>,
}

/// Runs a program and returns when it and everything it started have ended. Reads [`END`] from standard
/// input and writes [`SupervisorReport`]s to standard output. The output of the program goes to standard
/// error.
///
/// # Errors
///
/// A report cannot be written, or a thread is missing. No process of the program is left in that case either.
pub fn supervise(program: &OsString, arguments: &[OsString], terms: Terms) -> io::Result<()> {
    let Terms { limits, grace, .. } = terms;
    become_subreaper();
    let cgroup = group(&terms);
    let cgroup = cgroup.as_ref();
    let meter = Meter::new(limits, cgroup);
    let (sender, events) = channel();
    listen(sender.clone())?;
    let leader = match start(program, arguments, Stdio::null(), log()?, cgroup) {
        Ok(leader) => leader,
        Err(error) => return write_report(&not_started(program, &error)),
    };
    let mut running = Running::new(leader, cgroup, meter, grace);
    running.begin(limits, sender)?;
    running.run(&events);
    write_report(&running.report())
}

fn not_started(program: &OsString, error: &io::Error) -> SupervisorReport {
    let is_unknown = Errno::from_io_error(error) == Some(Errno::NOEXEC);
    let hint = if is_unknown { FIRST_LINE } else { "" };
    SupervisorReport::NotStarted(format!("{}: {error}{hint}", program.display()))
}

/// Runs a program whenever a [`Restarter`](super::Restarter) orders it, once at a time, and returns when the
/// restarter is gone. Reads [`Order`]s from the socket on standard input and writes [`SupervisorReport`]s to
/// standard output. The standard error of the program goes to standard error.
///
/// # Errors
///
/// A report cannot be written, or a thread is missing. No process of the program is left in that case either.
pub fn supervise_restarts(
    program: &OsString,
    arguments: &[OsString],
    terms: Terms,
) -> io::Result<()> {
    let Terms { limits, grace, .. } = terms;
    become_subreaper();
    let cgroup = group(&terms);
    let cgroup = cgroup.as_ref();
    let (sender, events) = channel();
    take_orders(sender.clone())?;
    while let Ok(next) = events.recv() {
        let [stdin, stdout] = match next {
            SupervisorEvent::Start(pipes) => pipes,
            SupervisorEvent::UserGone => return Ok(()),
            // No program is running.
            SupervisorEvent::End
            | SupervisorEvent::Leave
            | SupervisorEvent::Kill
            | SupervisorEvent::Ended(..)
            | SupervisorEvent::NoneLeft => continue,
        };
        let meter = Meter::new(limits, cgroup);
        let leader = match start(program, arguments, stdin.into(), stdout.into(), cgroup) {
            Ok(leader) => leader,
            Err(error) => {
                write_report(&not_started(program, &error))?;
                continue;
            }
        };
        let mut running = Running::new(leader, cgroup, meter, grace);
        running.begin(limits, sender.clone())?;
        running.run(&events);
        if running.user_is_gone {
            return Ok(());
        }
        write_report(&running.report())?;
    }
    Ok(())
}

/// An event that a supervisor reacts to.
enum SupervisorEvent {
    /// The program is to be started with this input and output.
    Start([OwnedFd; 2]),
    /// The program is to be sent SIGTERM.
    End,
    /// The program was asked to exit.
    Leave,
    /// The program is to be killed.
    Kill,
    /// The process that started the supervisor is gone.
    UserGone,
    /// A process has ended.
    Ended(Pid, WaitStatus),
    /// No process is left.
    NoneLeft,
}

/// A running program and everything it started.
#[derive(Debug)]
struct Running<'a> {
    leader: Pid,
    cgroup: Option<&'a Cgroup>,
    meter: Meter<'a>,
    grace: Duration,
    begun: Instant,
    /// True while all processes are being killed, until none is left.
    killing: bool,
    /// Time at which they are killed, once they were asked to exit.
    deadline: Option<Instant>,
    /// Exit status of the program.
    status: Option<WaitStatus>,
    exceeded: Option<String>,
    /// True if no process is left to report to.
    user_is_gone: bool,
}

impl<'a> Running<'a> {
    fn new(leader: Pid, cgroup: Option<&'a Cgroup>, meter: Meter<'a>, grace: Duration) -> Self {
        Self {
            leader,
            cgroup,
            meter,
            grace,
            begun: Instant::now(),
            killing: false,
            deadline: None,
            status: None,
            exceeded: None,
            user_is_gone: false,
        }
    }

    /// Applies the limits and reports the start. The ends of processes are sent to `events`.
    fn begin(&mut self, limits: ResourceLimits, events: Sender<SupervisorEvent>) -> io::Result<()> {
        limit(self.leader, limits);
        wait_for_all(events).inspect_err(|_| self.kill())?;
        self.killing = write_report(&SupervisorReport::Started(
            self.leader.as_raw_nonzero().get(),
        ))
        .is_err();
        Ok(())
    }

    /// Report on the end.
    fn report(&mut self) -> SupervisorReport {
        SupervisorReport::Ended {
            status: self.status.map_or_else(
                || "unknown".to_owned(),
                |status| ExitStatus::from_raw(status.as_raw()).to_string(),
            ),
            exceeded: self.exceeded.take(),
            usage: self.meter.total(),
            ran_ms: u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// Runs until no process is left.
    fn run(&mut self, events: &Receiver<SupervisorEvent>) {
        let mut measure_at = Instant::now() + self.meter.pause();
        // Not at every process that ends: there may be many, and the search takes time.
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
            match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(SupervisorEvent::End) => self.ask_to_end(),
                Ok(SupervisorEvent::Leave) => self.set_deadline(),
                Ok(SupervisorEvent::Kill) => self.killing = true,
                Ok(SupervisorEvent::UserGone) => (self.user_is_gone, self.killing) = (true, true),
                Ok(SupervisorEvent::Ended(pid, status)) if pid == self.leader => {
                    self.status = Some(status);
                    self.killing = true;
                    // Most leave no process behind: the next event says so, without a search.
                    kill_at = Instant::now() + LEFT_BEHIND;
                }
                // One program at a time: dropping the files of another start closes them.
                Ok(SupervisorEvent::Ended(..) | SupervisorEvent::Start(_))
                | Err(RecvTimeoutError::Timeout) => {}
                Ok(SupervisorEvent::NoneLeft) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn ask_to_end(&mut self) {
        if self.deadline.is_none() {
            self.set_deadline();
            // A process that it does not reach is killed later.
            let _ = kill_process_group(self.leader, Signal::TERM);
        }
    }

    fn set_deadline(&mut self) {
        self.deadline.get_or_insert(Instant::now() + self.grace);
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

/// Makes this process adopt its descendants that lose their parents.
fn become_subreaper() {
    #[cfg(target_os = "linux")]
    {
        // On failure only the process group can be killed.
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    }
}

/// Makes a control group for the program.
fn group(terms: &Terms) -> Option<Cgroup> {
    let cgroup = Cgroup::make(terms.supervisor.unwrap_or_else(getpid))?;
    if let Some(processes) = terms.limits.processes {
        cgroup.limit_tasks(processes.saturating_mul(TASKS_OF_A_PROCESS));
    }
    Some(cgroup)
}

/// Starts the program as the leader of a process group, in the control group.
fn start(
    program: &OsString,
    arguments: &[OsString],
    stdin: Stdio,
    stdout: Stdio,
    cgroup: Option<&Cgroup>,
) -> io::Result<Pid> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(stdin).stdout(stdout);
    command.process_group(0);
    let child = match cgroup {
        Some(cgroup) => cgroup.with_children(|| command.spawn()),
        None => command.spawn(),
    }?;
    Ok(Pid::from_child(&child))
}

/// A copy of standard error.
fn log() -> io::Result<Stdio> {
    Ok(io::stderr().as_fd().try_clone_to_owned()?.into())
}

/// Sets the kernel's limits for each process of the program, far above the measured limits, and forbids core
/// dumps, which may take long.
fn limit(leader: Pid, limits: ResourceLimits) {
    let ResourceLimits {
        memory_mib,
        cpu_s,
        processes: _,
        disk_mib,
    } = limits;
    let memory = memory_mib.map(|limit| {
        let mib = limit.saturating_mul(2).saturating_add(MEMORY_MARGIN_MIB);
        (Resource::Data, mib.saturating_mul(1 << 20))
    });
    let cpu = cpu_s.map(|limit| (Resource::Cpu, limit.saturating_add(CPU_MARGIN_S)));
    let disk = disk_mib.map(|limit| (Resource::Fsize, limit.saturating_mul(1 << 20)));
    let all = [Some((Resource::Core, 0)), memory, cpu, disk];
    for (resource, limit) in all.into_iter().flatten() {
        let most = Rlimit {
            current: Some(limit),
            maximum: Some(limit),
        };
        // On failure the measured limits still hold.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::prlimit(Some(leader), resource, most);
    }
}

fn write_report(report: &SupervisorReport) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", report.line())?;
    out.flush()
}

/// Reads the lines of the runner.
fn listen(events: Sender<SupervisorEvent>) -> io::Result<()> {
    on_thread(move || {
        for line in io::stdin().lock().lines() {
            match line {
                Ok(line) if line == END => {
                    let _ = events.send(SupervisorEvent::End);
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        let _ = events.send(SupervisorEvent::UserGone);
    })
}

/// Receives the orders of a restarter.
fn take_orders(events: Sender<SupervisorEvent>) -> io::Result<()> {
    on_thread(move || {
        while let Some((order, files)) = orders::receive(io::stdin()) {
            let next = match order {
                Order::Start => match <[OwnedFd; 2]>::try_from(files) {
                    Ok(pipes) => SupervisorEvent::Start(pipes),
                    Err(_) => continue,
                },
                Order::Leave => SupervisorEvent::Leave,
                Order::End => SupervisorEvent::End,
                Order::Kill => SupervisorEvent::Kill,
            };
            if events.send(next).is_err() {
                return;
            }
        }
        let _ = events.send(SupervisorEvent::UserGone);
    })
}

/// Reaps every process that ends, so that none is left as a zombie.
fn wait_for_all(events: Sender<SupervisorEvent>) -> io::Result<()> {
    on_thread(move || {
        loop {
            let sent = match rustix::process::wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) => events.send(SupervisorEvent::Ended(pid, status)),
                Ok(None) | Err(rustix::io::Errno::INTR) => Ok(()),
                Err(_) => {
                    let _ = events.send(SupervisorEvent::NoneLeft);
                    return;
                }
            };
            if sent.is_err() {
                return;
            }
        }
    })
}

/// The number of threads is limited, and a program whose supervisor panics would run on.
fn on_thread(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}
