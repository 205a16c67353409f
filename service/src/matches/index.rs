use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dragontooth_games::Seat;
use dragontooth_service_domain::MatchState;
use dragontooth_service_vocabulary::{Audience, MatchId, PlayerId, Sight, Stage};

use crate::access::Viewer;

/// The stage that a match has reached.
pub(crate) fn stage_of(state: &MatchState) -> Stage {
    if state.result().is_some() {
        Stage::Ended
    } else if state.is_full() {
        Stage::Active
    } else {
        Stage::Open
    }
}

/// The filter of a list of matches; `None` in a field means any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) stage: Option<Stage>,
    pub(crate) game: Option<String>,
    pub(crate) player: Option<PlayerId>,
}

/// All matches with what lists ask for, in the order of their ids, which is that of creation.
#[derive(Debug, Default)]
pub(super) struct Index(Mutex<Tables>);

#[derive(Debug, Default)]
struct Tables {
    matches: BTreeMap<MatchId, Entry>,
    /// Matches by their creator and the hash of the seed that it gave.
    seeds: HashMap<(PlayerId, [u8; 32]), SeedUse>,
}

/// The matches that use one seed.
#[derive(Debug, Default)]
struct SeedUse {
    created: u32,
    /// Those that are not over.
    live: HashSet<MatchId>,
}

#[derive(Clone, Debug)]
struct Entry {
    stage: Stage,
    game: &'static str,
    players: [Option<PlayerId>; 2],
    creator: PlayerId,
    audience: Audience,
}

impl Filter {
    /// Returns true if the match passes the filter.
    pub(super) fn fits(&self, state: &MatchState) -> bool {
        Entry::of(state).fits(self)
    }
}

impl Index {
    pub(super) fn put(&self, id: MatchId, state: &MatchState) {
        let mut tables = self.lock();
        let is_new = tables.matches.insert(id, Entry::of(state)).is_none();
        if let Some(key) = seed_key(state) {
            let seed = tables.seeds.entry(key).or_default();
            seed.created = seed.created.saturating_add(is_new.into());
            if state.result().is_some() {
                seed.live.remove(&id);
            } else {
                seed.live.insert(id);
            }
        }
    }

    /// Returns true if this match is over and no other has yet to be played from its seed: the creator has
    /// created as many as it announced, and all are over.
    pub(super) fn is_seed_spent(&self, id: MatchId, state: &MatchState) -> bool {
        if state.result().is_none() {
            return false;
        }
        let Some(key) = seed_key(state) else {
            return true;
        };
        let tables = self.lock();
        tables.seeds.get(&key).is_some_and(|seed| {
            let others_live = seed.live.iter().any(|live| *live != id);
            !others_live && seed.created >= state.created().seed.matches()
        })
    }

    /// At most `limit` matches older than `before` that may fit, the newest first, and whether there are more.
    pub(super) fn list(
        &self,
        viewer: &Viewer,
        filter: &Filter,
        before: Option<MatchId>,
        limit: usize,
    ) -> (Vec<MatchId>, bool) {
        let end = before.map_or(Bound::Unbounded, Bound::Excluded);
        let tables = self.lock();
        let mut fitting = tables
            .matches
            .range((Bound::Unbounded, end))
            .rev()
            .filter(|(_, entry)| entry.may_fit(filter, viewer))
            .map(|(id, _)| *id);
        let page = fitting.by_ref().take(limit).collect();
        (page, fitting.next().is_some())
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Key of a seed that a creator gave; `None` for one that the service drew for this match alone.
fn seed_key(state: &MatchState) -> Option<(PlayerId, [u8; 32])> {
    let created = state.created();
    created.seed.given()?;
    Some((created.creator, created.seed.server_seed().commitment("")))
}

impl Entry {
    fn of(state: &MatchState) -> Self {
        let player = |seat: Seat| {
            let seated = state.seated(seat).map(|seated| seated.player);
            seated.or(state.created().reserved[seat.index()])
        };
        Self {
            stage: stage_of(state),
            game: state.play().game(),
            players: Seat::BOTH.map(player),
            creator: state.created().creator,
            audience: state.created().audience,
        }
    }

    /// Returns true if the match may pass the filter. For a match that the viewer sees with a delay, only facts
    /// that are fixed at its creation are compared.
    fn may_fit(&self, filter: &Filter, viewer: &Viewer) -> bool {
        let is_concerned = viewer.is_admin()
            || viewer.player().is_some_and(|player| {
                self.creator == player || self.players.contains(&Some(player))
            });
        match self
            .audience
            .sight(is_concerned, self.stage == Stage::Ended)
        {
            Sight::Whole => self.fits(filter),
            Sight::Delayed(_) => filter.game.as_deref().is_none_or(|game| game == self.game),
            Sight::Nothing => false,
        }
    }

    fn fits(&self, filter: &Filter) -> bool {
        filter.stage.is_none_or(|stage| stage == self.stage)
            && filter.game.as_deref().is_none_or(|game| game == self.game)
            && filter
                .player
                .is_none_or(|player| self.players.contains(&Some(player)))
    }
}
