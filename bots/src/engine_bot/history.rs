use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dragontooth_bots_engines::stdio::HistoryEvent;
use dragontooth_games::Seat;
use dragontooth_service_client::{Client, Resume, WatchUpdate, WatchedEvent};
use dragontooth_service_vocabulary::{MatchEvent, MatchId, Sequence};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

/// Time during which a lost connection is reopened.
const PATIENCE: Duration = Duration::from_mins(10);

/// Matches that this program watches anyway. Engines that play in them get the history from here, and need
/// no watch of their own.
#[derive(Clone, Debug, Default)]
pub struct WatchedMatches(Arc<Mutex<HashMap<MatchId, Arc<Log>>>>);

/// A match of [`WatchedMatches`]. Its watcher adds each event; when this is dropped, no event follows.
#[derive(Debug)]
pub struct WatchedHistory {
    matches: WatchedMatches,
    match_id: MatchId,
    log: Arc<Log>,
}

/// The history of a match as far as an engine has not got it.
#[derive(Debug)]
pub(super) struct History {
    log: Arc<Log>,
    /// Number of events of the log that were taken.
    taken: usize,
    /// The last event that was asked for before it was known: the events up to it are not reported any more.
    missed: Option<Sequence>,
    /// The watch, if it is for this history alone.
    watching: Option<AbortHandle>,
}

/// The events of a match so far.
#[derive(Debug, Default)]
struct Log {
    events: Mutex<Events>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct Events {
    reported: Vec<(Sequence, HistoryEvent)>,
    head: Option<Sequence>,
    /// True if no event follows.
    is_over: bool,
}

impl WatchedMatches {
    /// Adds a match whose events its watcher is going to report from the first.
    #[must_use]
    pub fn add(&self, match_id: MatchId) -> WatchedHistory {
        let log = Arc::<Log>::default();
        self.lock().insert(match_id, Arc::clone(&log));
        WatchedHistory {
            matches: self.clone(),
            match_id,
            log,
        }
    }

    /// The history of a match, if it is watched.
    pub(super) fn history(&self, match_id: MatchId) -> Option<History> {
        let log = Arc::clone(self.lock().get(&match_id)?);
        Some(History::new(log, None))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<MatchId, Arc<Log>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WatchedHistory {
    /// Adds events, in order.
    pub fn add(&self, events: &[WatchedEvent]) {
        self.log.add(events);
    }
}

impl Drop for WatchedHistory {
    fn drop(&mut self) {
        self.matches.lock().remove(&self.match_id);
        self.log.end();
    }
}

impl History {
    const fn new(log: Arc<Log>, watching: Option<AbortHandle>) -> Self {
        Self {
            log,
            taken: 0,
            missed: None,
            watching,
        }
    }

    /// Watches a match from its beginning.
    pub(super) fn watch(client: Client, runtime: &Handle, match_id: MatchId) -> Self {
        let log = Arc::<Log>::default();
        let watched = Arc::clone(&log);
        let watching = runtime.spawn(async move {
            let mut watch = client.watch(match_id, Sequence(0), Resume::For(PATIENCE));
            while let Some(update) = watch.next().await {
                match update {
                    Ok(WatchUpdate::Events(events)) => watched.add(&events),
                    Ok(WatchUpdate::CaughtUp { .. } | WatchUpdate::Heartbeat { .. }) => {}
                    Ok(WatchUpdate::Closing(_)) => break,
                    Err(error) => {
                        tracing::info!(%match_id, %error, "cannot watch the match");
                        break;
                    }
                }
            }
            watched.end();
        });
        Self::new(log, Some(watching.abort_handle()))
    }

    /// Takes the events up to `event`. `None` if it is not known within `limit`.
    pub(super) fn take_up_to(
        &mut self,
        event: Sequence,
        limit: Duration,
    ) -> Option<Vec<HistoryEvent>> {
        let is_there = |events: &Events| events.head >= Some(event);
        let log = Arc::clone(&self.log);
        let events = log.wait(limit, is_there);
        if !is_there(&events) {
            self.missed = Some(event);
            return None;
        }
        let count = events
            .reported
            .partition_point(|(sequence, _)| *sequence <= event);
        Some(self.take(&events, count))
    }

    /// Takes the remaining events once the match is over, or those known after `limit`.
    pub(super) fn take_rest(&mut self, limit: Duration) -> Vec<HistoryEvent> {
        let log = Arc::clone(&self.log);
        let events = log.wait(limit, |events| events.is_over);
        self.take(&events, events.reported.len())
    }

    /// Takes the events before the place `end`, without the missed ones.
    fn take(&mut self, events: &Events, end: usize) -> Vec<HistoryEvent> {
        let missed = self.missed;
        let taken = events.reported[self.taken..end].iter();
        self.taken = end;
        let kept = taken.filter(|(sequence, _)| Some(*sequence) > missed);
        kept.map(|(_, event)| event.clone()).collect()
    }
}

impl Drop for History {
    fn drop(&mut self) {
        if let Some(watching) = &self.watching {
            watching.abort();
        }
    }
}

impl Log {
    fn add(&self, events: &[WatchedEvent]) {
        let mut log = self.lock();
        for event in events {
            let sequence = event.recorded.sequence;
            log.head = Some(sequence);
            log.is_over |= matches!(event.event(), MatchEvent::MatchEnded { .. });
            let score = event.facts.score.unwrap_or_default();
            let score = || Seat::BOTH.map(|seat| score.of(seat));
            if let Some(reported) = HistoryEvent::of(event.event(), score) {
                log.reported.push((sequence, reported));
            }
        }
        drop(log);
        self.news.notify_all();
    }

    fn end(&self) {
        self.lock().is_over = true;
        self.news.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Events> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, limit: Duration, is_enough: impl Fn(&Events) -> bool) -> MutexGuard<'_, Events> {
        let until = Instant::now() + limit;
        let mut log = self.lock();
        while !is_enough(&log) && !log.is_over {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.news.wait_timeout(log, left);
            log = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        log
    }
}

#[cfg(test)]
mod tests {
    use dragontooth_games::record::RecordStep;
    use dragontooth_service_client::EventFacts;
    use dragontooth_service_vocabulary::{Recorded, Timestamp};

    use super::*;

    fn rolled(sequence: u64) -> WatchedEvent {
        WatchedEvent {
            recorded: Recorded {
                sequence: Sequence(sequence),
                time: Timestamp::default(),
                event: MatchEvent::Rolled {
                    roll: sequence.to_string(),
                },
            },
            facts: EventFacts::default(),
        }
    }

    fn rolls(told: &[HistoryEvent]) -> Vec<&str> {
        let roll = |told| {
            let &HistoryEvent::Step(RecordStep::Roll { ref roll }) = told else {
                panic!("{told:?}")
            };
            roll.as_str()
        };
        told.iter().map(roll).collect()
    }

    /// An engine extends its tree by the events since the last position, so it must not get older ones.
    #[test]
    fn missed_events_are_not_reported_with_the_next_decision() {
        let watched = WatchedMatches::default().add(MatchId::from_bytes([1; 16]));
        let mut history = History::new(Arc::clone(&watched.log), None);
        let [at_2, at_4, at_6] = [2, 4, 6].map(Sequence);
        let now = Duration::ZERO;
        watched.add(&[1, 2].map(rolled));
        assert_eq!(rolls(&history.take_up_to(at_2, now).unwrap()), ["1", "2"]);
        watched.add(&[rolled(3)]);
        assert_eq!(history.take_up_to(at_4, now), None);
        watched.add(&[4, 5, 6, 7].map(rolled));
        assert_eq!(rolls(&history.take_up_to(at_6, now).unwrap()), ["5", "6"]);
        drop(watched);
        assert_eq!(rolls(&history.take_rest(now)), ["7"]);
    }

    /// Both engines of a match may be of this program.
    #[test]
    fn engines_of_one_watched_match_get_all_events_each() {
        let matches = WatchedMatches::default();
        let match_id = MatchId::from_bytes([1; 16]);
        let watched = matches.add(match_id);
        watched.add(&[1, 2].map(rolled));
        let mut one = matches.history(match_id).unwrap();
        let mut two = matches.history(match_id).unwrap();
        let now = Duration::ZERO;
        assert_eq!(
            rolls(&one.take_up_to(Sequence(2), now).unwrap()),
            ["1", "2"]
        );
        watched.add(&[rolled(3)]);
        assert_eq!(
            rolls(&two.take_up_to(Sequence(3), now).unwrap()),
            ["1", "2", "3"]
        );
        drop(watched);
        assert_eq!(rolls(&one.take_rest(now)), ["3"]);
        assert!(two.take_rest(now).is_empty());
        assert!(matches.history(match_id).is_none());
    }
}
