use std::collections::BTreeMap;
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
pub(super) struct Index(Mutex<BTreeMap<MatchId, Entry>>);

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
        self.lock().insert(id, Entry::of(state));
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
        let entries = self.lock();
        let mut fitting = entries
            .range((Bound::Unbounded, end))
            .rev()
            .filter(|(_, entry)| entry.may_fit(filter, viewer))
            .map(|(id, _)| *id);
        let page = fitting.by_ref().take(limit).collect();
        (page, fitting.next().is_some())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<MatchId, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
