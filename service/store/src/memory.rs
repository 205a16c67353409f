//! A log that ends with its process.

use std::{
    collections::BTreeMap,
    future,
    ops::Bound,
    sync::{PoisonError, RwLock, RwLockReadGuard},
};

use dragontooth_service_vocabulary::Sequence;
use futures::FutureExt;

use crate::{
    Append, AppendError, Close, EventLog, Failed, LogAnswer, MAX_READ_RECORDS, MAX_READ_STREAMS,
    NumberedRecords, ReadError, StorageError, StreamId, log::check_limits,
};

/// A log in memory, for tests, measurements, and services that keep nothing after their process.
///
/// A record is as durable as the log: it is kept until the log is dropped. The example of [`EventLog`] uses one.
#[derive(Debug, Default)]
pub struct MemoryLog {
    state: RwLock<State>,
}

impl MemoryLog {
    /// An empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventLog for MemoryLog {
    fn append(&self, stream: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_> {
        Box::pin(async move {
            check_limits(&records)?;
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            state.append(stream, expected, records)
        })
    }

    fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> LogAnswer<'_, Result<NumberedRecords, ReadError>> {
        let state = self.state();
        let records = state.streams.get(&stream).map_or(&[][..], Vec::as_slice);
        let skipped = usize::try_from(after.0).unwrap_or(usize::MAX);
        let read = (1..)
            .map(Sequence)
            .zip(records)
            .skip(skipped)
            .take(limit.min(MAX_READ_RECORDS))
            .map(|(sequence, record)| (sequence, record.clone()))
            .collect();
        future::ready(Ok(read)).left_future()
    }

    fn head(&self, stream: StreamId) -> LogAnswer<'_, Result<Sequence, ReadError>> {
        future::ready(Ok(self.state().head(stream))).left_future()
    }

    fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> LogAnswer<'_, Result<Vec<(StreamId, Sequence)>, ReadError>> {
        let lower = after.map_or(Bound::Unbounded, Bound::Excluded);
        let page = self
            .state()
            .streams
            .range((lower, Bound::Unbounded))
            .take(limit.min(MAX_READ_STREAMS))
            .map(|(stream, records)| (*stream, Sequence(records.len() as u64)))
            .collect();
        future::ready(Ok(page)).left_future()
    }

    fn summary(&self, stream: StreamId) -> LogAnswer<'_, Result<Option<Vec<u8>>, ReadError>> {
        let summary = self.state().summaries.get(&stream).cloned();
        future::ready(Ok(summary)).left_future()
    }

    fn keep_summary(
        &self,
        stream: StreamId,
        summary: Option<Vec<u8>>,
    ) -> LogAnswer<'_, Result<(), StorageError>> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        match summary {
            Some(summary) => state.summaries.insert(stream, summary),
            None => state.summaries.remove(&stream),
        };
        future::ready(Ok(())).left_future()
    }

    fn health(&self) -> Result<(), AppendError> {
        if self.state().closed {
            Err(AppendError::Closed)
        } else {
            Ok(())
        }
    }

    fn failed(&self) -> Failed<'_> {
        Box::pin(future::pending())
    }

    fn close(&self) -> Close<'_> {
        self.state
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .closed = true;
        Box::pin(future::ready(()))
    }
}

#[derive(Debug, Default)]
struct State {
    /// The records of each stream that has some; the sequence of a record is its index plus one.
    streams: BTreeMap<StreamId, Vec<Vec<u8>>>,
    summaries: BTreeMap<StreamId, Vec<u8>>,
    closed: bool,
}

impl State {
    fn head(&self, stream: StreamId) -> Sequence {
        Sequence(
            self.streams
                .get(&stream)
                .map_or(0, |records| records.len() as u64),
        )
    }

    fn append(
        &mut self,
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
    ) -> Result<Sequence, AppendError> {
        if self.closed {
            return Err(AppendError::Closed);
        }
        let actual = self.head(stream);
        if actual != expected {
            return Err(AppendError::Conflict {
                stream,
                expected,
                actual,
            });
        }
        if !records.is_empty() {
            self.streams.entry(stream).or_default().extend(records);
        }
        Ok(self.head(stream))
    }
}
