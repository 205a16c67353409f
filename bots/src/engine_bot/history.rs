use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dragontooth_bots_engines::stdio::HistoryEvent;
use dragontooth_games::Seat;
use dragontooth_service_client::{Client, Resume, WatchUpdate, WatchedEvent};
use dragontooth_service_vocabulary::{MatchEvent, MatchId, Sequence};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

/// Time during which a lost connection is reopened.
const PATIENCE: Duration = Duration::from_mins(10);

/// The history of a match, as the service reports it to a watcher.
#[derive(Debug)]
pub(super) struct History {
    shared: Arc<Shared>,
    watching: AbortHandle,
}

#[derive(Debug, Default)]
struct Shared {
    log: Mutex<Log>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct Log {
    events: Vec<(Sequence, HistoryEvent)>,
    head: Option<Sequence>,
    /// The last event that was asked for before it was known: the events up to it are not reported any more.
    missed: Option<Sequence>,
    /// True if no event follows.
    is_over: bool,
}

impl History {
    /// Watches a match from its beginning.
    pub(super) fn watch(client: Client, runtime: &Handle, match_id: MatchId) -> Self {
        let shared = Arc::new(Shared::default());
        let log = Arc::clone(&shared);
        let watching = runtime.spawn(async move {
            let mut watch = client.watch(match_id, Sequence(0), Resume::For(PATIENCE));
            while let Some(update) = watch.next().await {
                match update {
                    Ok(WatchUpdate::Events(events)) => log.add(&events),
                    Ok(WatchUpdate::CaughtUp { .. } | WatchUpdate::Heartbeat { .. }) => {}
                    Ok(WatchUpdate::Closing(_)) => break,
                    Err(error) => {
                        tracing::info!(%match_id, %error, "cannot watch the match");
                        break;
                    }
                }
            }
            log.end();
        });
        Self {
            shared,
            watching: watching.abort_handle(),
        }
    }

    /// Takes the events up to `event`. `None` if it is not known within `limit`.
    pub(super) fn take_up_to(&self, event: Sequence, limit: Duration) -> Option<Vec<HistoryEvent>> {
        let is_there = |log: &Log| log.head >= Some(event);
        let mut log = self.shared.wait(limit, is_there);
        if !is_there(&log) {
            log.missed = Some(event);
            return None;
        }
        let count = log
            .events
            .partition_point(|(sequence, _)| *sequence <= event);
        Some(log.take(count))
    }

    /// Takes the remaining events once the match is over, or those known after `limit`.
    pub(super) fn take_rest(&self, limit: Duration) -> Vec<HistoryEvent> {
        let mut log = self.shared.wait(limit, |log| log.is_over);
        let count = log.events.len();
        log.take(count)
    }
}

impl Drop for History {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

impl Log {
    /// Takes `count` events, without the missed ones.
    fn take(&mut self, count: usize) -> Vec<HistoryEvent> {
        let missed = self.missed;
        let taken = self.events.drain(..count);
        let kept = taken.filter(|(sequence, _)| Some(*sequence) > missed);
        kept.map(|(_, event)| event).collect()
    }
}

impl Shared {
    fn add(&self, events: &[WatchedEvent]) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        for event in events {
            let sequence = event.recorded.sequence;
            log.head = Some(sequence);
            log.is_over |= matches!(event.event(), MatchEvent::MatchEnded { .. });
            let score = event.facts.score.unwrap_or_default();
            let score = || Seat::BOTH.map(|seat| score.of(seat));
            if let Some(reported) = HistoryEvent::of(event.event(), score) {
                log.events.push((sequence, reported));
            }
        }
        drop(log);
        self.news.notify_all();
    }

    fn end(&self) {
        self.log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_over = true;
        self.news.notify_all();
    }

    fn wait(
        &self,
        limit: Duration,
        is_enough: impl Fn(&Log) -> bool,
    ) -> std::sync::MutexGuard<'_, Log> {
        let until = Instant::now() + limit;
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
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
    #[tokio::test]
    async fn missed_events_are_not_reported_with_the_next_decision() {
        let history = History {
            shared: Arc::default(),
            watching: tokio::spawn(async {}).abort_handle(),
        };
        let [at_2, at_4, at_6] = [2, 4, 6].map(Sequence);
        let now = Duration::ZERO;
        history.shared.add(&[1, 2].map(rolled));
        assert_eq!(rolls(&history.take_up_to(at_2, now).unwrap()), ["1", "2"]);
        history.shared.add(&[rolled(3)]);
        assert_eq!(history.take_up_to(at_4, now), None);
        history.shared.add(&[4, 5, 6, 7].map(rolled));
        assert_eq!(rolls(&history.take_up_to(at_6, now).unwrap()), ["5", "6"]);
        history.shared.end();
        assert_eq!(rolls(&history.take_rest(now)), ["7"]);
    }
}
