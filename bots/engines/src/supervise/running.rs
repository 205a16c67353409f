use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus};
use rustix::process::{kill_process, kill_process_group};

use super::cgroup::Cgroup;
use super::meter::{Allowance, Meter};
use super::orders::{self, Order};
use super::processes;
use super::report::{END, Report};

/// How long what has been killed has to be gone before it is killed again, with what it may have
/// started in between.
const KILL_AGAIN: Duration = Duration::from_millis(10);
/// How long those whom a program leaves behind may live on, so that nobody has to be sought where
/// nobody is.
const LEFT_BEHIND: Duration = Duration::from_millis(2);
/// What the kernel refuses to a single process lies beyond what is measured of all, so that
/// exceeding it has a name: this many MiB and twice the memory that is allowed.
const MEMORY_MARGIN_MIB: u64 = 64;
/// The same for the time of processors.
const CPU_MARGIN_S: u64 = 2;

/// Starts a program and stays until it and all that it has started have ended: reads from standard
/// input what is wanted, and tells it by [`Report`]s on standard output. What the program
/// writes goes to standard error.
///
/// # Errors
///
/// Nobody can be told; nothing of the program is left then either.
pub fn supervise(
    program: &OsString,
    arguments: &[OsString],
    allowance: Allowance,
    grace: Duration,
) -> io::Result<()> {
    become_subreaper();
    let cgroup = Cgroup::make();
    let leader = match start(program, arguments, Stdio::null(), log()?) {
        Ok(leader) => leader,
        Err(error) => return tell(&Report::NotStarted(error.to_string())),
    };
    let (sender, news) = channel();
    listen(sender.clone());
    let mut running = Running::new(leader, cgroup.as_ref(), Meter::new(allowance), grace);
    running.begin(allowance, sender);
    running.stay(&news);
    tell(&running.report())
}

/// Starts a program whenever a [`Keeper`](super::Keeper) wants it, one at a time, and stays as long as there is
/// one who could want it: reads [`Order`]s from the socket that is its standard input, and tells how
/// it goes by [`Report`]s on standard output. What the program writes to standard error goes to
/// standard error.
///
/// # Errors
///
/// Nobody can be told; nothing of the program is left then either.
pub fn keep(
    program: &OsString,
    arguments: &[OsString],
    allowance: Allowance,
    grace: Duration,
) -> io::Result<()> {
    become_subreaper();
    let cgroup = Cgroup::make();
    let (sender, news) = channel();
    take_orders(sender.clone());
    while let Ok(next) = news.recv() {
        let [stdin, stdout] = match next {
            News::Start(pipes) => pipes,
            News::Alone => return Ok(()),
            // There is no program to which that could be done.
            News::End | News::Leave | News::Kill | News::Ended(..) | News::NobodyLeft => continue,
        };
        let meter = Meter::new(allowance);
        let leader = match start(program, arguments, stdin.into(), stdout.into()) {
            Ok(leader) => leader,
            Err(error) => {
                tell(&Report::NotStarted(error.to_string()))?;
                continue;
            }
        };
        let mut running = Running::new(leader, cgroup.as_ref(), meter, grace);
        running.begin(allowance, sender.clone());
        running.stay(&news);
        if running.alone {
            return Ok(());
        }
        tell(&running.report())?;
    }
    Ok(())
}

/// What happens to a supervisor.
enum News {
    /// The program is to be started with this input and output.
    Start([OwnedFd; 2]),
    /// The program is to be told to end.
    End,
    /// The program was told to end.
    Leave,
    /// The program is to be killed.
    Kill,
    /// Whoever has started this is gone.
    Alone,
    /// A process has ended.
    Ended(Pid, WaitStatus),
    /// None is left.
    NobodyLeft,
}

/// A program that runs, and all that it has started.
#[derive(Debug)]
struct Running<'a> {
    leader: Pid,
    cgroup: Option<&'a Cgroup>,
    meter: Meter,
    grace: Duration,
    /// Whether all are killed, again and again until none is left.
    killing: bool,
    /// When they are killed, if they have been asked to end.
    deadline: Option<Instant>,
    /// How the program ended.
    status: Option<WaitStatus>,
    exceeded: Option<String>,
    /// Whether there is nobody any more who could be told.
    alone: bool,
}

impl<'a> Running<'a> {
    const fn new(leader: Pid, cgroup: Option<&'a Cgroup>, meter: Meter, grace: Duration) -> Self {
        Self {
            leader,
            cgroup,
            meter,
            grace,
            killing: false,
            deadline: None,
            status: None,
            exceeded: None,
            alone: false,
        }
    }

    /// Puts the program within its limits and tells that it runs; `news` gets what becomes of its
    /// processes.
    fn begin(&mut self, allowance: Allowance, news: Sender<News>) {
        if let Some(cgroup) = self.cgroup {
            cgroup.take(self.leader);
        }
        limit(self.leader, allowance);
        self.killing = tell(&Report::Started(self.leader.as_raw_nonzero().get())).is_err();
        wait_for_all(news);
    }

    /// How it ended.
    fn report(&mut self) -> Report {
        Report::Ended {
            status: self.status.map_or_else(
                || "nobody knows how".to_owned(),
                |status| ExitStatus::from_raw(status.as_raw()).to_string(),
            ),
            exceeded: self.exceeded.take(),
            usage: self.meter.total(),
        }
    }

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
                Ok(News::Leave) => self.set_deadline(),
                Ok(News::Kill) => self.killing = true,
                Ok(News::Alone) => (self.alone, self.killing) = (true, true),
                Ok(News::Ended(pid, status)) if pid == self.leader => {
                    self.status = Some(status);
                    self.killing = true;
                    // Most leave nobody behind: that is told at once, and nobody needs be sought.
                    kill_at = Instant::now() + LEFT_BEHIND;
                }
                // One program at a time: the files of another are closed.
                Ok(News::Ended(..) | News::Start(_)) | Err(RecvTimeoutError::Timeout) => {}
                Ok(News::NobodyLeft) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn ask_to_end(&mut self) {
        if self.deadline.is_none() {
            self.set_deadline();
            // Whoever it does not reach is killed later.
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

/// Has this process adopt the descendants that lose their parents.
fn become_subreaper() {
    #[cfg(target_os = "linux")]
    {
        // Without it only the group can be killed.
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    }
}

/// Starts the program as the leader of a group.
fn start(
    program: &OsString,
    arguments: &[OsString],
    stdin: Stdio,
    stdout: Stdio,
) -> io::Result<Pid> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(stdin)
        .stdout(stdout)
        .process_group(0)
        .spawn()?;
    Ok(Pid::from_child(&child))
}

/// Where this process has its errors.
fn log() -> io::Result<Stdio> {
    Ok(io::stderr().as_fd().try_clone_to_owned()?.into())
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

/// Hears what a keeper wants.
fn take_orders(news: Sender<News>) {
    thread::spawn(move || {
        while let Some((order, files)) = orders::receive(io::stdin()) {
            let next = match order {
                Order::Start => match <[OwnedFd; 2]>::try_from(files) {
                    Ok(pipes) => News::Start(pipes),
                    Err(_) => continue,
                },
                Order::Leave => News::Leave,
                Order::End => News::End,
                Order::Kill => News::Kill,
            };
            if news.send(next).is_err() {
                return;
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
