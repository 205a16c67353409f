use std::fmt;
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
    /// The match at the engine, from the first decision on.
    playing: Option<EngineMatch>,
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

    /// Creates the bot of a match.
    #[must_use]
    pub fn bot(&self, info: &MatchInfo) -> EngineBot {
        EngineBot {
            player: self.clone(),
            info: info.clone(),
            playing: None,
            over: MatchOverFlag::default(),
        }
    }
}

impl EngineBot {
    fn ask(&mut self, point: &DecisionPoint<'_>, budget: &Budget) -> Result<Choice, EngineFault> {
        self.over.clone_from(point.over);
        let since = Instant::now();
        // An engine that begins in the middle of a game would take its first events for all of them.
        let is_known = self.playing.is_some() || begins_with_a_game(point.since);
        let playing = match &mut self.playing {
            Some(playing) => playing,
            none => {
                let info = self.info.clone();
                none.insert(EngineMatch::begin(&self.player.engines, info)?)
            }
        };
        let now = Instant::now();
        let request = DecisionRequest {
            decision: point.decision,
            game_number: point.game_number,
            ply: point.ply,
            position: point.position,
            score: point.score,
            roll: point.roll,
            history: is_known.then_some(point.since),
            seed: budget.seed,
            time: budget.time.map(|time| time.saturating_sub(now - since)),
            left: point
                .deadline
                .map(|deadline| deadline.saturating_duration_since(now)),
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
        self.playing.as_mut()?.take_thinking()
    }
}

impl Drop for EngineBot {
    fn drop(&mut self) {
        let Some(playing) = self.playing.take() else {
            return;
        };
        let Some(end) = self.over.end().cloned() else {
            return;
        };
        // Writing to the engine may block.
        let ending = (self.player.runtime).spawn_blocking(move || playing.end(&end));
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
