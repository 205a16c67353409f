use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dragontooth_bots_engines::stdio::HistoryEvent;
use dragontooth_games::Seat;
use dragontooth_games::record::RecordStep;
use dragontooth_service_client::{Client, Event, EventKind, Resume, WatchUpdate};
use dragontooth_service_vocabulary::{MatchId, Sequence};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

/// For how long a lost connection is opened again.
const PATIENCE: Duration = Duration::from_mins(10);

/// What happens in a match on a service, as it is watched.
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
    told: Vec<(Sequence, HistoryEvent)>,
    head: Option<Sequence>,
    /// The last event that was asked for before it was known: what happened up to it is told no more.
    missed: Option<Sequence>,
    /// Whether nothing follows.
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
                        tracing::info!(%match_id, %error, "the match cannot be watched");
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

    /// Takes what happened up to an event, once it is known; none if it is not known within `limit`.
    pub(super) fn take_up_to(&self, event: Sequence, limit: Duration) -> Option<Vec<HistoryEvent>> {
        let is_there = |log: &Log| log.head >= Some(event);
        let mut log = self.shared.wait(limit, is_there);
        if !is_there(&log) {
            log.missed = Some(event);
            return None;
        }
        let count = log.told.partition_point(|(sequence, _)| *sequence <= event);
        Some(log.take(count))
    }

    /// Takes what is left once the match is over, or what is known after `limit`.
    pub(super) fn take_rest(&self, limit: Duration) -> Vec<HistoryEvent> {
        let mut log = self.shared.wait(limit, |log| log.is_over);
        let count = log.told.len();
        log.take(count)
    }
}

impl Drop for History {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

impl Log {
    /// Takes so many, without those that were missed.
    fn take(&mut self, count: usize) -> Vec<HistoryEvent> {
        let missed = self.missed;
        let taken = self.told.drain(..count);
        let told = taken.filter(|(sequence, _)| Some(*sequence) > missed);
        told.map(|(_, told)| told).collect()
    }
}

impl Shared {
    fn add(&self, events: &[Event]) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        for event in events {
            log.head = Some(event.sequence);
            log.is_over |= matches!(event.kind, EventKind::MatchEnded(_));
            if let Some(told) = told(&event.kind) {
                log.told.push((event.sequence, told));
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

/// What is told to an engine of an event.
fn told(kind: &EventKind) -> Option<HistoryEvent> {
    let step = match kind {
        EventKind::GameStarted {
            game_number,
            position,
        } => {
            return Some(HistoryEvent::GameStarted {
                game_number: *game_number,
                position: position.clone(),
            });
        }
        EventKind::GameEnded { outcome, score } => {
            return Some(HistoryEvent::GameEnded {
                winner: outcome.winner,
                points: outcome.points,
                score: Seat::BOTH.map(|seat| score.of(seat)),
            });
        }
        EventKind::ActionPlayed { seat, action, .. } => RecordStep::Action {
            seat: *seat,
            action: action.clone(),
        },
        EventKind::TurnPassed { seat, .. } => RecordStep::Pass { seat: *seat },
        EventKind::Rolled { roll, .. } => RecordStep::Roll { roll: roll.clone() },
        EventKind::Created(_)
        | EventKind::SeatJoined { .. }
        | EventKind::ActionRefused { .. }
        | EventKind::MatchEnded(_) => return None,
    };
    Some(HistoryEvent::Step(step))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn rolled(sequence: u64) -> Event {
        Event {
            sequence: Sequence(sequence),
            time: SystemTime::UNIX_EPOCH,
            kind: EventKind::Rolled {
                roll_number: 0,
                roll: sequence.to_string(),
                position: String::new(),
            },
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

    /// A tree of positions is grown by what happened since the last position, never by what happened
    /// before.
    #[tokio::test]
    async fn what_was_missed_is_not_told_with_the_next_decision() {
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
