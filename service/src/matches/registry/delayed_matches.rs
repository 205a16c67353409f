use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use dragontooth_service_store::{
    ChainedEvent, MatchEntry, MatchGroup, MatchKind, MatchLogError, MatchReplay, Party, Shelf,
};
use dragontooth_service_vocabulary::{
    Audience, ListOrder, MatchEvent, MatchId, PlayerId, Sequence, Stage, Timestamp,
};
use tokio::time::{MissedTickBehavior, interval};
use tracing::debug;

use super::{Matches, Reader};
use crate::limits::CallerKey;
use crate::matches::match_news::{ChangeSight, ChangedMatch};
use crate::matches::{FoundMatch, Refusal, is_shown};

/// The time between two looks at the matches that spectators see with a delay.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// The most such matches that are looked at, the newest: of others, lists that are watched show the creation and the end.
const MAX_DELAYED: usize = 500;

/// Events of a match that are read at once.
const PAGE_EVENTS: usize = 64;

/// A match as its spectators see it.
#[derive(Debug)]
struct DelayedMatch {
    replay: MatchReplay,
    /// As it was noted last.
    noted: Option<(MatchEntry, Sequence)>,
    /// Players whose joining spectators do not see yet.
    joined: Vec<PlayerId>,
    is_damaged: bool,
}

impl Matches {
    /// Notes the changes that spectators of matches with a delay come to see, while somebody watches a list, for as long as it is polled.
    pub(crate) async fn follow_delayed_matches(self: &Arc<Self>) {
        let mut ticks = interval(LOOK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut known = HashMap::new();
        loop {
            ticks.tick().await;
            if !self.news.is_watched() {
                known.clear();
                continue;
            }
            let before = std::mem::take(&mut known);
            let look = async move |reader: &Reader| reader.look_at_delayed(before).await;
            match self.read_anyway(CallerKey::SERVICE, look).await {
                Ok(now) => known = now,
                Err(refusal) => {
                    debug!(%refusal, "the matches with a delay cannot be looked at");
                    self.news.note_gap();
                }
            }
        }
    }
}

impl Reader {
    /// Notes what spectators see that is new to those who have seen the matches `before`. Returns the matches as they see them now.
    async fn look_at_delayed(
        &self,
        mut before: HashMap<MatchId, DelayedMatch>,
    ) -> Result<HashMap<MatchId, DelayedMatch>, Refusal> {
        let unavailable =
            |error: &dyn std::fmt::Display| Refusal::LogUnavailable(error.to_string());
        let kinds = MatchKind::all().filter(|kind| kind.is_delayed && kind.stage != Stage::Ended);
        let shelves = kinds.map(|kind| Shelf {
            of: MatchGroup::All,
            shown_to: Party::Anyone,
            kind,
        });
        let catalogue = self.log().catalogue();
        let listed = catalogue.list(shelves.collect(), ListOrder::NewestFirst, None, MAX_DELAYED);
        let (ids, _) = listed.await.map_err(|error| unavailable(&error))?;
        let known = ids.into_iter().map(|id| {
            let known = before.remove(&id);
            (id, known.unwrap_or_else(|| DelayedMatch::new(id)))
        });
        let mut known: HashMap<_, _> = known.collect();
        let now = self.matches().now();
        let sound = known.iter().filter(|(_, delayed)| !delayed.is_damaged);
        let mut unread: Vec<MatchId> = sound.map(|(id, _)| *id).collect();
        while !unread.is_empty() {
            let heads = unread
                .iter()
                .filter_map(|id| Some((*id, known.get(id)?.replay.head())));
            let read = self.log().read_many(&heads.collect(), PAGE_EVENTS).await;
            let mut read = read.map_err(|error| unavailable(&error))?;
            unread.clear();
            for (id, delayed) in &mut known {
                let Some(events) = read.remove(id) else {
                    continue;
                };
                match events.map(|events| delayed.take(&events, now)) {
                    Ok(Ok(true)) => unread.push(*id),
                    Ok(Ok(false)) => {}
                    // It is found when it is asked for; it must not hide the others.
                    Ok(Err(error)) | Err(error) => {
                        debug!(match_id = %id, %error, "match is not followed for spectators");
                        delayed.is_damaged = true;
                    }
                }
                self.yield_to_players();
            }
        }
        for (id, delayed) in &mut known {
            if let Some(changed) = delayed.change(*id) {
                self.matches().news.add(changed);
            }
            self.yield_to_players();
        }
        Ok(known)
    }
}

impl DelayedMatch {
    fn new(id: MatchId) -> Self {
        Self {
            replay: MatchReplay::new(id),
            noted: None,
            joined: Vec::new(),
            is_damaged: false,
        }
    }

    /// Takes the events that follow those which spectators know. Returns true if there may be more for them.
    fn take(&mut self, events: &[ChainedEvent], now: Timestamp) -> Result<bool, MatchLogError> {
        let mut shown = 0;
        for entry in events {
            let delay = self.replay.state().map(|state| state.created().audience);
            let delay = delay.map_or(Duration::ZERO, Audience::spectator_delay);
            if !is_shown(&entry.recorded, now.before(delay)) {
                break;
            }
            self.replay.push(entry)?;
            shown += 1;
        }
        let hidden = events[shown..].iter();
        let joined = hidden.filter_map(|entry| {
            if let MatchEvent::SeatJoined { player, .. } = &entry.recorded.event {
                return Some(*player);
            }
            None
        });
        self.joined = joined.collect();
        Ok(shown == PAGE_EVENTS)
    }

    /// The change since it was noted last, if there is one.
    fn change(&mut self, id: MatchId) -> Option<ChangedMatch> {
        let head = self.replay.head().sequence;
        let noted = self.noted.as_ref();
        if self.is_damaged || noted.is_some_and(|(_, noted)| *noted == head) {
            return None;
        }
        let seen = self.replay.clone().into_match()?;
        let entry = MatchEntry::of(&seen);
        let is_move = noted.is_some_and(|(noted, _)| *noted == entry);
        self.noted = Some((entry, head));
        Some(ChangedMatch {
            id,
            found: Arc::new(FoundMatch::Earlier(Box::new(seen))),
            sight: ChangeSight::Delayed {
                is_move,
                joined: self.joined.clone(),
            },
        })
    }
}
