mod history;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dragontooth_bots_engines::stdio::{
    AnswerDeadline, DecisionRequest, EngineFault, EngineMatch, Engines, GRACE,
};
use dragontooth_service_client::Client;
use dragontooth_service_vocabulary::Sequence;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use history::History;

use crate::{Bot, BotError, Budget, Choice, MatchInfo, MatchOverFlag, Situation};

/// How long what has happened in a match may take to be known where a clock runs: what it takes is
/// lost to the engine.
const HISTORY_LIMIT: Duration = Duration::from_millis(500);
/// The same where none runs.
const UNTIMED_HISTORY_LIMIT: Duration = Duration::from_secs(10);

/// Takes the id of a match and what an engine did wrong in it.
type TellFault = dyn Fn(&str, &EngineFault) + Send + Sync;

/// Plays the matches of a session with engines.
#[derive(Clone)]
pub struct EnginePlayer {
    engines: Engines,
    /// What happens in the matches is watched there.
    client: Client,
    runtime: Handle,
    on_fault: Arc<TellFault>,
    /// The engines that are being history of the ends of their matches.
    endings: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

/// A bot that asks an engine.
pub struct EngineBot {
    player: EnginePlayer,
    info: MatchInfo,
    history: Option<History>,
    playing: Option<EngineMatch>,
    over: MatchOverFlag,
}

impl EnginePlayer {
    /// Plays with `engines` on the service of `client`, within the runtime of the caller.
    ///
    /// # Panics
    ///
    /// If it is not called within a runtime.
    #[must_use]
    pub fn new(engines: Engines, client: Client) -> Self {
        Self {
            engines,
            client,
            runtime: Handle::current(),
            on_fault: Arc::new(|_, _| {}),
            endings: Arc::default(),
        }
    }

    /// Tells the faults of engines, with the id of the match.
    #[must_use]
    pub fn on_fault(mut self, tell: impl Fn(&str, &EngineFault) + Send + Sync + 'static) -> Self {
        self.on_fault = Arc::new(tell);
        self
    }

    /// Ready when the engines have been history of all matches that are over.
    pub async fn settled(&self) {
        let endings = std::mem::take(&mut *self.endings());
        for ending in endings {
            // One that panicked is over, too.
            let _ = ending.await;
        }
    }

    fn endings(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.endings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bot of a match.
    #[must_use]
    pub fn bot(&self, info: &MatchInfo) -> EngineBot {
        let match_id = info.id.parse().ok();
        let watch = |match_id| History::watch(self.client.clone(), &self.runtime, match_id);
        EngineBot {
            player: self.clone(),
            info: info.clone(),
            history: match_id.map(watch),
            playing: None,
            over: MatchOverFlag::default(),
        }
    }
}

impl EngineBot {
    fn ask(&mut self, asked: &Situation<'_>, budget: &Budget) -> Result<Choice, EngineFault> {
        self.over.clone_from(asked.over);
        let since = Instant::now();
        let event = Sequence(asked.decision);
        let history = self.history.as_ref();
        let limit = match asked.deadline {
            Some(_) => HISTORY_LIMIT,
            None => UNTIMED_HISTORY_LIMIT,
        };
        let history = history.and_then(|history| history.take_up_to(event, limit));
        let playing = match &mut self.playing {
            Some(playing) => playing,
            none => {
                let info = self.info.clone();
                none.insert(EngineMatch::begin(&self.player.engines, info)?)
            }
        };
        let now = Instant::now();
        let asked_for = DecisionRequest {
            decision: asked.decision,
            game_number: asked.game_number,
            ply: asked.ply,
            position: asked.position,
            score: asked.score,
            roll: asked.roll,
            history: history.as_deref(),
            seed: budget.seed,
            time: budget.time.map(|time| time.saturating_sub(now - since)),
            left: asked
                .deadline
                .map(|deadline| deadline.saturating_duration_since(now)),
            clocks: asked.clocks,
        };
        let is_over = || asked.over.end().is_some();
        // The service watches the clock.
        let patience = AnswerDeadline {
            until: None,
            fault: &EngineFault::Late,
            is_over: &is_over,
        };
        match playing.ask(&asked_for, patience)? {
            Choice::Action(action) => playing.checked(asked.position, action).map(Choice::Action),
            Choice::Resign => Ok(Choice::Resign),
        }
    }
}

impl Bot for EngineBot {
    fn choose(&mut self, position: &str, budget: &Budget) -> Result<String, BotError> {
        let situation = Situation {
            decision: 0,
            game_number: 1,
            ply: 0,
            position,
            score: [0; 2],
            roll: None,
            clocks: None,
            deadline: None,
            over: &MatchOverFlag::default(),
        };
        match self.decide(&situation, budget)? {
            Choice::Action(action) => Ok(action),
            Choice::Resign => Err(BotError::NothingToDecide(position.to_owned())),
        }
    }

    fn decide(&mut self, asked: &Situation<'_>, budget: &Budget) -> Result<Choice, BotError> {
        self.ask(asked, budget).map_err(|fault| {
            (self.player.on_fault)(&self.info.id, &fault);
            BotError::Program(Box::new(fault))
        })
    }
}

impl Drop for EngineBot {
    fn drop(&mut self) {
        let Some(playing) = self.playing.take() else {
            return;
        };
        let (over, history) = (self.over.clone(), self.history.take());
        let Some(end) = over.end().cloned() else {
            return;
        };
        // What happened at last is known soon, and an engine may have to be waited for.
        let ending = self.player.runtime.spawn_blocking(move || {
            let history = history.map(|history| history.take_rest(GRACE));
            playing.end(&history.unwrap_or_default(), &end);
        });
        let mut endings = self.player.endings();
        endings.retain(|ending| !ending.is_finished());
        endings.push(ending);
    }
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
