//! Heads of streams on their way to whoever takes them.

use std::{
    collections::HashMap,
    mem,
    sync::{Mutex, PoisonError},
};

use dragontooth_service_vocabulary::Sequence;
use tokio::sync::Notify;

use crate::StreamId;

/// Heads that are gathered until they are taken: of each stream the latest, so that they are never more than the streams.
#[derive(Debug, Default)]
pub struct Heads {
    gathered: Mutex<HashMap<StreamId, Sequence>>,
    has_some: Notify,
}

impl Heads {
    /// Adds heads. An earlier one of a stream changes nothing.
    pub fn add(&self, heads: impl IntoIterator<Item = (StreamId, Sequence)>) {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        for (stream, head) in heads {
            let latest = gathered.entry(stream).or_default();
            *latest = head.max(*latest);
        }
        if !gathered.is_empty() {
            self.has_some.notify_one();
        }
    }

    /// Takes what has been gathered, and waits until there is some. Only one task may wait at a time.
    pub async fn take(&self) -> HashMap<StreamId, Sequence> {
        loop {
            {
                let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
                if !gathered.is_empty() {
                    return mem::take(&mut *gathered);
                }
            }
            self.has_some.notified().await;
        }
    }
}
