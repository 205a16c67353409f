use std::fmt;
use std::io;
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::engine::{Engine, GRACE, NoAnswer, READY_LIMIT};
use super::launch::Launch;
use super::{EngineFault, EngineHello};
use crate::supervise::{Pipes, Restarter};

/// The engines of a bot: a pool of processes of the same program, started as matches need them. Clones
/// share the pool; when the last one is dropped, the processes are asked to exit, and killed if they do not.
#[derive(Clone)]
pub struct Engines(Arc<Shared>);

struct Shared {
    launch: Arc<Launch>,
    pool: Mutex<Pool>,
    room: Condvar,
}

#[derive(Default)]
struct Pool {
    running: Vec<PooledEngine>,
    /// Number of engines that are being started.
    starting: usize,
    /// The supervisors of engines that were asked to exit.
    leaving: Vec<Restarter>,
    ends: u32,
    last_end: String,
}

struct PooledEngine {
    engine: Arc<Engine>,
    matches: u32,
    /// True if it was not ready for another match: it gets none until those that it has are over.
    is_busy: bool,
}

/// A match's place at an engine. Dropping it frees the place.
pub(super) struct EngineSlot {
    shared: Arc<Shared>,
    pub(super) engine: Arc<Engine>,
    /// True if the engine was started for this match.
    pub(super) is_new: bool,
}

impl Engines {
    /// Creates a pool whose engines are started by `launch`; none is running yet.
    #[must_use]
    pub fn new(launch: Launch) -> Self {
        Self(Arc::new(Shared {
            launch: Arc::new(launch),
            pool: Mutex::default(),
            room: Condvar::new(),
        }))
    }

    /// Starts engines until `processes` or the largest allowed number are running, all at the same time, and returns the
    /// hello of one.
    ///
    /// # Errors
    ///
    /// An engine cannot be started, or its hello is missing or invalid.
    pub fn warm_up(&self, processes: usize) -> Result<EngineHello, EngineFault> {
        let shared = &*self.0;
        let wanted = processes.clamp(1, shared.launch.processes_max.max(1));
        thread::scope(|scope| {
            let others = (1..wanted).map_while(|_| {
                let other = thread::Builder::new();
                // The threads that there are start them all.
                other.spawn_scoped(scope, || shared.fill(wanted)).ok()
            });
            let others: Vec<_> = others.collect();
            let own = shared.fill(wanted);
            let joined = others.into_iter().map(thread::ScopedJoinHandle::join);
            let mut results =
                joined.map(|ended| ended.unwrap_or_else(|panic| resume_unwind(panic)));
            own.and(results.find(Result::is_err).unwrap_or(Ok(())))
        })?;
        let pool = shared.pool();
        let known = pool.running.first().map(|pooled| &pooled.engine.about);
        known.cloned().ok_or(EngineFault::NoHello(Duration::ZERO))
    }

    /// Returns a place at an engine that has room, or at a new engine. Waits for room if the largest
    /// number of engines is running.
    pub(super) fn slot(&self) -> Result<EngineSlot, EngineFault> {
        let shared = &self.0;
        let mut pool = shared.pool();
        loop {
            if let Some(pooled) = pool.running.iter_mut().find(|pooled| pooled.has_room()) {
                pooled.matches += 1;
                return Ok(EngineSlot {
                    shared: Arc::clone(shared),
                    engine: Arc::clone(&pooled.engine),
                    is_new: false,
                });
            }
            if let Some(limit) = shared.launch.ends_max
                && pool.ends >= limit
            {
                return Err(EngineFault::TooManyEnds {
                    ends: pool.ends,
                    last: pool.last_end.clone(),
                });
            }
            if pool.running.len() + pool.starting < shared.launch.processes_max.max(1) {
                break;
            }
            let waited = shared.room.wait(pool);
            pool = waited.unwrap_or_else(PoisonError::into_inner);
        }
        pool.starting += 1;
        drop(pool);
        Ok(EngineSlot {
            shared: Arc::clone(shared),
            engine: shared.start(1)?,
            is_new: true,
        })
    }

    /// Asks all engines to exit and waits until they have; those that do not are killed.
    pub fn close(&self) {
        self.0.close();
    }

    /// Writes a line for the engine's author.
    pub(super) fn note(&self, text: &str) {
        self.0.launch.note(text);
    }
}

impl PooledEngine {
    const fn new(engine: Arc<Engine>, matches: u32) -> Self {
        Self {
            engine,
            matches,
            is_busy: false,
        }
    }

    fn has_room(&self) -> bool {
        !self.is_busy && self.matches < self.engine.about.matches
    }
}

impl Shared {
    fn close(&self) {
        let mut pool = self.pool();
        let mut leaving = std::mem::take(&mut pool.leaving);
        let running = std::mem::take(&mut pool.running);
        drop(pool);
        leaving.extend(running.iter().filter_map(|pooled| pooled.engine.quit()));
        for restarter in leaving {
            drop(self.wait_for(restarter));
        }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts engines one after the other until as many as wanted are running or being started.
    fn fill(&self, wanted: usize) -> Result<(), EngineFault> {
        loop {
            let mut pool = self.pool();
            if pool.running.len() + pool.starting >= wanted {
                return Ok(());
            }
            pool.starting += 1;
            drop(pool);
            self.start(0)?;
        }
    }

    /// Starts an engine and adds it to the pool with this number of matches. The caller has counted it in `starting`.
    fn start(&self, matches: u32) -> Result<Arc<Engine>, EngineFault> {
        let greeted = self.started().and_then(|(restarter, pipes)| {
            Engine::greet(Arc::clone(&self.launch), restarter, pipes).map(Arc::new)
        });
        let mut pool = self.pool();
        // At no time does the engine count as neither.
        pool.starting -= 1;
        match &greeted {
            Ok(engine) => (pool.running).push(PooledEngine::new(Arc::clone(engine), matches)),
            Err(fault) => {
                pool.count(fault);
                self.launch.note(&fault.to_string());
            }
        }
        // A waiting match may now have room, start an engine, or learn that none is started any more.
        self.room.notify_all();
        greeted
    }

    fn started(&self) -> Result<(Restarter, Pipes), EngineFault> {
        let mut restarter = self.restarter()?;
        let mut started = restarter.start();
        if started.is_err() && restarter.is_gone() {
            // It may have died while it was idle, which shows only now.
            restarter = self.new_restarter()?;
            started = restarter.start();
        }
        match started {
            Ok(pipes) => Ok((restarter, pipes)),
            Err(error) => {
                self.launch.give_back(restarter);
                Err(not_started(&error))
            }
        }
    }

    /// Returns an idle supervisor, or a new one, or waits for the first that is leaving.
    fn restarter(&self) -> Result<Restarter, EngineFault> {
        if let Some(restarter) = self.launch.idle_restarter() {
            return Ok(restarter);
        }
        let mut pool = self.pool();
        let spare = pool.leaving.len() + pool.running.len() + pool.starting;
        let may_be_more = spare <= self.launch.processes_max + 1;
        if !may_be_more && !pool.leaving.is_empty() {
            let restarter = pool.leaving.remove(0);
            drop(pool);
            if let Some(restarter) = self.wait_for(restarter) {
                return Ok(restarter);
            }
        } else {
            drop(pool);
        }
        self.new_restarter()
    }

    fn new_restarter(&self) -> Result<Restarter, EngineFault> {
        let command = (self.launch.command)();
        (command.and_then(Restarter::new)).map_err(|error| not_started(&error))
    }

    /// Waits for the end of a program that was asked to exit.
    fn wait_for(&self, mut restarter: Restarter) -> Option<Restarter> {
        let end = restarter.ended(GRACE * 2);
        self.launch.note_end(restarter.started(), &end);
        (!restarter.is_gone()).then_some(restarter)
    }
}

impl Pool {
    fn count(&mut self, fault: &EngineFault) {
        self.ends += 1;
        self.last_end = fault.to_string();
    }

    fn of(&mut self, engine: &Arc<Engine>) -> Option<&mut PooledEngine> {
        let mut running = self.running.iter_mut();
        running.find(|pooled| Arc::ptr_eq(&pooled.engine, engine))
    }
}

impl EngineSlot {
    /// Waits until the engine is ready for the match. One that is not may be thinking about another match, and plays on; if
    /// it has none, it is killed.
    pub(super) fn be_ready(&self) -> Result<(), EngineFault> {
        match self.engine.be_ready() {
            Ok(()) => return Ok(()),
            Err(NoAnswer::Fault(fault)) => return Err(fault),
            Err(NoAnswer::Late | NoAnswer::Unwanted) => {}
        }
        let fault = EngineFault::NotReady(READY_LIMIT);
        let mut pool = self.shared.pool();
        if let Some(pooled) = pool.of(&self.engine)
            && pooled.matches > 1
        {
            pooled.is_busy = true;
            return Err(fault);
        }
        drop(pool);
        Err(self.engine.fail(fault))
    }
}

impl Drop for EngineSlot {
    fn drop(&mut self) {
        let shared = &self.shared;
        let fault = self.engine.fault();
        let mut pool = shared.pool();
        let place = pool
            .running
            .iter()
            .position(|pooled| Arc::ptr_eq(&pooled.engine, &self.engine));
        let Some(place) = place else {
            return;
        };
        let pooled = &mut pool.running[place];
        pooled.matches -= 1;
        pooled.is_busy &= pooled.matches > 0;
        let quits = fault.is_none() && shared.launch.restart;
        if fault.is_some() || quits {
            pool.running.remove(place);
        }
        match &fault {
            None | Some(EngineFault::NotStopped(_)) => {}
            Some(fault) => pool.count(fault),
        }
        drop(pool);
        if fault.is_some() {
            self.engine.kill();
        }
        // Outside of the lock: sending may take a while.
        if quits && let Some(restarter) = self.engine.quit() {
            shared.pool().leaving.push(restarter);
        }
        // A waiting match may now start an engine, or learn that none is started any more.
        shared.room.notify_all();
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.close();
    }
}

fn not_started(error: &io::Error) -> EngineFault {
    EngineFault::NotStarted(error.to_string())
}

impl fmt::Debug for Engines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engines")
            .field("launch", &self.0.launch)
            .finish_non_exhaustive()
    }
}
