use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dragontooth_games::catalogue::Game;
use dragontooth_runner_tournament::Name;
use dragontooth_service_client::Token;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::bout::Bout;
use super::embedded_service::{EmbeddedService, KitError};
use super::ground::{Ground, Patience};
use super::hand::Candidate;
use super::trouble::Trouble;
use super::{answers, clocks, connection, matches, situations};
use crate::{Behaviour, Check, Kind, NOT_CONNECTED, Outcome, Scene, Verdict};

/// What is to be found out about which bot.
#[derive(Debug)]
pub struct Examination {
    /// What the bot is called.
    pub bot: Name,
    /// What plays.
    pub candidate: Candidate,
    /// The games that it claims to play, at least one.
    pub games: Vec<&'static Game>,
    /// The checks.
    pub checks: Vec<&'static Check>,
    /// The folder for what its programs write.
    pub logs: PathBuf,
    /// How long it may take.
    pub patience: Patience,
    /// How many checks are played at the same time.
    pub at_once: usize,
}

/// A check in a game.
#[derive(Clone, Copy, Debug)]
struct Item {
    check: &'static Check,
    game: &'static Game,
}

/// Finds out whether a bot does right, on a service of the runner's own that forgets everything. The
/// verdicts are told in the order of the checks, each as soon as those before it have fallen, and given
/// together.
///
/// # Errors
///
/// Nothing can be found out, for a reason that the bot is not to blame for.
pub async fn examine(
    examination: Examination,
    mut tell: impl FnMut(&Verdict),
) -> Result<Vec<Verdict>, KitError> {
    let service = EmbeddedService::start().await?;
    let (runner, _) = service.client(&Token::random()).await?;
    let items = items(&examination);
    let ground = Arc::new(Ground {
        service,
        runner,
        bot: examination.bot,
        candidate: examination.candidate,
        logs: examination.logs,
        patience: examination.patience,
    });
    let mut order = Ordered::new(&mut tell);
    let connects = |item: &Item| item.check.kind == Kind::Behaviour(Behaviour::Connects);
    let mut strangers = Vec::new();
    for (place, item) in items.iter().enumerate().filter(|(_, item)| connects(item)) {
        let verdict = play(&ground, *item).await;
        if verdict.outcome != Outcome::Passed {
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
        let (ground, places, item) = (Arc::clone(&ground), Arc::clone(&places), *item);
        playing.spawn(async move {
            // It is never closed.
            let _room = places.acquire_owned().await;
            (place, play(&ground, item).await)
        });
    }
    while let Some(played) = playing.join_next().await {
        match played {
            Ok((place, verdict)) => order.add(place, verdict),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
    for (place, item) in timed {
        order.add(place, play(&ground, *item).await);
    }
    let verdicts = order.all();
    if let Some(ground) = Arc::into_inner(ground) {
        ground.service.close().await;
    }
    Ok(verdicts)
}

/// What is played, game by game.
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
        Kind::Situation(..) => false,
        Kind::Behaviour(behaviour) => behaviour.is_timed(),
    }
}

async fn play(ground: &Ground, item: Item) -> Verdict {
    let began = Instant::now();
    let mut wrote = Vec::new();
    let result = match Bout::new(ground, item.game, item.check.name).await {
        Err(trouble) => Err(trouble),
        Ok(mut bout) => {
            let mut result = play_out(&mut bout, item.check.kind).await;
            if result.is_ok()
                && let Some(trouble) = bout.complaint()
            {
                result = Err(trouble);
            }
            bout.end().await;
            if result.is_err() {
                wrote = bout.wrote();
            }
            result
        }
    };
    let (outcome, seen, scene) = told(result);
    Verdict {
        check: item.check,
        game: item.game.name,
        outcome,
        seen,
        scene,
        wrote,
        took: began.elapsed(),
    }
}

async fn play_out(bout: &mut Bout<'_>, kind: Kind) -> Result<String, Trouble> {
    match kind {
        Kind::Situation(situation, _) => situations::play(bout, situation).await,
        Kind::Behaviour(behaviour) => match behaviour {
            Behaviour::Connects => matches::connects(bout).await,
            Behaviour::WholeMatch => matches::whole(bout).await,
            Behaviour::ThreeAtOnce => matches::three(bout).await,
            Behaviour::CutWhileThinking => connection::cut_while_thinking(bout).await,
            Behaviour::CutAfterAnswer => connection::cut_after_answer(bout).await,
            Behaviour::Duplicates => connection::duplicates(bout).await,
            Behaviour::Delays => connection::delays(bout).await,
            Behaviour::Drained => connection::drained(bout).await,
            Behaviour::Stale => answers::stale(bout).await,
            Behaviour::MatchEnded => matches::ended(bout).await,
            Behaviour::Refused => answers::refused(bout).await,
            Behaviour::TryLater => answers::try_later(bout).await,
            Behaviour::NearFlag => clocks::near_flag(bout).await,
            Behaviour::ShortLimit => clocks::short_limit(bout).await,
            Behaviour::EndsWhenTold => clocks::ends_when_told(bout).await,
        },
    }
}

fn told(result: Result<String, Trouble>) -> (Outcome, String, Option<Scene>) {
    match result {
        Ok(seen) => (Outcome::Passed, seen, None),
        Err(Trouble::Skip(why)) => (Outcome::Skipped, why, None),
        Err(Trouble::Bot { seen, scene }) => (Outcome::Failed, seen, scene.map(|scene| *scene)),
        Err(Trouble::Kit(why)) => (Outcome::Unknown, why, None),
    }
}

fn skipped(item: Item) -> Verdict {
    Verdict {
        check: item.check,
        game: item.game.name,
        outcome: Outcome::Skipped,
        seen: NOT_CONNECTED.to_owned(),
        scene: None,
        wrote: Vec::new(),
        took: Duration::ZERO,
    }
}

/// Verdicts that fall in any order and are told in theirs.
struct Ordered<'t> {
    tell: &'t mut dyn FnMut(&Verdict),
    told: Vec<Verdict>,
    waiting: BTreeMap<usize, Verdict>,
}

impl<'t> Ordered<'t> {
    fn new(tell: &'t mut dyn FnMut(&Verdict)) -> Self {
        Self {
            tell,
            told: Vec::new(),
            waiting: BTreeMap::new(),
        }
    }

    fn add(&mut self, place: usize, verdict: Verdict) {
        self.waiting.insert(place, verdict);
        while let Some(next) = self.waiting.remove(&self.told.len()) {
            (self.tell)(&next);
            self.told.push(next);
        }
    }

    fn all(self) -> Vec<Verdict> {
        self.told
    }
}
