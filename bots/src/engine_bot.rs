use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use dragontooth_bots_engines::stdio::{
    AnswerDeadline, DecisionRequest, EngineFault, EngineMatch, Engines,
};
use dragontooth_games::record::Thinking;
use dragontooth_service_vocabulary::{History, HistoryEvent};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::{Bot, BotError, Budget, Choice, DecisionPoint, MatchInfo, MatchOverFlag};

/// Receives the id of a match and the fault of its engine.
type OnFault = dyn Fn(&str, &EngineFault) + Send + Sync;

/// Plays the matches of a session with engines.
#[derive(Clone)]
pub struct EnginePlayer {
    engines: Engines,
    runtime: Handle,
    on_fault: Arc<OnFault>,
    /// Tasks that report the ends of matches to the engines.
    endings: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

/// A bot that asks an engine.
pub struct EngineBot {
    player: EnginePlayer,
    info: MatchInfo,
    /// The match at the engine, or the reason why it has none.
    playing: Result<EngineMatch, EngineFault>,
    /// True once it was asked for a decision.
    was_asked: bool,
    over: MatchOverFlag,
}

impl EnginePlayer {
    /// Creates a player with `engines`, in the caller's runtime.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime.
    #[must_use]
    pub fn new(engines: Engines) -> Self {
        Self {
            engines,
            runtime: Handle::current(),
            on_fault: Arc::new(|_, _| {}),
            endings: Arc::default(),
        }
    }

    /// Calls `on_fault` with the id of the match at each fault of an engine.
    #[must_use]
    pub fn on_fault(
        mut self,
        on_fault: impl Fn(&str, &EngineFault) + Send + Sync + 'static,
    ) -> Self {
        self.on_fault = Arc::new(on_fault);
        self
    }

    /// Waits until the ends of all matches are reported to the engines.
    pub async fn settled(&self) {
        let endings = std::mem::take(&mut *self.endings());
        for ending in endings {
            // A task that panicked is over as well.
            let _ = ending.await;
        }
    }

    fn endings(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.endings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the bot of a match, and waits until an engine is ready for it. If there is none, the bot reports the fault
    /// at its first decision.
    #[must_use]
    pub fn bot(&self, info: &MatchInfo) -> EngineBot {
        EngineBot {
            player: self.clone(),
            info: info.clone(),
            playing: EngineMatch::begin(&self.engines, info.clone()),
            was_asked: false,
            over: MatchOverFlag::default(),
        }
    }
}

impl EngineBot {
    fn ask(&mut self, point: &DecisionPoint<'_>, budget: &Budget) -> Result<Choice, EngineFault> {
        self.over.clone_from(point.over);
        // An engine that begins in the middle of a game would take its first events for all of them.
        let was_asked = mem::replace(&mut self.was_asked, true);
        let is_known = was_asked || begins_with_a_game(point.since);
        let playing = match &mut self.playing {
            Ok(playing) => playing,
            Err(fault) => return Err(fault.clone()),
        };
        let request = DecisionRequest {
            decision: point.decision,
            game_number: point.game_number,
            ply: point.ply,
            position: point.position,
            score: point.score,
            roll: point.roll,
            history: is_known.then_some(point.since),
            seed: budget.seed,
            time: budget.time,
            left: point
                .deadline
                .map(|deadline| deadline.saturating_duration_since(Instant::now())),
            clocks: point.clocks,
        };
        let is_over = || point.over.end().is_some();
        // The service watches the clock.
        let answer_deadline = AnswerDeadline {
            until: None,
            fault: &EngineFault::Late,
            is_over: &is_over,
        };
        match playing.ask(&request, answer_deadline)? {
            Choice::Action(action) => playing.checked(point.position, action).map(Choice::Action),
            Choice::Resign => Ok(Choice::Resign),
        }
    }
}

impl Bot for EngineBot {
    fn choose(&mut self, position: &str, budget: &Budget) -> Result<String, BotError> {
        let point = DecisionPoint {
            decision: 0,
            game_number: 1,
            ply: 0,
            position,
            score: [0; 2],
            roll: None,
            clocks: None,
            deadline: None,
            since: &History::default(),
            over: &MatchOverFlag::default(),
        };
        match self.decide(&point, budget)? {
            Choice::Action(action) => Ok(action),
            Choice::Resign => Err(BotError::NothingToDecide(position.to_owned())),
        }
    }

    fn decide(&mut self, point: &DecisionPoint<'_>, budget: &Budget) -> Result<Choice, BotError> {
        self.ask(point, budget).map_err(|fault| {
            (self.player.on_fault)(&self.info.id, &fault);
            BotError::Program(Box::new(fault))
        })
    }

    fn take_thinking(&mut self) -> Option<Thinking> {
        self.playing.as_mut().ok()?.take_thinking()
    }
}

impl Drop for EngineBot {
    fn drop(&mut self) {
        let playing = mem::replace(&mut self.playing, Err(EngineFault::MatchOver));
        let Ok(playing) = playing else {
            return;
        };
        let end = self.over.end().cloned();
        // Writing to the engine may block.
        let ending = (self.player.runtime).spawn_blocking(move || match end {
            Some(end) => playing.end(&end),
            None => drop(playing),
        });
        let mut endings = self.player.endings();
        endings.retain(|ending| !ending.is_finished());
        endings.push(ending);
    }
}

fn begins_with_a_game(history: &History) -> bool {
    let first = history.iter().next();
    matches!(first, Some((_, HistoryEvent::GameStarted { .. })))
}

impl fmt::Debug for EnginePlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnginePlayer")
            .field("engines", &self.engines)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for EngineBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineBot")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}
