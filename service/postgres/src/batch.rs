//! Appends that are written together.

use std::collections::{HashSet, VecDeque};

use dragontooth_service_store::{AppendError, Listing, StreamId};
use dragontooth_service_vocabulary::Sequence;
use tokio::sync::oneshot;

/// Appends in one batch, at most.
pub(crate) const MAX_BATCH_APPENDS: usize = 1024;

/// Bytes of records in one batch, at most; one append may be longer.
const MAX_BATCH_BYTES: usize = 1024 * 1024;

/// An append that waits for its answer.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) stream: StreamId,
    pub(crate) expected: Sequence,
    pub(crate) records: Vec<Vec<u8>>,
    pub(crate) listing: Listing,
    reply: oneshot::Sender<Result<Sequence, AppendError>>,
}

impl Pending {
    pub(crate) fn new(
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
        listing: Listing,
    ) -> (Self, oneshot::Receiver<Result<Sequence, AppendError>>) {
        let (reply, answer) = oneshot::channel();
        let pending = Self {
            stream,
            expected,
            records,
            listing,
            reply,
        };
        (pending, answer)
    }

    /// The head after it.
    pub(crate) fn head(&self) -> Sequence {
        Sequence(self.expected.0.saturating_add(self.records.len() as u64))
    }

    /// Returns true if it only asks for the head: it has nothing to write, or expects a head that no stream has.
    pub(crate) fn is_question(&self) -> bool {
        self.records.is_empty() || i64::try_from(self.head().0).is_err()
    }

    pub(crate) fn answer(self, answer: Result<Sequence, AppendError>) {
        // Whoever waited may have gone away.
        let _ = self.reply.send(answer);
    }
}

/// Takes a batch from those that wait, at most one append of each stream, in the order of the streams: two batches that
/// are written at once lock them in the same order.
pub(crate) fn take(waiting: &mut VecDeque<Pending>) -> Vec<Pending> {
    let mut batch = Vec::with_capacity(waiting.len().min(MAX_BATCH_APPENDS));
    let mut streams = HashSet::with_capacity(batch.capacity());
    let mut len_bytes = 0;
    let mut later = VecDeque::new();
    while let Some(next) = waiting.pop_front() {
        if batch.len() == MAX_BATCH_APPENDS || len_bytes > MAX_BATCH_BYTES {
            later.push_back(next);
            break;
        }
        if streams.insert(next.stream) {
            len_bytes += next.records.iter().map(Vec::len).sum::<usize>();
            batch.push(next);
        } else {
            later.push_back(next);
        }
    }
    later.append(waiting);
    *waiting = later;
    batch.sort_unstable_by_key(|pending| pending.stream);
    batch
}
