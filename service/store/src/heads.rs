//! Heads of streams on their way to whoever takes them.

use std::{
    collections::HashMap,
    mem,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use dragontooth_service_vocabulary::{PlayerId, Sequence};
use tokio::sync::Notify;

use crate::StreamId;

/// A head of a stream, for those whom it may concern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewHead {
    /// The sequence of the last record.
    pub head: Sequence,
    /// The players who may not know yet that the match is theirs, or what has become of it, by the index of the seat.
    pub players: [Option<PlayerId>; 2],
    /// True if the match stands in the catalogue in another way than before.
    pub is_listed: bool,
}

/// Heads that are gathered until they are taken: of each stream the latest, so that they are never more than the streams.
#[derive(Debug, Default)]
pub struct Heads {
    gathered: Mutex<HashMap<StreamId, NewHead>>,
    has_some: Notify,
    has_gap: AtomicBool,
    gap_noted: Notify,
}

impl Heads {
    /// Adds heads. Of two of a stream the later one counts, with the players of both.
    pub fn add(&self, heads: impl IntoIterator<Item = (StreamId, NewHead)>) {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        for (stream, new) in heads {
            let latest = gathered.entry(stream).or_default();
            let [newer, older] = if new.head > latest.head {
                [new, *latest]
            } else {
                [*latest, new]
            };
            latest.head = newer.head;
            latest.players = [0, 1].map(|seat| newer.players[seat].or(older.players[seat]));
            latest.is_listed = newer.is_listed || older.is_listed;
        }
        if !gathered.is_empty() {
            self.has_some.notify_one();
        }
    }

    /// Notes that heads may have been lost on their way.
    pub fn note_gap(&self) {
        self.has_gap.store(true, Ordering::Release);
        self.gap_noted.notify_one();
    }

    /// Waits until [`note_gap`](Self::note_gap) is called, unless it was since the last wait. Only one task may wait at a time.
    pub async fn gap(&self) {
        self.gap_noted.notified().await;
    }

    /// Returns true if heads may have been lost since this was asked last.
    pub fn take_gap(&self) -> bool {
        self.has_gap.swap(false, Ordering::AcqRel)
    }

    /// Takes what has been gathered, and waits until there is some. Only one task may wait at a time.
    pub async fn take(&self) -> HashMap<StreamId, NewHead> {
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
