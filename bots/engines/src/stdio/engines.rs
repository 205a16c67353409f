use std::collections::BTreeMap;
use std::fmt;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::engine::{Engine, GRACE};
use super::{EngineFault, EngineHello};
use crate::supervise::{End, Keeper};

/// How long an engine may take to say hello, unless it is told otherwise.
pub const START_LIMIT: Duration = Duration::from_mins(1);
/// The most matches that an engine may play at the same time.
pub const MATCHES_OF_ENGINE_MAX: u32 = 1024;

/// Takes when a program was started, and how it ended.
pub type NoteEnd = dyn Fn(SystemTime, &End) + Send + Sync;

/// How an engine is started.
pub struct Launch {
    /// Makes the command of a supervisor that [`keep`](crate::supervise::keep)s the program.
    pub command: Box<dyn Fn() -> std::io::Result<Command> + Send + Sync>,
    /// Who starts it: a program and its version.
    pub bridge: String,
    /// What is set on it.
    pub options: BTreeMap<String, String>,
    /// What its random choices may follow from besides those of a decision.
    pub seed: u64,
    /// How long it may take to say hello.
    pub start_limit: Duration,
    /// How many run at the same time at most.
    pub processes_max: usize,
    /// Whether each plays one match only.
    pub restart: bool,
    /// How often they may fail before none is started any more; none for no limit.
    pub ends_max: Option<u32>,
    /// Notes something for the engine's author, a line.
    pub note: Box<dyn Fn(&str) + Send + Sync>,
    /// Notes what an engine wants to be noted, a line.
    pub info: Box<dyn Fn(&str) + Send + Sync>,
    /// Notes that a program that was started then has ended.
    pub on_end: Box<NoteEnd>,
    /// Supervisors without a program.
    pub idle: Mutex<Vec<Keeper>>,
}

/// The engines of a bot: the same program, started as often as matches need it. Clones share them;
/// when the last is dropped, they are told to end, and killed if they do not.
#[derive(Clone)]
pub struct Engines(Arc<Shared>);

struct Shared {
    launch: Arc<Launch>,
    stable: Mutex<Stable>,
    room: Condvar,
}

#[derive(Default)]
struct Stable {
    running: Vec<Kept>,
    /// Those that are being started.
    starting: usize,
    /// The supervisors of those that were told to end.
    leaving: Vec<Keeper>,
    ends: u32,
    last_end: String,
}

struct Kept {
    engine: Arc<Engine>,
    matches: u32,
}

/// A place for a match at an engine. It is free again when this is dropped.
pub(super) struct Seat {
    shared: Arc<Shared>,
    pub(super) engine: Arc<Engine>,
    /// Whether the engine was started for it.
    pub(super) is_new: bool,
}

impl Engines {
    /// Engines that are started by `launch`; none runs yet.
    #[must_use]
    pub fn new(launch: Launch) -> Self {
        Self(Arc::new(Shared {
            launch: Arc::new(launch),
            stable: Mutex::default(),
            room: Condvar::new(),
        }))
    }

    /// Starts engines, until so many run, or as many as may; tells who they are.
    ///
    /// # Errors
    ///
    /// None can be started, or it says no proper hello.
    pub fn warm_up(&self, processes: usize) -> Result<EngineHello, EngineFault> {
        let wanted = processes.clamp(1, self.0.launch.processes_max.max(1));
        let mut about = None;
        loop {
            let mut stable = self.0.stable();
            let there = stable.running.len() + stable.starting;
            if there >= wanted {
                let known = stable.running.first().map(|kept| kept.engine.about.clone());
                return about.or(known).ok_or(EngineFault::Mute(Duration::ZERO));
            }
            stable.starting += 1;
            drop(stable);
            let engine = self.0.start()?;
            about.get_or_insert_with(|| engine.about.clone());
            self.0.stable().running.push(Kept { engine, matches: 0 });
            self.0.room.notify_all();
        }
    }

    /// An engine for a match: one that has room, or one that is started for it. If as many run as may and
    /// none has room, it waits for one.
    pub(super) fn seat(&self) -> Result<Seat, EngineFault> {
        let shared = &self.0;
        let mut stable = shared.stable();
        loop {
            if let Some(kept) = stable.running.iter_mut().find(|kept| kept.has_room()) {
                kept.matches += 1;
                return Ok(Seat {
                    shared: Arc::clone(shared),
                    engine: Arc::clone(&kept.engine),
                    is_new: false,
                });
            }
            if let Some(limit) = shared.launch.ends_max
                && stable.ends >= limit
            {
                return Err(EngineFault::Gone {
                    ends: stable.ends,
                    last: stable.last_end.clone(),
                });
            }
            if stable.running.len() + stable.starting < shared.launch.processes_max.max(1) {
                break;
            }
            let waited = shared.room.wait(stable);
            stable = waited.unwrap_or_else(PoisonError::into_inner);
        }
        stable.starting += 1;
        drop(stable);
        let engine = shared.start()?;
        let kept = Kept {
            engine: Arc::clone(&engine),
            matches: 1,
        };
        shared.stable().running.push(kept);
        // It may have room for more.
        shared.room.notify_all();
        Ok(Seat {
            shared: Arc::clone(shared),
            engine,
            is_new: true,
        })
    }

    /// Tells all that run to end, and waits until they have; what does not is killed.
    pub fn close(&self) {
        self.0.close();
    }

    /// Notes something for the engine's author.
    pub(super) fn note(&self, text: &str) {
        self.0.launch.note(text);
    }
}

impl Kept {
    fn has_room(&self) -> bool {
        self.matches < self.engine.about.matches
    }
}

impl Shared {
    fn close(&self) {
        let mut stable = self.stable();
        let mut leaving = std::mem::take(&mut stable.leaving);
        let running = std::mem::take(&mut stable.running);
        drop(stable);
        leaving.extend(running.iter().filter_map(|kept| kept.engine.quit()));
        for keeper in leaving {
            drop(self.wait_for(keeper));
        }
    }

    fn stable(&self) -> MutexGuard<'_, Stable> {
        self.stable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts an engine, for which `starting` was counted.
    fn start(&self) -> Result<Arc<Engine>, EngineFault> {
        let started = self.keeper().and_then(|mut keeper| match keeper.start() {
            Ok(pipes) => Ok((keeper, pipes)),
            Err(error) => {
                self.launch.give_back(keeper);
                Err(EngineFault::NotStarted(error.to_string()))
            }
        });
        let greeted = started
            .and_then(|(keeper, pipes)| Engine::greet(Arc::clone(&self.launch), keeper, pipes));
        let mut stable = self.stable();
        stable.starting -= 1;
        if let Err(fault) = &greeted {
            stable.count(fault);
            self.launch.note(&fault.to_string());
            // Whoever waits for room may start one, or none may be started any more.
            self.room.notify_all();
        }
        greeted.map(Arc::new)
    }

    /// A supervisor: one that has none to supervise, or a new one, or the first that is to be left.
    fn keeper(&self) -> Result<Keeper, EngineFault> {
        if let Some(keeper) = self.launch.idle_keeper() {
            return Ok(keeper);
        }
        let mut stable = self.stable();
        let spare = stable.leaving.len() + stable.running.len() + stable.starting;
        let may_be_more = spare <= self.launch.processes_max + 1;
        if !may_be_more && !stable.leaving.is_empty() {
            let keeper = stable.leaving.remove(0);
            drop(stable);
            if let Some(keeper) = self.wait_for(keeper) {
                return Ok(keeper);
            }
        } else {
            drop(stable);
        }
        let not_started = |error: std::io::Error| EngineFault::NotStarted(error.to_string());
        let command = (self.launch.command)().map_err(not_started)?;
        Keeper::new(command).map_err(not_started)
    }

    /// Waits for the end of a program that was told to end.
    fn wait_for(&self, mut keeper: Keeper) -> Option<Keeper> {
        let end = keeper.ended(GRACE * 2);
        self.launch.note_end(keeper.started(), &end);
        (!keeper.is_gone()).then_some(keeper)
    }
}

impl Stable {
    fn count(&mut self, fault: &EngineFault) {
        self.ends += 1;
        self.last_end = fault.to_string();
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let shared = &self.shared;
        let fault = self.engine.fault();
        let mut stable = shared.stable();
        let place = stable
            .running
            .iter()
            .position(|kept| Arc::ptr_eq(&kept.engine, &self.engine));
        let Some(place) = place else {
            return;
        };
        stable.running[place].matches -= 1;
        let quits = fault.is_none() && shared.launch.restart;
        if fault.is_some() || quits {
            stable.running.remove(place);
        }
        if let Some(fault) = &fault {
            stable.count(fault);
        }
        drop(stable);
        if fault.is_some() {
            self.engine.kill();
        }
        // It may take a while to be told.
        if quits && let Some(keeper) = self.engine.quit() {
            shared.stable().leaving.push(keeper);
        }
        // Whoever waits for room may start one, or none may be started any more.
        shared.room.notify_all();
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.close();
    }
}

impl Launch {
    pub(super) fn note(&self, text: &str) {
        (self.note)(text);
    }

    pub(super) fn info(&self, text: &str) {
        (self.info)(text);
    }

    pub(super) fn note_end(&self, started: SystemTime, end: &End) {
        (self.on_end)(started, end);
    }

    /// A supervisor has no program any more.
    pub(super) fn give_back(&self, keeper: Keeper) {
        if keeper.is_gone() {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(keeper);
    }

    fn idle_keeper(&self) -> Option<Keeper> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.pop()
    }
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("bridge", &self.bridge)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Engines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engines")
            .field("launch", &self.0.launch)
            .finish_non_exhaustive()
    }
}
