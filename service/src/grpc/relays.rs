use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::{self, Handle};
use tokio::sync::watch;
use tokio::time::sleep;

/// Followers of changing values, such as the last event of a match, by the keys of the values.
///
/// A change would wake all who follow the value, on its own thread and before the player is answered: thousands perhaps.
/// Here it wakes one task for each runtime with followers, and that task wakes the others: at once on the runtime that serves
/// players, a frame later on that which serves browsers.
#[derive(Clone, Debug)]
pub(super) struct Relays<K, T> {
    /// The runtime that serves players.
    home: runtime::Id,
    table: Arc<Mutex<Table<K, T>>>,
}

type Table<K, T> = HashMap<(runtime::Id, K), watch::Sender<T>>;

/// Time after a change before browsers hear of it, with those that came meanwhile. The player who made it is answered first,
/// and a screen shows at most one change in such a time.
const FRAME: Duration = Duration::from_millis(16);

impl<K, T> Relays<K, T>
where
    K: Copy + Debug + Eq + Hash + Send + 'static,
    T: Copy + Debug + Send + Sync + 'static,
{
    /// Relays without followers; players are served on the current runtime.
    ///
    /// # Panics
    ///
    /// There is no current runtime.
    pub(super) fn new() -> Self {
        Self {
            home: Handle::current().id(),
            table: Arc::default(),
        }
    }

    /// Follows the value of `source` with those on this runtime who follow the value with this key already. Ends as
    /// `source` does.
    pub(super) fn follow(&self, key: K, source: watch::Receiver<T>) -> watch::Receiver<T> {
        let runtime = Handle::current();
        let key = (runtime.id(), key);
        let mut table = self.lock();
        if let Some(relay) = table.get(&key) {
            return relay.subscribe();
        }
        let (relay, followed) = watch::channel(*source.borrow());
        table.insert(key, relay.clone());
        runtime.spawn(self.clone().pass_on(key, source, relay));
        followed
    }

    /// Passes the values on until there are no more, or nobody follows them.
    async fn pass_on(
        self,
        key: (runtime::Id, K),
        mut source: watch::Receiver<T>,
        relay: watch::Sender<T>,
    ) {
        loop {
            tokio::select! {
                changed = source.changed() => {
                    if changed.is_err() {
                        self.lock().remove(&key);
                        return;
                    }
                    if key.0 != self.home {
                        sleep(FRAME).await;
                    }
                    let value = *source.borrow_and_update();
                    relay.send_replace(value);
                }
                () = relay.closed() => {
                    let mut table = self.lock();
                    // Another one may have come meanwhile.
                    if relay.receiver_count() == 0 {
                        table.remove(&key);
                        return;
                    }
                }
            }
        }
    }

    /// Nothing that holds the lock fails half way.
    fn lock(&self) -> MutexGuard<'_, Table<K, T>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::yield_now;
    use tokio::time::{Instant, advance};

    use super::*;

    #[tokio::test]
    async fn a_source_has_one_follower_for_each_runtime() {
        let relays = Relays::new();
        let source = watch::Sender::new(1);
        let mut followers: Vec<_> = (0..3)
            .map(|_| relays.follow("a", source.subscribe()))
            .collect();
        let elsewhere = runtime::Builder::new_multi_thread()
            .enable_time()
            .build()
            .unwrap();
        let far = {
            let _on_it = elsewhere.enter();
            relays.follow("a", source.subscribe())
        };
        assert_eq!(source.receiver_count(), 2);
        source.send_replace(2);
        for follower in followers.iter_mut().chain([&mut far.clone()]) {
            assert_eq!(*follower.wait_for(|value| *value > 1).await.unwrap(), 2);
        }
        // The last value comes before the end.
        source.send_replace(3);
        drop(source);
        for follower in followers.iter_mut().chain([&mut far.clone()]) {
            assert_eq!(*follower.wait_for(|value| *value > 2).await.unwrap(), 3);
            assert!(follower.changed().await.is_err());
        }
        assert!(relays.lock().is_empty());
        elsewhere.shutdown_background();
    }

    /// Browsers, on a runtime of their own, hear of a change and of those after it together.
    #[tokio::test(start_paused = true)]
    async fn browsers_hear_once_a_frame() {
        let players = runtime::Builder::new_multi_thread().build().unwrap();
        let relays = {
            let _on_it = players.enter();
            Relays::new()
        };
        let source = watch::Sender::new(1);
        let mut follower = relays.follow("a", source.subscribe());
        for values in [[2, 3], [4, 5]] {
            let changed = Instant::now();
            source.send_replace(values[0]);
            yield_now().await;
            advance(FRAME / 2).await;
            assert!(!follower.has_changed().unwrap());
            source.send_replace(values[1]);
            follower.changed().await.unwrap();
            assert_eq!(*follower.borrow_and_update(), values[1]);
            assert_eq!(changed.elapsed(), FRAME);
        }
        players.shutdown_background();
    }

    #[tokio::test]
    async fn nothing_is_left_of_a_relay_without_followers() {
        let relays = Relays::new();
        let source = watch::Sender::new(1);
        let follower = relays.follow("a", source.subscribe());
        drop((follower.clone(), follower));
        source.closed().await;
        assert!(relays.lock().is_empty());
        let mut follower = relays.follow("a", source.subscribe());
        source.send_replace(2);
        assert_eq!(*follower.wait_for(|value| *value > 1).await.unwrap(), 2);
    }
}
