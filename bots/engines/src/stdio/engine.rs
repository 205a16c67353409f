use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, read, write};

use super::desk::{Desk, Wanted};
use super::engines::Launch;
use super::inbox::Inbox;
use super::messages::{Hello, PROTOCOL, Refused, ToEngine};
use super::{EngineFault, EngineHello, FromEngine, LINE_BYTES_MAX, shortened};
use crate::supervise::{Keeper, Order, Pipes};

/// How long an engine may take to be ready for a match.
pub const READY_LIMIT: Duration = Duration::from_secs(10);
/// How long it may take to stop and to end before it is killed.
pub const GRACE: Duration = Duration::from_secs(2);
/// How long it may leave unread what it is told.
pub const WRITE_LIMIT: Duration = Duration::from_secs(2);
/// The lines of it that may be refused between two answers.
pub const REFUSED_MAX: u32 = 100;
/// The bytes that it may write between two answers.
pub const FLOOD_BYTES_MAX: usize = 1 << 20;

/// How often it is looked whether somebody waits for nothing any more.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How long the end of an engine that has closed its input or its output may take to be known.
const END_KNOWN: Duration = Duration::from_millis(500);
/// The bytes that are read at once.
const READ_BYTES: usize = 1 << 16;

/// An engine that runs. Several matches may ask it at the same time: whoever waits first reads for
/// all.
pub(super) struct Engine {
    launch: Arc<Launch>,
    /// Who it is.
    pub(super) about: EngineHello,
    /// None when it has been told to end.
    stdin: Mutex<Option<OwnedFd>>,
    stdout: Mutex<Stdout>,
    keeper: Mutex<Option<Keeper>>,
    desk: Mutex<Desk>,
    news: Condvar,
}

struct Stdout {
    pipe: OwnedFd,
    inbox: Inbox,
    buffer: Vec<u8>,
}

/// Why nothing came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// It is too late.
    Late,
    /// Nobody wants it any more.
    Unwanted,
    /// The engine has failed.
    Fault(EngineFault),
}

impl Engine {
    /// The engine that has just been started, once it has said who it is.
    pub(super) fn greet(
        launch: Arc<Launch>,
        keeper: Keeper,
        pipes: Pipes,
    ) -> Result<Self, EngineFault> {
        let begun = ioctl_fionbio(&pipes.stdin, true);
        let mut engine = Self {
            about: EngineHello::nobody(),
            stdin: Mutex::new(Some(pipes.stdin)),
            stdout: Mutex::new(Stdout {
                pipe: pipes.stdout,
                inbox: Inbox::default(),
                buffer: vec![0; READ_BYTES],
            }),
            keeper: Mutex::new(Some(keeper)),
            desk: Mutex::default(),
            news: Condvar::new(),
            launch,
        };
        if let Err(error) = begun {
            engine.kill();
            return Err(EngineFault::NotStarted(error.to_string()));
        }
        match engine.say_hello() {
            Ok(about) => {
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
        let hello = ToEngine::Hello(Hello {
            protocol: PROTOCOL,
            bridge: (&*self.launch.bridge).into(),
            options: std::borrow::Cow::Borrowed(&self.launch.options),
            seed: self.launch.seed,
        });
        hello.write(&mut lines);
        self.tell(&lines)?;
        let limit = self.launch.start_limit;
        let until = Instant::now().checked_add(limit);
        match self.wait(Wanted::Hello, until, &|| false) {
            Ok(FromEngine::Hello(about)) => Ok(about),
            Ok(_) | Err(Silence::Late | Silence::Unwanted) => Err(EngineFault::Mute(limit)),
            Err(Silence::Fault(fault)) => Err(fault),
        }
    }

    /// Waits until it has done all that it was told.
    pub(super) fn be_ready(&self) -> Result<(), EngineFault> {
        let mut lines = Vec::new();
        ToEngine::IsReady.write(&mut lines);
        self.desk().expect_ready();
        self.tell(&lines)?;
        match self.wait(
            Wanted::Ready,
            Instant::now().checked_add(READY_LIMIT),
            &|| false,
        ) {
            Ok(_) => Ok(()),
            Err(Silence::Late | Silence::Unwanted) => {
                Err(self.condemn(EngineFault::Unready(READY_LIMIT)))
            }
            Err(Silence::Fault(fault)) => Err(fault),
        }
    }

    /// A match begins or ends.
    pub(super) fn seat(&self, match_id: &str) {
        self.desk().seat(match_id);
    }

    pub(super) fn unseat(&self, match_id: &str) {
        self.desk().unseat(match_id);
    }

    /// Tells a question and gives the answer to it.
    pub(super) fn ask(
        &self,
        match_id: &str,
        decision: u64,
        lines: &[u8],
        until: Option<Instant>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<FromEngine, Silence> {
        self.desk().expect_answer(match_id, decision);
        self.tell(lines).map_err(Silence::Fault)?;
        self.wait(Wanted::Answer(match_id), until, is_over)
    }

    /// Tells it to stop and waits for its answer, which nobody wants. If none comes it is killed.
    pub(super) fn stop(&self, match_id: &str, lines: &[u8]) {
        if self.tell(lines).is_err() {
            return;
        }
        let until = Instant::now().checked_add(GRACE);
        let answer = self.wait(Wanted::Answer(match_id), until, &|| false);
        if matches!(answer, Err(Silence::Late)) {
            self.note(&format!(
                "killed: it did not stop within {} s",
                GRACE.as_secs()
            ));
            self.condemn(EngineFault::Ended("it did not stop".to_owned()));
        }
    }

    /// Tells lines, whole. Those for an engine that has closed its input are lost; that is found when it
    /// is waited for.
    pub(super) fn tell(&self, lines: &[u8]) -> Result<(), EngineFault> {
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
                        return Err(self.condemn(EngineFault::Deaf(WRITE_LIMIT)));
                    }
                    let mut wanted = [PollFd::new(pipe, PollFlags::OUT)];
                    // It is looked again whatever comes of it.
                    let _ = poll(&mut wanted, Some(&timespec(until - now)));
                }
                Err(_) => {
                    self.desk().closed.get_or_insert_with(Instant::now);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Why it cannot be asked any more, if so.
    pub(super) fn fault(&self) -> Option<EngineFault> {
        self.desk().fault.clone()
    }

    /// Tells it to end. It is killed if it does not.
    pub(super) fn quit(&self) -> Option<Keeper> {
        let mut lines = Vec::new();
        ToEngine::Quit.write(&mut lines);
        // It is told to end in other ways, too.
        let _ = self.tell(&lines);
        *self.stdin.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let keeper = self.take_keeper();
        if let Some(keeper) = &keeper {
            keeper.order(Order::Leave);
        }
        keeper
    }

    /// Kills it.
    pub(super) fn kill(&self) {
        if let Some(mut keeper) = self.take_keeper() {
            keeper.order(Order::Kill);
            let end = keeper.ended(GRACE);
            self.launch.note_end(keeper.started(), &end);
            self.launch.give_back(keeper);
        }
    }

    pub(super) fn take_keeper(&self) -> Option<Keeper> {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        keeper.take()
    }

    fn note(&self, text: &str) {
        self.launch.note(text);
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It cannot be asked any more: it is killed, and all who wait are told why. The first fault
    /// counts.
    fn condemn(&self, fault: EngineFault) -> EngineFault {
        let mut desk = self.desk();
        let told = desk.fault.get_or_insert(fault).clone();
        drop(desk);
        self.news.notify_all();
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(keeper) = &*keeper {
            keeper.order(Order::Kill);
        }
        told
    }

    fn wait(
        &self,
        wanted: Wanted<'_>,
        until: Option<Instant>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<FromEngine, Silence> {
        let mut desk = self.desk();
        loop {
            if let Some(found) = desk.find(wanted) {
                return Ok(found);
            }
            if let Some(fault) = &desk.fault {
                return Err(Silence::Fault(fault.clone()));
            }
            if is_over() {
                return Err(Silence::Unwanted);
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Err(Silence::Late);
            }
            let pause = left.map_or(LOOK_AGAIN, |left| left.min(LOOK_AGAIN));
            if desk.reading {
                let told = self.news.wait_timeout(desk, pause);
                desk = told.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            desk.reading = true;
            let is_deaf = desk.closed.is_some_and(|at| at.elapsed() >= END_KNOWN);
            drop(desk);
            let came = self.read(pause, is_deaf);
            desk = self.desk();
            desk.reading = false;
            if let Err(fault) = came {
                drop(desk);
                self.condemn(fault);
                desk = self.desk();
            }
            self.news.notify_all();
        }
    }

    /// Reads what comes within a time; from an engine that has closed its input, what has come.
    fn read(&self, pause: Duration, is_deaf: bool) -> Result<(), EngineFault> {
        let mut stdout = self.stdout.lock().unwrap_or_else(PoisonError::into_inner);
        let Stdout {
            pipe,
            inbox,
            buffer,
        } = &mut *stdout;
        let mut wanted = [PollFd::new(pipe, PollFlags::IN)];
        match poll(&mut wanted, Some(&timespec(pause))) {
            Ok(0) if is_deaf => return Err(self.how_it_ended("input")),
            Ok(0) | Err(Errno::INTR) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(EngineFault::Ended(error.to_string())),
        }
        let count = match read(&*pipe, buffer.as_mut_slice()) {
            Ok(0) => return Err(self.how_it_ended("output")),
            Ok(count) => count,
            Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(EngineFault::Ended(error.to_string())),
        };
        inbox.take(&buffer[..count]);
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

    /// It has closed its input or its output: if it runs on, it is killed.
    fn how_it_ended(&self, closed: &str) -> EngineFault {
        let mut kept = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut keeper) = kept.take() else {
            // Somebody has told it to.
            return EngineFault::MatchOver;
        };
        let since = Instant::now();
        let end = keeper.ended(END_KNOWN);
        let ran_on = since.elapsed() >= END_KNOWN;
        self.launch.note_end(keeper.started(), &end);
        self.launch.give_back(keeper);
        match end.exceeded {
            Some(exceeded) => EngineFault::Exceeded(exceeded),
            None if ran_on => {
                let status = end.status;
                EngineFault::Ended(format!("it closed its {closed} and was killed: {status}"))
            }
            None => EngineFault::Ended(end.status),
        }
    }

    /// Takes a line.
    fn take(&self, line: &[u8]) -> Result<(), EngineFault> {
        let mut desk = self.desk();
        desk.bytes += line.len() + 1;
        if desk.bytes > FLOOD_BYTES_MAX {
            return Err(EngineFault::Flood {
                bytes: FLOOD_BYTES_MAX,
                line: shortened(line),
            });
        }
        let reason = match FromEngine::read(line) {
            Ok(FromEngine::Info(text)) => {
                drop(desk);
                self.launch.info(&shortened(text.as_bytes()));
                return Ok(());
            }
            Ok(message) => match desk.take(message) {
                Ok(()) => return Ok(()),
                Err(reason) => reason,
            },
            Err(error) if error.is_of_hello() && desk.hello.is_none() => {
                return Err(EngineFault::BadHello {
                    line: shortened(line),
                    reason: error.to_string(),
                });
            }
            Err(error) => error.to_string(),
        };
        desk.refused += 1;
        let is_too_much = desk.refused > REFUSED_MAX;
        drop(desk);
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
        let refused = ToEngine::Refused(Refused {
            reason: reason.into(),
            line: line.into(),
        });
        refused.write(&mut lines);
        self.tell(&lines)
    }
}

impl EngineHello {
    /// Before anybody has said who it is.
    const fn nobody() -> Self {
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
    // One that is too long for the system is longer than anybody waits.
    Timespec::try_from(time).unwrap_or(Timespec {
        tv_sec: 3600,
        tv_nsec: 0,
    })
}
