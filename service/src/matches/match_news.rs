use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dragontooth_service_vocabulary::{MatchId, PlayerId, Sequence, Sight, Stage};
use tokio::sync::watch;

use super::{Filter, FoundMatch, MatchFacts};
use crate::access::Viewer;

/// News that are kept. A reader that is further behind begins again.
const KEPT_NEWS: usize = 4_096;

/// The matches that were created or have ended lately, or in which a seat was taken, for those who watch lists: each once, by the last
/// such change of it.
///
/// Nothing is kept while nobody watches.
#[derive(Debug, Default)]
pub(crate) struct MatchNews {
    tables: Mutex<Tables>,
    /// The last of the news.
    head: watch::Sender<NewsPlace>,
    /// Held by the reader whose turn it is: a change wakes all of them, thousands perhaps, and a player's request waits behind those that
    /// are at work.
    turn: tokio::sync::Mutex<()>,
}

/// A place among the news, by a number from 1; 0 is before all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NewsPlace(u64);

/// A match that has changed.
#[derive(Clone, Debug)]
pub(super) struct ChangedMatch {
    pub(super) id: MatchId,
    pub(super) found: Arc<FoundMatch>,
    pub(super) sight: ChangeSight,
}

/// Those who see a change.
#[derive(Clone, Debug)]
pub(super) enum ChangeSight {
    /// Everybody who sees the match without a delay.
    AtOnce,
    /// Spectators of a match with a delay. The match is as they see it now.
    Delayed {
        /// True if it has only gone on.
        is_move: bool,
        /// Players who have taken a seat since, so that they know better.
        joined: Vec<PlayerId>,
    },
}

/// The meaning of a change for somebody who watches a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListChange {
    /// The match fits.
    Fits,
    /// The match fits, and did before: it has only gone on.
    GoesOn,
    /// The match is at another stage than the list has.
    Left,
}

/// The reason why a reader has missed news.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MissedNews {
    /// It is so far behind that they are not kept any more.
    TooFarBehind,
    /// The log could not be read, or was not heard.
    Unheard,
}

/// News with the same key follow each other: the last one is enough.
type NewsKey = (MatchId, Option<bool>);

#[derive(Debug, Default)]
struct Tables {
    news: BTreeMap<NewsPlace, ChangedMatch>,
    places: HashMap<NewsKey, NewsPlace>,
    /// The last of the news that are not kept any more.
    forgotten: NewsPlace,
    /// The last place at which news may be missing.
    gap: NewsPlace,
    head: NewsPlace,
}

impl MatchNews {
    /// Returns true if somebody watches a list.
    pub(super) fn is_watched(&self) -> bool {
        self.head.receiver_count() > 0
    }

    /// Notes that a match has changed in a way that lists show.
    pub(super) fn note(&self, id: MatchId, found: FoundMatch) {
        self.add(ChangedMatch {
            id,
            found: Arc::new(found),
            sight: ChangeSight::AtOnce,
        });
    }

    /// Notes a change.
    pub(super) fn add(&self, changed: ChangedMatch) {
        let mut tables = self.lock();
        if self.is_watched() {
            tables.add(changed);
            self.head.send_replace(tables.head);
        } else {
            tables.forget_all();
        }
    }

    /// Notes that changes may have been missed: all readers begin again.
    pub(super) fn note_gap(&self) {
        let mut tables = self.lock();
        tables.head = NewsPlace(tables.head.0 + 1);
        tables.gap = tables.head;
        tables.forget_all();
        self.head.send_replace(tables.head);
    }

    /// The place after which news are read that come from now on, and the last of the news, for as long as somebody reads them.
    pub(crate) fn open(&self) -> (NewsPlace, watch::Receiver<NewsPlace>) {
        let head = self.head.subscribe();
        (self.lock().head, head)
    }

    /// At most `limit` changes after a place, which is moved behind them.
    pub(super) fn read(
        &self,
        place: &mut NewsPlace,
        limit: usize,
    ) -> Result<Vec<ChangedMatch>, MissedNews> {
        let tables = self.lock();
        if tables.gap > *place {
            return Err(MissedNews::Unheard);
        }
        if tables.forgotten > *place {
            return Err(MissedNews::TooFarBehind);
        }
        let unread = (Bound::Excluded(*place), Bound::Unbounded);
        let mut unread = tables.news.range(unread);
        let mut news = Vec::new();
        for (at, changed) in unread.by_ref().take(limit) {
            *place = *at;
            news.push(changed.clone());
        }
        if unread.next().is_none() {
            *place = tables.head;
        }
        Ok(news)
    }

    /// Waits until it is the turn of a reader.
    pub(crate) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChangedMatch {
    fn key(&self) -> NewsKey {
        let is_move = match self.sight {
            ChangeSight::AtOnce => None,
            ChangeSight::Delayed { is_move, .. } => Some(is_move),
        };
        (self.id, is_move)
    }

    fn head(&self) -> Sequence {
        self.found.with(|facts| facts.head.sequence)
    }

    /// The meaning of the change for a viewer of a list; `None` if it is none for it.
    pub(super) fn meaning(&self, viewer: &Viewer, filter: &Filter) -> Option<ListChange> {
        if !filter.has(self.id) {
            return None;
        }
        self.found
            .with(|facts| self.meaning_of(facts, viewer, filter))
    }

    fn meaning_of(
        &self,
        facts: &MatchFacts<'_>,
        viewer: &Viewer,
        filter: &Filter,
    ) -> Option<ListChange> {
        let (is_seen, is_move) = match (&self.sight, facts.sight(viewer)) {
            (ChangeSight::AtOnce, sight) => (sight == Sight::Whole, false),
            (ChangeSight::Delayed { is_move, joined }, Sight::Delayed(_)) => {
                let player = viewer.player();
                let is_better_known = player.is_some_and(|player| joined.contains(&player));
                (!is_better_known, *is_move)
            }
            (ChangeSight::Delayed { .. }, Sight::Whole | Sight::Nothing) => (false, false),
        };
        if !is_seen || !filter.fits_at_a_stage(facts) {
            return None;
        }
        match (filter.stage, facts.stage()) {
            (Some(asked), stage) if asked != stage => {
                let has_left = !is_move && order(asked) < order(stage);
                has_left.then_some(ListChange::Left)
            }
            _ if is_move => Some(ListChange::GoesOn),
            _ => Some(ListChange::Fits),
        }
    }
}

/// The place of a stage in the course of a match.
const fn order(stage: Stage) -> u8 {
    match stage {
        Stage::Open => 0,
        Stage::Active => 1,
        Stage::Ended => 2,
    }
}

impl Tables {
    fn add(&mut self, changed: ChangedMatch) {
        let known = self.places.get(&changed.key());
        let known = known.and_then(|place| self.news.get(place));
        if known.is_some_and(|known| known.head() > changed.head()) {
            // It was read from the log a moment too early.
            return;
        }
        self.head = NewsPlace(self.head.0 + 1);
        if let Some(earlier) = self.places.insert(changed.key(), self.head) {
            self.news.remove(&earlier);
        }
        self.news.insert(self.head, changed);
        if self.news.len() > KEPT_NEWS
            && let Some((oldest, changed)) = self.news.pop_first()
        {
            self.places.remove(&changed.key());
            self.forgotten = oldest;
        }
    }

    fn forget_all(&mut self) {
        self.news.clear();
        self.places.clear();
        self.forgotten = self.head;
    }
}

#[cfg(test)]
mod tests {
    use dragontooth_games::Seat;
    use dragontooth_games::chance::Seed;
    use dragontooth_service_domain::{MatchState, create};
    use dragontooth_service_store::{MatchLog, StoredMatch};
    use dragontooth_service_vocabulary::{
        DisplayName, MatchEvent, NewMatch, PlayerName, Recorded, SeedText, Timestamp,
    };

    use super::*;

    const CREATOR: PlayerId = PlayerId::from_bytes([1; 16]);

    fn id(number: usize) -> MatchId {
        MatchId::from_bytes((number as u128 + 1).to_be_bytes())
    }

    /// A match with as many events: its creation, and players who have joined.
    fn found(number: usize, events: u64) -> FoundMatch {
        let id = id(number);
        let created = create(
            &NewMatch::new("kamisado", 1),
            CREATOR,
            id,
            &Seed::from_bytes([7; 32]),
        );
        let recorded = |sequence, event| Recorded {
            sequence: Sequence(sequence),
            time: Timestamp::default(),
            event,
        };
        let mut state = MatchState::new(&recorded(1, created.unwrap())).unwrap();
        for sequence in 2..=events {
            let joined = MatchEvent::SeatJoined {
                seat: Seat::BOTH[usize::from(sequence == 3)],
                player: PlayerId::from_bytes([u8::from(sequence == 3); 16]),
                name: DisplayName::SelfGiven(PlayerName::new("somebody").unwrap()),
                seed: SeedText::default_of_players(),
                request_id: None,
            };
            state.evolve(&recorded(sequence, joined));
        }
        FoundMatch::Settled(Arc::new(StoredMatch::new(state, MatchLog::start(id))))
    }

    fn read(news: &MatchNews, place: &mut NewsPlace, limit: usize) -> Vec<(MatchId, Sequence)> {
        let changed = news.read(place, limit).unwrap();
        changed
            .iter()
            .map(|changed| (changed.id, changed.head()))
            .collect()
    }

    #[test]
    fn a_match_is_news_once_with_its_last_change() {
        let news = MatchNews::default();
        let (mut early, head) = news.open();
        for (number, sequence) in [(0, 1), (1, 1), (0, 2), (2, 1), (0, 1)] {
            news.note(id(number), found(number, sequence));
        }
        let (mut late, _) = news.open();
        assert!(head.has_changed().unwrap());
        let expected = [(1, 1), (0, 2), (2, 1)].map(|(number, at)| (id(number), Sequence(at)));
        assert_eq!(read(&news, &mut early, 2), expected[..2]);
        assert_eq!(read(&news, &mut early, 2), expected[2..]);
        for place in [&mut early, &mut late] {
            assert_eq!(read(&news, place, 9), []);
        }
        news.note(id(1), found(1, 3));
        for place in [&mut early, &mut late] {
            assert_eq!(read(&news, place, 9), [(id(1), Sequence(3))]);
        }
    }

    /// Memory does not grow with what nobody reads.
    #[test]
    fn who_is_too_far_behind_begins_again() {
        let news = MatchNews::default();
        let (mut slow, _head) = news.open();
        for number in 0..=KEPT_NEWS {
            news.note(id(number), found(number, 1));
        }
        assert_eq!(news.lock().news.len(), KEPT_NEWS);
        assert_eq!(news.lock().places.len(), KEPT_NEWS);
        assert_eq!(
            news.read(&mut slow, 9).unwrap_err(),
            MissedNews::TooFarBehind
        );
        let (mut again, _) = news.open();
        assert_eq!(read(&news, &mut again, 9), []);
        news.note_gap();
        assert_eq!(news.read(&mut again, 9).unwrap_err(), MissedNews::Unheard);
    }

    #[test]
    fn nothing_is_kept_for_nobody() {
        let news = MatchNews::default();
        news.note(id(0), found(0, 1));
        assert!(news.lock().news.is_empty());
        let (mut place, head) = news.open();
        news.note(id(1), found(1, 1));
        drop(head);
        news.note(id(2), found(2, 1));
        assert!(news.lock().news.is_empty());
        // Who had read no further is told so.
        assert_eq!(
            news.read(&mut place, 9).unwrap_err(),
            MissedNews::TooFarBehind
        );
    }
}
