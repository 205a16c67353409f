use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use dragontooth_runner_report::RunPhase;
use futures::Stream;
use futures::stream::unfold;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, timeout_at};

use crate::snapshot::Snapshot;

/// Time after which a spectator of a page that does not change hears that the runner is there.
const BEAT: Duration = Duration::from_secs(10);

const BEAT_EVENT: Bytes = Bytes::from_static(b"event: beat\ndata:\n\n");

/// The time after which a browser connects again.
const RETRY: Bytes = Bytes::from_static(b"retry: 1000\n\n");

/// A spectator, who gets the latest state whenever the state before is sent: one who reads slowly misses those
/// between.
struct Spectator {
    shown: watch::Receiver<Option<Arc<Snapshot>>>,
    /// The version of the spectator's page; `None` until it is compared with the first snapshot.
    seen: Option<u64>,
    /// The id of the spectator's page.
    id: String,
    /// The rest of the state that is being sent.
    queue: VecDeque<Bytes>,
    is_over: bool,
    _place: OwnedSemaphorePermit,
}

/// The events for a spectator whose page has this id. The stream ends with the run.
pub(crate) fn events(
    shown: watch::Receiver<Option<Arc<Snapshot>>>,
    id: String,
    place: OwnedSemaphorePermit,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let spectator = Spectator {
        shown,
        seen: None,
        id,
        queue: VecDeque::from([RETRY, time_event()]),
        is_over: false,
        _place: place,
    };
    unfold(spectator, async |mut spectator| {
        let event = spectator.next().await?;
        Some((Ok(event), spectator))
    })
}

/// The event that says which time it is here, in milliseconds since 1970, by which the page moves the clocks.
fn time_event() -> Bytes {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_millis());
    format!("event: time\ndata: {now}\n\n").into()
}

impl Spectator {
    async fn next(&mut self) -> Option<Bytes> {
        // Paintings that change nothing do not put it off.
        let beat = Instant::now() + BEAT;
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Some(event);
            }
            if self.is_over {
                return None;
            }
            let snapshot = self.shown.borrow_and_update().clone();
            if let Some(snapshot) = snapshot
                && self.seen != Some(snapshot.version)
            {
                let seen = self.seen.unwrap_or_else(|| snapshot.version_of(&self.id));
                self.queue.extend(snapshot.events(seen));
                self.seen = Some(snapshot.version);
                self.is_over = snapshot.phase != RunPhase::Live;
                continue;
            }
            match timeout_at(beat, self.shown.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return None,
                Err(_) => self.queue.push_back(BEAT_EVENT),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use futures::StreamExt;
    use tokio::sync::Semaphore;

    use super::*;

    /// Changes two parts of a page.
    fn next(page: &Snapshot, number: usize) -> Snapshot {
        let parts = ["summary", "matches"].map(|name| (name, format!("{name} {number}")));
        page.with(RunPhase::Live, parts.into()).unwrap()
    }

    #[tokio::test]
    async fn a_slow_reader_gets_the_latest_state_alone() {
        let shown = watch::Sender::new(None);
        let room = Arc::new(Semaphore::new(1));
        let place = Arc::clone(&room).try_acquire_owned().unwrap();
        let stream = events(shown.subscribe(), String::new(), place);
        let mut stream = Box::pin(stream);
        let mut page = Arc::new(Snapshot::nothing("start".into()));
        let mut show = |numbers: RangeInclusive<usize>| {
            for number in numbers {
                let now = Arc::new(next(&page, number));
                page = Arc::clone(&now);
                shown.send_replace(Some(now));
            }
        };
        let mut read = async || {
            let event = stream.next().await.unwrap().unwrap();
            String::from_utf8(event.to_vec()).unwrap()
        };
        assert_eq!(read().await, "retry: 1000\n\n");
        assert!(read().await.starts_with("event: time\ndata: 1"));
        show(1..=1000);
        let part = |name: &str, number: usize| {
            format!("event: part\ndata: {name}\ndata: {name} {number}\n\n")
        };
        assert_eq!(read().await, part("summary", 1000));
        // The state that is being sent stays whole.
        show(1001..=1500);
        assert_eq!(read().await, part("matches", 1000));
        assert_eq!(read().await, "event: state\nid: start-1000\ndata: live\n\n");
        assert_eq!(read().await, part("summary", 1500));
        assert_eq!(read().await, part("matches", 1500));
        assert_eq!(read().await, "event: state\nid: start-1500\ndata: live\n\n");
        drop(stream);
        assert_eq!(room.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_that_is_painted_without_a_change_hears_of_the_runner() {
        let page = Arc::new(next(&Snapshot::nothing("start".into()), 1));
        let shown = watch::Sender::new(Some(Arc::clone(&page)));
        let place = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        let mut stream = Box::pin(events(shown.subscribe(), "start-1".into(), place));
        for _ in 0..3 {
            stream.next().await.unwrap().unwrap();
        }
        let mut paintings = tokio::time::interval(BEAT / 8);
        let mut painted = 0;
        let event = loop {
            tokio::select! {
                event = stream.next() => break event,
                _ = paintings.tick() => {
                    painted += 1;
                    assert!(painted < 20, "nothing is sent");
                    shown.send_replace(Some(Arc::clone(&page)));
                }
            }
        };
        assert_eq!(event.unwrap().unwrap(), BEAT_EVENT);
    }
}
