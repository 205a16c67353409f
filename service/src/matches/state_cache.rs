use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dragontooth_service_store::StoredMatch;
use dragontooth_service_vocabulary::{MatchId, Sequence};

/// Number of events between the cached states of one match.
const EVENTS_BETWEEN: u64 = 1024;

/// A cache of the states of matches after certain events, so that they need not be replayed from the start:
/// ended matches at their end, and long ones on the way. The most recently used are kept.
#[derive(Debug)]
pub(crate) struct StateCache {
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    states: BTreeMap<(MatchId, Sequence), (u64, Arc<StoredMatch>)>,
    /// By when they were used last, in uses since the start.
    used: BTreeMap<u64, (MatchId, Sequence)>,
    uses: u64,
}

impl StateCache {
    /// Keeps at most `most` states; 0 keeps none.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            kept: Mutex::default(),
        }
    }

    /// A match that has ended, as it ended.
    pub(super) fn ended(&self, id: MatchId) -> Option<Arc<StoredMatch>> {
        let last = self.at_most(id, Sequence(u64::MAX))?;
        last.result().is_some().then_some(last)
    }

    /// The last state of a match up to an event that is kept.
    pub(crate) fn at_most(&self, id: MatchId, sequence: Sequence) -> Option<Arc<StoredMatch>> {
        let mut kept = self.lock();
        let range = (id, Sequence(0))..=(id, sequence);
        let (key, _) = kept.states.range(range).next_back()?;
        let key = *key;
        kept.touch(key)
    }

    /// Returns true if the state of a match after this event should be cached.
    pub(crate) fn wants(&self, id: MatchId, after: Sequence) -> bool {
        self.most > 0
            && after.0.is_multiple_of(EVENTS_BETWEEN)
            && !self.lock().states.contains_key(&(id, after))
    }

    /// Caches the state of a match after its last event.
    pub(crate) fn keep(&self, id: MatchId, state: Arc<StoredMatch>) {
        if self.most == 0 {
            return;
        }
        let key = (id, state.head());
        let mut kept = self.lock();
        kept.put(key, state);
        while kept.states.len() > self.most
            && let Some((_, oldest)) = kept.used.pop_first()
        {
            kept.states.remove(&oldest);
        }
    }

    /// Removes all states of a match.
    pub(super) fn forget(&self, id: MatchId) {
        let mut kept = self.lock();
        let range = (id, Sequence(0))..=(id, Sequence(u64::MAX));
        for (_, (used, _)) in kept
            .states
            .extract_if(range, |_, _| true)
            .collect::<Vec<_>>()
        {
            kept.used.remove(&used);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn touch(&mut self, key: (MatchId, Sequence)) -> Option<Arc<StoredMatch>> {
        self.uses += 1;
        let (used, state) = self.states.get_mut(&key)?;
        self.used.remove(used);
        self.used.insert(self.uses, key);
        *used = self.uses;
        Some(Arc::clone(state))
    }

    fn put(&mut self, key: (MatchId, Sequence), state: Arc<StoredMatch>) {
        self.uses += 1;
        if let Some((used, _)) = self.states.insert(key, (self.uses, state)) {
            self.used.remove(&used);
        }
        self.used.insert(self.uses, key);
    }
}

#[cfg(test)]
mod tests {
    use dragontooth_games::chance::Seed;
    use dragontooth_service_domain::{MatchState, create};
    use dragontooth_service_store::MatchLog;
    use dragontooth_service_vocabulary::{NewMatch, PlayerId, Recorded, Timestamp};

    use super::*;

    fn id(number: u8) -> MatchId {
        MatchId::from_bytes([number; 16])
    }

    /// A match that has just been created.
    fn created(number: u8) -> Arc<StoredMatch> {
        let new = NewMatch::new("kamisado", 1);
        let creator = PlayerId::from_bytes([1; 16]);
        let no_seed = Seed::from_bytes([0; Seed::BYTES]);
        let event = create(&new, creator, id(number), &no_seed).unwrap();
        let first = Recorded {
            sequence: Sequence(1),
            time: Timestamp::default(),
            event,
        };
        let state = MatchState::new(&first).unwrap();
        Arc::new(StoredMatch::new(state, MatchLog::start(id(number))))
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let states = StateCache::new(2);
        states.keep(id(1), created(1));
        states.keep(id(2), created(2));
        assert!(states.at_most(id(1), Sequence(9)).is_some());
        states.keep(id(3), created(3));
        assert!(states.at_most(id(2), Sequence(9)).is_none());
        for kept in [1, 3] {
            let state = states.at_most(id(kept), Sequence(1)).unwrap();
            assert_eq!(state.created().id, id(kept));
        }
        let kept = states.lock();
        assert_eq!((kept.states.len(), kept.used.len()), (2, 2));
    }

    #[test]
    fn only_what_went_before_is_given() {
        let states = StateCache::new(2);
        states.keep(id(2), created(2));
        states.keep(id(2), created(2));
        assert!(states.at_most(id(2), Sequence(0)).is_none());
        assert!(states.at_most(id(1), Sequence(9)).is_none());
        assert!(states.at_most(id(3), Sequence(9)).is_none());
        assert!(states.ended(id(2)).is_none(), "it has not ended");
        assert_eq!(states.lock().used.len(), 1);
    }

    #[test]
    fn a_match_is_forgotten_without_the_others() {
        let states = StateCache::new(3);
        states.keep(id(1), created(1));
        states.keep(id(2), created(2));
        states.forget(id(1));
        assert!(states.at_most(id(1), Sequence(9)).is_none());
        assert!(states.at_most(id(2), Sequence(9)).is_some());
        assert_eq!(states.lock().used.len(), 1);
    }

    #[test]
    fn nothing_may_be_kept() {
        let states = StateCache::new(0);
        states.keep(id(1), created(1));
        assert!(states.at_most(id(1), Sequence(9)).is_none());
        assert!(!states.wants(id(1), Sequence(EVENTS_BETWEEN)));
        let states = StateCache::new(1);
        assert!(states.wants(id(1), Sequence(EVENTS_BETWEEN)));
        assert!(!states.wants(id(1), Sequence(EVENTS_BETWEEN + 1)));
    }
}
