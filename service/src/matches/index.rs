use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dragontooth_games::Seat;
use dragontooth_service_domain::{MatchId, MatchState, PlayerId};

/// How far a match has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Open,
    Active,
    Ended,
}

impl Stage {
    pub(crate) fn of(state: &MatchState) -> Self {
        if state.result().is_some() {
            Self::Ended
        } else if state.is_full() {
            Self::Active
        } else {
            Self::Open
        }
    }
}

/// Which matches are asked for; none of a field means any.
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
}

impl Index {
    pub(super) fn put(&self, id: MatchId, state: &MatchState) {
        let player = |seat: Seat| {
            let seated = state.seated(seat).map(|seated| seated.player);
            seated.or(state.created().reserved[seat.index()])
        };
        let entry = Entry {
            stage: Stage::of(state),
            game: state.play().game(),
            players: Seat::BOTH.map(player),
        };
        self.lock().insert(id, entry);
    }

    /// At most `limit` matches older than `before`, the newest first, and whether there are more.
    pub(super) fn list(
        &self,
        filter: &Filter,
        before: Option<MatchId>,
        limit: usize,
    ) -> (Vec<MatchId>, bool) {
        let end = before.map_or(Bound::Unbounded, Bound::Excluded);
        let entries = self.lock();
        let mut fitting = entries
            .range((Bound::Unbounded, end))
            .rev()
            .filter(|(_, entry)| entry.fits(filter))
            .map(|(id, _)| *id);
        let page = fitting.by_ref().take(limit).collect();
        (page, fitting.next().is_some())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<MatchId, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn fits(&self, filter: &Filter) -> bool {
        filter.stage.is_none_or(|stage| stage == self.stage)
            && filter.game.as_deref().is_none_or(|game| game == self.game)
            && filter
                .player
                .is_none_or(|player| self.players.contains(&Some(player)))
    }
}
