use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::{self, Handle};
use tokio::sync::watch;

/// Followers of changing values, such as the last event of a match, by the keys of the values.
///
/// A change would wake all who follow the value, on its own thread and before the player is answered: thousands perhaps.
/// Here it wakes one task for each runtime with followers, and that task wakes the others.
#[derive(Clone, Debug)]
pub(super) struct Relays<K, T>(Arc<Mutex<Table<K, T>>>);

type Table<K, T> = HashMap<(runtime::Id, K), watch::Sender<T>>;

impl<K, T> Default for Relays<K, T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K, T> Relays<K, T>
where
    K: Copy + Debug + Eq + Hash + Send + 'static,
    T: Copy + Debug + Send + Sync + 'static,
{
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_source_has_one_follower_for_each_runtime() {
        let relays = Relays::default();
        let source = watch::Sender::new(1);
        let mut followers: Vec<_> = (0..3)
            .map(|_| relays.follow("a", source.subscribe()))
            .collect();
        let elsewhere = runtime::Builder::new_multi_thread().build().unwrap();
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

    #[tokio::test]
    async fn nothing_is_left_of_a_relay_without_followers() {
        let relays = Relays::default();
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
