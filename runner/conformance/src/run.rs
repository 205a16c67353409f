use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dragontooth_games::catalogue::Game;
use dragontooth_runner_tournament::Name;
use dragontooth_service_client::Token;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::bot_under_test::ExaminedBot;
use super::context::{Context, Patience};
use super::embedded_service::{EmbeddedService, KitError};
use super::failure::Failure;
use super::scenario_match::ScenarioMatch;
use super::{answers, clocks, connection, matches, situations};
use crate::{Behaviour, Check, CheckKind, CheckOutcome, CheckVerdict, NOT_CONNECTED, Scene};

/// The bot and the checks to run.
#[derive(Debug)]
pub struct Examination {
    /// Its name.
    pub bot: Name,
    /// The bot.
    pub candidate: ExaminedBot,
    /// The games that it claims to play, at least one.
    pub games: Vec<&'static Game>,
    /// The checks.
    pub checks: Vec<&'static Check>,
    /// The folder for the output of its programs.
    pub logs: PathBuf,
    /// Its time limits.
    pub patience: Patience,
    /// Number of checks at the same time.
    pub at_once: usize,
}

/// A check in a game.
#[derive(Clone, Copy, Debug)]
struct Item {
    check: &'static Check,
    game: &'static Game,
}

/// Examines a bot on an in-memory service. `tell` receives the verdicts in the order of the checks, each as
/// soon as those before it have fallen. Returns all of them.
///
/// # Errors
///
/// The kit itself fails.
///
/// # Examples
///
/// ```no_run
/// use dragontooth_games::catalogue::GAMES;
/// use dragontooth_runner_conformance::{CHECKS, ExaminedBot, Examination, Patience, examine, row};
/// use dragontooth_runner_tournament::Name;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let examination = Examination {
///     bot: Name::new("random")?,
///     candidate: ExaminedBot::Builtin("random".parse()?),
///     games: GAMES.iter().collect(),
///     checks: CHECKS.iter().collect(),
///     logs: "logs".into(),
///     patience: Patience::USUAL,
///     at_once: 4,
/// };
/// let verdicts = examine(examination, |verdict| print!("{}", row(verdict))).await?;
/// assert!(verdicts.len() > GAMES.len());
/// # Ok(())
/// # }
/// ```
pub async fn examine(
    examination: Examination,
    mut tell: impl FnMut(&CheckVerdict),
) -> Result<Vec<CheckVerdict>, KitError> {
    let service = EmbeddedService::start().await?;
    let (runner, _) = service.client(&Token::random()).await?;
    let items = items(&examination);
    let context = Arc::new(Context {
        service,
        runner,
        bot: examination.bot,
        candidate: examination.candidate,
        logs: examination.logs,
        patience: examination.patience,
    });
    let mut order = Ordered::new(&mut tell);
    let connects = |item: &Item| item.check.kind == CheckKind::Behaviour(Behaviour::Connects);
    let mut strangers = Vec::new();
    for (place, item) in items.iter().enumerate().filter(|(_, item)| connects(item)) {
        let verdict = play(&context, *item).await;
        if verdict.outcome != CheckOutcome::Passed {
            strangers.push(item.game.name);
        }
        order.add(place, verdict);
    }
    let others = items.iter().enumerate().filter(|(_, item)| !connects(item));
    let (moot, others): (Vec<_>, Vec<_>) =
        others.partition(|(_, item)| strangers.contains(&item.game.name));
    for (place, item) in moot {
        order.add(place, skipped(*item));
    }
    let (timed, free): (Vec<_>, Vec<_>) = others.into_iter().partition(|(_, item)| is_timed(item));
    let places = Arc::new(Semaphore::new(examination.at_once));
    let mut playing = JoinSet::new();
    for (place, item) in free {
        let (context, places, item) = (Arc::clone(&context), Arc::clone(&places), *item);
        playing.spawn(async move {
            // It is never closed.
            let _room = places.acquire_owned().await;
            (place, play(&context, item).await)
        });
    }
    while let Some(played) = playing.join_next().await {
        match played {
            Ok((place, verdict)) => order.add(place, verdict),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
    for (place, item) in timed {
        order.add(place, play(&context, *item).await);
    }
    let verdicts = order.all();
    if let Some(context) = Arc::into_inner(context) {
        context.service.close().await;
    }
    Ok(verdicts)
}

/// The checks of all games, game by game.
fn items(examination: &Examination) -> Vec<Item> {
    let mut items = Vec::new();
    for game in &examination.games {
        let due = examination.checks.iter();
        let due = due.filter(|check| check.applies_to(game.name));
        items.extend(due.map(|check| Item { check, game }));
    }
    items
}

fn is_timed(item: &Item) -> bool {
    match item.check.kind {
        CheckKind::Situation(..) => false,
        CheckKind::Behaviour(behaviour) => behaviour.is_timed(),
    }
}

async fn play(context: &Context, item: Item) -> CheckVerdict {
    let began = Instant::now();
    let mut wrote = Vec::new();
    let result = match ScenarioMatch::new(context, item.game, item.check.name).await {
        Err(failure) => Err(failure),
        Ok(mut scenario) => {
            let mut result = play_out(&mut scenario, item.check.kind).await;
            if result.is_ok()
                && let Some(failure) = scenario.protocol_violation()
            {
                result = Err(failure);
            }
            scenario.end().await;
            if result.is_err() {
                wrote = scenario.wrote().await;
            }
            result
        }
    };
    let (outcome, seen, scene) = told(result);
    CheckVerdict {
        check: item.check,
        game: item.game.name,
        outcome,
        seen,
        scene,
        wrote,
        took: began.elapsed(),
    }
}

async fn play_out(scenario: &mut ScenarioMatch<'_>, kind: CheckKind) -> Result<String, Failure> {
    match kind {
        CheckKind::Situation(situation, _) => situations::play(scenario, situation).await,
        CheckKind::Behaviour(behaviour) => match behaviour {
            Behaviour::Connects => matches::connects(scenario).await,
            Behaviour::WholeMatch => matches::whole(scenario).await,
            Behaviour::ThreeAtOnce => matches::three(scenario).await,
            Behaviour::CutWhileThinking => connection::cut_while_thinking(scenario).await,
            Behaviour::CutAfterAnswer => connection::cut_after_answer(scenario).await,
            Behaviour::Duplicates => connection::duplicates(scenario).await,
            Behaviour::Delays => connection::delays(scenario).await,
            Behaviour::Drained => connection::drained(scenario).await,
            Behaviour::Stale => answers::stale(scenario).await,
            Behaviour::MatchEnded => matches::ended(scenario).await,
            Behaviour::Refused => answers::refused(scenario).await,
            Behaviour::TryLater => answers::try_later(scenario).await,
            Behaviour::NearFlag => clocks::near_flag(scenario).await,
            Behaviour::ShortLimit => clocks::short_limit(scenario).await,
            Behaviour::EndsWhenTold => clocks::ends_when_told(scenario).await,
        },
    }
}

fn told(result: Result<String, Failure>) -> (CheckOutcome, String, Option<Scene>) {
    match result {
        Ok(seen) => (CheckOutcome::Passed, seen, None),
        Err(Failure::Skip(why)) => (CheckOutcome::Skipped, why, None),
        Err(Failure::Bot { seen, scene }) => {
            (CheckOutcome::Failed, seen, scene.map(|scene| *scene))
        }
        Err(Failure::Kit(why)) => (CheckOutcome::Unknown, why, None),
    }
}

fn skipped(item: Item) -> CheckVerdict {
    CheckVerdict {
        check: item.check,
        game: item.game.name,
        outcome: CheckOutcome::Skipped,
        seen: NOT_CONNECTED.to_owned(),
        scene: None,
        wrote: Vec::new(),
        took: Duration::ZERO,
    }
}

/// Verdicts that arrive in any order and are reported in the order of the checks.
struct Ordered<'t> {
    tell: &'t mut dyn FnMut(&CheckVerdict),
    told: Vec<CheckVerdict>,
    waiting: BTreeMap<usize, CheckVerdict>,
}

impl<'t> Ordered<'t> {
    fn new(tell: &'t mut dyn FnMut(&CheckVerdict)) -> Self {
        Self {
            tell,
            told: Vec::new(),
            waiting: BTreeMap::new(),
        }
    }

    fn add(&mut self, place: usize, verdict: CheckVerdict) {
        self.waiting.insert(place, verdict);
        while let Some(next) = self.waiting.remove(&self.told.len()) {
            (self.tell)(&next);
            self.told.push(next);
        }
    }

    fn all(self) -> Vec<CheckVerdict> {
        self.told
    }
}
