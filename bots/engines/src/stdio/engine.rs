use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dragontooth_games::counted;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, read, write};

use super::inbox::Inbox;
use super::launch::Launch;
use super::messages::{HelloMessage, PROTOCOL, RefusedMessage, ToEngine};
use super::pending_replies::{PendingReplies, Wanted};
use super::{EngineFault, EngineHello, FromEngine, LINE_BYTES_MAX, shortened};
use crate::supervise::{Order, Pipes, Restarter};

/// Time for an engine to be ready for a match.
pub const READY_LIMIT: Duration = Duration::from_secs(10);
/// Time for an engine to stop or to exit before it is killed.
pub const GRACE: Duration = Duration::from_secs(2);
/// Time for an engine to read a message.
pub const WRITE_LIMIT: Duration = Duration::from_secs(2);
/// Largest number of refused lines between two answers.
pub const REFUSED_MAX: u32 = 100;
/// Largest number of bytes written between two answers.
pub const FLOOD_BYTES_MAX: usize = 1 << 20;

/// Number of seeds: a whole number below 2^53 is exact in every language.
const SEEDS: u64 = 1 << 53;
/// Interval at which a waiting thread checks that its answer is still wanted.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// Time for the process to end after the engine closed its input or its output.
const END_KNOWN: Duration = Duration::from_millis(500);
/// Size of the read buffer.
const READ_BYTES: usize = 1 << 16;

/// A running engine. Several matches may ask it at the same time: the thread that waits first reads for
/// all of them.
pub(super) struct Engine {
    launch: Arc<Launch>,
    /// Its hello.
    pub(super) about: EngineHello,
    /// `None` after `quit`.
    stdin: Mutex<Option<OwnedFd>>,
    stdout: Mutex<Stdout>,
    restarter: Mutex<Option<Restarter>>,
    replies: Mutex<PendingReplies>,
    news: Condvar,
}

struct Stdout {
    pipe: OwnedFd,
    inbox: Inbox,
    buffer: Vec<u8>,
}

/// The reason why a wait ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The time is over.
    Late,
    /// The answer is not wanted any more.
    Unwanted,
    /// The engine has failed.
    Fault(EngineFault),
}

impl Engine {
    /// Exchanges hellos with an engine that has just been started.
    pub(super) fn greet(
        launch: Arc<Launch>,
        restarter: Restarter,
        pipes: Pipes,
    ) -> Result<Self, EngineFault> {
        let begun = ioctl_fionbio(&pipes.stdin, true);
        let mut engine = Self {
            about: EngineHello::unknown(),
            stdin: Mutex::new(Some(pipes.stdin)),
            stdout: Mutex::new(Stdout {
                pipe: pipes.stdout,
                inbox: Inbox::default(),
                buffer: vec![0; READ_BYTES],
            }),
            restarter: Mutex::new(Some(restarter)),
            replies: Mutex::default(),
            news: Condvar::new(),
            launch,
        };
        if let Err(error) = begun {
            engine.kill();
            return Err(EngineFault::NotStarted(error.to_string()));
        }
        match engine.say_hello() {
            Ok(mut about) => {
                if engine.launch.restart {
                    // The end of its match is that of the process.
                    about.matches = 1;
                }
                engine.about = about;
                Ok(engine)
            }
            Err(fault) => {
                engine.kill();
                Err(fault)
            }
        }
    }

    fn say_hello(&self) -> Result<EngineHello, EngineFault> {
        let mut lines = Vec::new();
        let hello = ToEngine::Hello(HelloMessage {
            protocol: PROTOCOL,
            bridge: (&*self.launch.bridge).into(),
            options: std::borrow::Cow::Borrowed(&self.launch.options),
            // Small seeds, which people choose, stay as they are.
            seed: self.launch.seed % SEEDS,
        });
        hello.write(&mut lines);
        self.send(&lines)?;
        let limit = self.launch.start_limit;
        let until = Instant::now().checked_add(limit);
        match self.wait(Wanted::Hello, until, &|| false) {
            Ok(FromEngine::Hello(about)) => Ok(about),
            Ok(_) | Err(NoAnswer::Late | NoAnswer::Unwanted) => Err(EngineFault::NoHello(limit)),
            Err(NoAnswer::Fault(EngineFault::Ended(status))) => {
                Err(EngineFault::EndedEarly(status))
            }
            Err(NoAnswer::Fault(fault)) => Err(fault),
        }
    }

    /// Waits until the engine has processed everything that was sent.
    pub(super) fn be_ready(&self) -> Result<(), NoAnswer> {
        let mut lines = Vec::new();
        ToEngine::IsReady.write(&mut lines);
        self.replies().expect_ready();
        self.send(&lines).map_err(NoAnswer::Fault)?;
        let until = Instant::now().checked_add(READY_LIMIT);
        let ready = self.wait(Wanted::Ready, until, &|| false).map(drop);
        if ready == Err(NoAnswer::Late) {
            self.replies().forgo_ready();
        }
        ready
    }

    /// Accepts answers for a match from now on.
    pub(super) fn add_match(&self, match_id: &str) {
        self.replies().add_match(match_id);
    }

    /// Refuses answers for a match from now on.
    pub(super) fn remove_match(&self, match_id: &str) {
        self.replies().remove_match(match_id);
    }

    /// Sends the lines of a question and returns the answer.
    pub(super) fn ask(
        &self,
        match_id: &str,
        decision: u64,
        lines: &[u8],
        until: Option<Instant>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<FromEngine, NoAnswer> {
        self.replies().expect_answer(match_id, decision);
        self.send(lines).map_err(NoAnswer::Fault)?;
        self.wait(Wanted::Answer(match_id), until, is_over)
    }

    /// Sends the lines of a stop and discards the answer. Without an answer, the engine is killed.
    pub(super) fn stop(&self, match_id: &str, lines: &[u8]) {
        if self.send(lines).is_err() {
            return;
        }
        let until = Instant::now().checked_add(GRACE);
        let answer = self.wait(Wanted::Answer(match_id), until, &|| false);
        if matches!(answer, Err(NoAnswer::Late)) {
            let fault = self.fail(EngineFault::NotStopped(GRACE));
            self.note(&format!("killed: {fault}"));
        }
    }

    /// Sends complete lines. If the engine has closed its input they are lost, and the next wait reports
    /// the fault.
    pub(super) fn send(&self, lines: &[u8]) -> Result<(), EngineFault> {
        let stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(pipe) = &*stdin else {
            return Ok(());
        };
        let mut rest = lines;
        let mut until = None;
        while !rest.is_empty() {
            match write(pipe, rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let now = Instant::now();
                    let until = *until.get_or_insert(now + WRITE_LIMIT);
                    if now >= until {
                        drop(stdin);
                        return Err(self.fail(EngineFault::NotReading(WRITE_LIMIT)));
                    }
                    let mut wanted = [PollFd::new(pipe, PollFlags::OUT)];
                    // The write is tried again in any case.
                    let _ = poll(&mut wanted, Some(&timespec(until - now)));
                }
                Err(_) => {
                    self.replies().closed.get_or_insert_with(Instant::now);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Notes what it has written without a line feed, which nobody reads: the end of an answer may be missing.
    pub(super) fn note_unfinished(&self) {
        let stdout = self.stdout.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = stdout.inbox.unfinished();
        if !rest.is_empty() {
            self.note(&format!(
                "it had written {} without a line feed: \"{}\"",
                counted(rest.len(), "byte"),
                shortened(rest)
            ));
        }
    }

    /// Returns the fault that ended the engine, if any.
    pub(super) fn fault(&self) -> Option<EngineFault> {
        self.replies().fault.clone()
    }

    /// Asks it to exit, and has it killed if it does not. Returns its supervisor.
    pub(super) fn quit(&self) -> Option<Restarter> {
        let mut lines = Vec::new();
        ToEngine::Quit.write(&mut lines);
        // A closed input and the supervisor ask it to exit as well.
        let _ = self.send(&lines);
        *self.stdin.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let restarter = self.take_restarter();
        if let Some(restarter) = &restarter {
            restarter.order(Order::Leave);
        }
        restarter
    }

    /// Kills it.
    pub(super) fn kill(&self) {
        if let Some(mut restarter) = self.take_restarter() {
            restarter.order(Order::Kill);
            let end = restarter.ended(GRACE);
            self.launch.note_end(restarter.started(), &end);
            self.launch.give_back(restarter);
        }
    }

    pub(super) fn take_restarter(&self) -> Option<Restarter> {
        let mut restarter = self
            .restarter
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        restarter.take()
    }

    fn note(&self, text: &str) {
        self.launch.note(text);
    }

    fn replies(&self) -> MutexGuard<'_, PendingReplies> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the engine and ends all waits with the fault. The first fault counts; it is returned.
    pub(super) fn fail(&self, fault: EngineFault) -> EngineFault {
        let mut replies = self.replies();
        let first = replies.fault.get_or_insert(fault).clone();
        self.announce(&replies);
        drop(replies);
        let restarter = self
            .restarter
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(restarter) = &*restarter {
            restarter.order(Order::Kill);
        }
        first
    }

    fn wait(
        &self,
        wanted: Wanted<'_>,
        until: Option<Instant>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<FromEngine, NoAnswer> {
        let mut replies = self.replies();
        loop {
            if let Some(found) = replies.find(wanted) {
                return Ok(found);
            }
            if let Some(fault) = &replies.fault {
                return Err(NoAnswer::Fault(fault.clone()));
            }
            if is_over() {
                return Err(NoAnswer::Unwanted);
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Err(NoAnswer::Late);
            }
            let pause = left.map_or(LOOK_AGAIN, |left| left.min(LOOK_AGAIN));
            if replies.reading {
                replies.waiting += 1;
                let woken = self.news.wait_timeout(replies, pause);
                replies = woken.unwrap_or_else(PoisonError::into_inner).0;
                replies.waiting -= 1;
                continue;
            }
            replies.reading = true;
            let is_closed = replies.closed.is_some_and(|at| at.elapsed() >= END_KNOWN);
            drop(replies);
            let result = self.read(pause, is_closed);
            replies = self.replies();
            replies.reading = false;
            if let Err(fault) = result {
                drop(replies);
                self.fail(fault);
                replies = self.replies();
            }
            self.announce(&replies);
        }
    }

    /// Wakes the threads that wait for what this one has read.
    fn announce(&self, replies: &PendingReplies) {
        if replies.waiting > 0 {
            self.news.notify_all();
        }
    }

    /// Reads what arrives within `pause`. If the engine has closed its input, nothing to read is a fault.
    fn read(&self, pause: Duration, is_closed: bool) -> Result<(), EngineFault> {
        let mut stdout = self.stdout.lock().unwrap_or_else(PoisonError::into_inner);
        let Stdout {
            pipe,
            inbox,
            buffer,
        } = &mut *stdout;
        let mut wanted = [PollFd::new(pipe, PollFlags::IN)];
        match poll(&mut wanted, Some(&timespec(pause))) {
            Ok(0) if is_closed => return Err(self.how_it_ended("input")),
            Ok(0) => {
                self.look_at_input();
                return Ok(());
            }
            Err(Errno::INTR) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(EngineFault::Ended(error.to_string())),
        }
        let count = match read(&*pipe, buffer.as_mut_slice()) {
            Ok(0) => return Err(self.how_it_ended("output")),
            Ok(count) => count,
            Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(EngineFault::Ended(error.to_string())),
        };
        inbox.push(&buffer[..count]);
        loop {
            match inbox.next_line() {
                Ok(Some(line)) => self.take(line)?,
                Ok(None) => return Ok(()),
                Err(long) => {
                    return Err(EngineFault::LongLine {
                        bytes: LINE_BYTES_MAX,
                        begin: long.begin,
                    });
                }
            }
        }
    }

    /// Notices that the engine has closed its input, while there is nothing to write and nothing to read.
    fn look_at_input(&self) {
        let Ok(stdin) = self.stdin.try_lock() else {
            // It is being written to, which shows the same.
            return;
        };
        let Some(pipe) = &*stdin else {
            return;
        };
        // An error is reported in any case.
        let mut wanted = [PollFd::new(pipe, PollFlags::empty())];
        if poll(&mut wanted, Some(&Timespec::default())) == Ok(1) {
            self.replies().closed.get_or_insert_with(Instant::now);
        }
    }

    /// Returns the fault of an engine that closed its input or its output. If it is still running, it is
    /// killed.
    fn how_it_ended(&self, closed: &str) -> EngineFault {
        let mut kept = self
            .restarter
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Some(mut restarter) = kept.take() else {
            // Another thread has asked it to exit.
            return EngineFault::MatchOver;
        };
        let since = Instant::now();
        let end = restarter.ended(END_KNOWN);
        let ran_on = since.elapsed() >= END_KNOWN;
        self.launch.note_end(restarter.started(), &end);
        self.launch.give_back(restarter);
        match end.exceeded {
            Some(exceeded) => EngineFault::Exceeded(exceeded),
            None if ran_on => {
                let status = end.status;
                EngineFault::Ended(format!("it closed its {closed} and was killed: {status}"))
            }
            None => EngineFault::Ended(end.status),
        }
    }

    /// Processes a line.
    fn take(&self, line: &[u8]) -> Result<(), EngineFault> {
        let mut replies = self.replies();
        replies.bytes += line.len() + 1;
        if replies.bytes > FLOOD_BYTES_MAX {
            return Err(EngineFault::Flood {
                bytes: FLOOD_BYTES_MAX,
                line: shortened(line),
            });
        }
        let reason = match FromEngine::read(line) {
            Ok(FromEngine::Info(text)) => {
                drop(replies);
                self.launch.info(&shortened(text.as_bytes()));
                return Ok(());
            }
            Ok(FromEngine::Thinking { to, thinking, text }) => {
                replies.note_thinking(&to, thinking);
                drop(replies);
                if let Some(text) = text {
                    self.launch.info(&shortened(text.as_bytes()));
                }
                return Ok(());
            }
            Ok(message) => match replies.take(message) {
                Ok(()) => return Ok(()),
                Err(reason) => reason,
            },
            Err(error) if error.is_of_hello() && replies.hello.is_none() => {
                return Err(EngineFault::BadHello {
                    line: shortened(line),
                    reason: error.to_string(),
                });
            }
            Err(error) => error.to_string(),
        };
        replies.refused += 1;
        let is_too_much = replies.refused > REFUSED_MAX;
        drop(replies);
        self.refuse(line, reason, is_too_much)
    }

    fn refuse(&self, line: &[u8], reason: String, is_too_much: bool) -> Result<(), EngineFault> {
        let line = shortened(line);
        self.note(&format!("refused the line {line}: {reason}"));
        if is_too_much {
            return Err(EngineFault::Refused {
                count: REFUSED_MAX,
                line,
                reason,
            });
        }
        let mut lines = Vec::new();
        let refused = ToEngine::Refused(RefusedMessage {
            reason: reason.into(),
            line: line.into(),
            field: None,
        });
        refused.write(&mut lines);
        self.send(&lines)
    }
}

impl EngineHello {
    /// Stands in until the engine's own hello has arrived.
    const fn unknown() -> Self {
        Self {
            protocol: 0,
            name: String::new(),
            version: String::new(),
            author: String::new(),
            games: Vec::new(),
            matches: 1,
            legal: false,
        }
    }
}

fn timespec(time: Duration) -> Timespec {
    // A time that the system cannot express is longer than any wait here.
    Timespec::try_from(time).unwrap_or(Timespec {
        tv_sec: 3600,
        tv_nsec: 0,
    })
}
