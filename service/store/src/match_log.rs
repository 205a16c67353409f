use std::collections::HashMap;
use std::sync::Arc;

use dragontooth_service_vocabulary::{MatchEvent, MatchId, Recorded, Sequence, Timestamp};

use futures::stream::{BoxStream, StreamExt, TryStreamExt};
use tokio::sync::watch;

use crate::codec;
use crate::{
    AppendError, Catalogue, ChainHead, ChainedEvent, Damage, EventLog, Heads, Listing, MatchBrief,
    MatchLogError, MatchReplay, MatchSummary, MemoryCatalogue, NumberedRecords, ReadError,
    StorageError, StoredMatch, StreamId, VisitedStream,
};

/// The events of all matches: an [`EventLog`] in terms of matches instead of bytes, which chains the events of a
/// match by hashes, and the catalogue by which matches are found.
///
/// ```
/// use std::sync::Arc;
///
/// use dragontooth_service_store::{MatchLog, MemoryLog};
/// use dragontooth_service_vocabulary::{MatchId, Sequence};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), dragontooth_service_store::MatchLogError> {
/// let log = MatchLog::new(Arc::new(MemoryLog::new()));
/// let id = MatchId::from_bytes([7; 16]);
/// assert_eq!(MatchLog::start(id).sequence, Sequence::START);
/// assert!(log.replay(id).await?.is_none(), "a match without events does not exist");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MatchLog {
    log: Arc<dyn EventLog>,
    durability: Durability,
    /// The catalogue that the log keeps, which services may share.
    shared: Option<Arc<dyn Catalogue>>,
    /// The catalogue of a log that keeps none.
    own: Arc<MemoryCatalogue>,
}

/// The unit that a crash of the system or a loss of power may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Nothing: events are durable before anyone sees them.
    #[default]
    Action,
    /// The last [`MAX_SYNC_DELAY`](crate::MAX_SYNC_DELAY) of matches under way: the end of a match is durable before
    /// anyone sees it, and all events of that match with it. The end of the process alone costs nothing.
    Match,
}

/// A match of a log that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownMatch {
    /// It is over.
    Ended(MatchBrief),
    /// It may be over or not; its last event has this sequence.
    Unknown(Sequence),
}

/// The events that were read of a match, or why they cannot be.
pub type EventsRead = Result<Vec<ChainedEvent>, MatchLogError>;

/// The stream of the issued tokens, whose id is not the id of any match.
pub const RESERVED_STREAM: StreamId = StreamId([0xff; 16]);

impl MatchLog {
    /// The matches in `log`.
    #[must_use]
    pub fn new(log: Arc<dyn EventLog>) -> Self {
        let shared = log.catalogue();
        Self {
            log,
            durability: Durability::default(),
            shared,
            own: Arc::default(),
        }
    }

    /// The same with another durability of what is appended.
    #[must_use]
    pub fn with_durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// The log that the matches are in.
    #[must_use]
    pub fn event_log(&self) -> Arc<dyn EventLog> {
        Arc::clone(&self.log)
    }

    /// The catalogue of the matches. That of a log which keeps none begins empty, and has what is appended, visited and
    /// entered here.
    #[must_use]
    pub fn catalogue(&self) -> Arc<dyn Catalogue> {
        let shared = self.shared.as_ref().map(Arc::clone);
        shared.unwrap_or_else(|| Arc::clone(&self.own) as _)
    }

    /// The catalogue of a log that keeps none; `None` for one that services share.
    #[must_use]
    pub fn own_catalogue(&self) -> Option<&MemoryCatalogue> {
        self.shared.is_none().then_some(&*self.own)
    }

    /// The head of a match without events.
    #[must_use]
    pub fn start(id: MatchId) -> ChainHead {
        ChainHead::start(stream(id))
    }

    /// Appends `events`, recorded at `time`, to a match whose last event is `head`, and gives the
    /// new head. When it returns, they are as durable as [`Durability`] says.
    ///
    /// # Errors
    ///
    /// As [`EventLog::append`].
    pub async fn append(
        &self,
        id: MatchId,
        head: ChainHead,
        time: Timestamp,
        events: &[MatchEvent],
    ) -> Result<ChainHead, AppendError> {
        let listing = Listing::default();
        self.append_listed(id, head, time, events, listing).await
    }

    /// As [`append`](Self::append), with what it changes in the [catalogue](Self::catalogue).
    ///
    /// # Errors
    ///
    /// As [`EventLog::append`].
    pub async fn append_listed(
        &self,
        id: MatchId,
        head: ChainHead,
        time: Timestamp,
        events: &[MatchEvent],
        listing: Listing,
    ) -> Result<ChainHead, AppendError> {
        let mut new_head = head;
        let records = events
            .iter()
            .map(|event| new_head.seal(&codec::encode(time, event)))
            .collect();
        let is_end = |event: &MatchEvent| matches!(event, MatchEvent::MatchEnded { .. });
        let may_be_early = self.durability == Durability::Match && !events.iter().any(is_end);
        if self.is_shared() {
            let append = self
                .log
                .append_listed(stream(id), head.sequence, records, listing);
            append.await?;
            return Ok(new_head);
        }
        let append = if may_be_early {
            self.log.append_early(stream(id), head.sequence, records)
        } else {
            self.log.append(stream(id), head.sequence, records)
        };
        append.await?;
        if let Some(change) = listing.entry {
            self.own.put(id, &change.after, None);
        }
        Ok(new_head)
    }

    /// At most `limit` events of a match after `head`; empty if the match does not exist.
    ///
    /// # Errors
    ///
    /// The log cannot be read, an event is damaged, or it does not follow from `head`.
    pub async fn read(
        &self,
        id: MatchId,
        head: ChainHead,
        limit: usize,
    ) -> Result<Vec<ChainedEvent>, MatchLogError> {
        if stream(id) == RESERVED_STREAM {
            return Ok(Vec::new());
        }
        let records = self.log.read(stream(id), head.sequence, limit).await?;
        entries(head, records)
    }

    /// As [`read`](Self::read) for several matches at once, each from its own head. A match that cannot be read has its own
    /// error; one without events there may be left out.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub async fn read_many(
        &self,
        heads: &HashMap<MatchId, ChainHead>,
        limit: usize,
    ) -> Result<HashMap<MatchId, EventsRead>, ReadError> {
        let after = heads.iter().map(|(id, head)| (stream(*id), head.sequence));
        let records = self.log.read_many(after.collect(), limit).await?;
        let read = records.into_iter().filter_map(|(stream, records)| {
            let id = MatchId::from_bytes(stream.0);
            let head = *heads.get(&id)?;
            let events = records.map_err(MatchLogError::from);
            Some((id, events.and_then(|records| entries(head, records))))
        });
        Ok(read.collect())
    }

    /// The match that a name stands for, as [`EventLog::reserve`].
    ///
    /// # Errors
    ///
    /// The storage has failed.
    pub async fn reserve(&self, name: &[u8], fresh: MatchId) -> Result<MatchId, StorageError> {
        let reserved = self.log.reserve(name, stream(fresh)).await?;
        Ok(MatchId::from_bytes(reserved.0))
    }

    /// The match that a name stands for already, as [`EventLog::reserved`].
    ///
    /// # Errors
    ///
    /// The storage has failed.
    pub async fn reserved(&self, name: &[u8]) -> Result<Option<MatchId>, StorageError> {
        let reserved = self.log.reserved(name).await?;
        Ok(reserved.map(|stream| MatchId::from_bytes(stream.0)))
    }

    /// The heads of matches to which other services on the log have appended, as [`EventLog::feed`]. One with
    /// [`RESERVED_STREAM`] is that of the tokens.
    #[must_use]
    pub fn feed(&self) -> Option<Arc<Heads>> {
        self.log.feed()
    }

    /// Returns true if other services may use the log too.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Replays the events of a match; `None` if the match does not exist.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or an event is damaged, does not follow from those before it, or does
    /// not fit.
    pub async fn replay(&self, id: MatchId) -> Result<Option<StoredMatch>, MatchLogError> {
        if stream(id) == RESERVED_STREAM {
            return Ok(None);
        }
        let mut replay = MatchReplay::new(id);
        let mut records = self.log.records(stream(id), Sequence::START);
        while let Some((sequence, record)) = records.try_next().await? {
            let mut head = replay.head();
            replay.push(&entry(&mut head, sequence, &record)?)?;
        }
        Ok(replay.into_match())
    }

    /// The kept summary of a match that is over, whose log is not read; `None` if none is kept, or it is damaged or of
    /// another format.
    ///
    /// # Errors
    ///
    /// The storage has failed.
    pub async fn summary(&self, id: MatchId) -> Result<Option<MatchSummary>, ReadError> {
        let kept = self.kept_summary(id).await?;
        Ok(kept.map(|(summary, _)| summary))
    }

    /// The kept summaries of several matches at once, as [`summary`](Self::summary).
    ///
    /// # Errors
    ///
    /// The storage has failed.
    pub async fn summaries(
        &self,
        ids: &[MatchId],
    ) -> Result<HashMap<MatchId, MatchSummary>, ReadError> {
        let streams = ids.iter().map(|id| stream(*id)).collect();
        let kept = self.log.summaries(streams).await?.into_iter();
        let read = kept.filter_map(|(stream, bytes)| {
            let id = MatchId::from_bytes(stream.0);
            let (summary, _) = codec::decode_summary(&bytes)?;
            (summary.created.id == id).then_some((id, summary))
        });
        Ok(read.collect())
    }

    /// The heads of several matches at once. Matches without events may be left out.
    ///
    /// # Errors
    ///
    /// The storage has failed.
    pub async fn heads(&self, ids: &[MatchId]) -> Result<HashMap<MatchId, Sequence>, ReadError> {
        let streams = ids.iter().map(|id| stream(*id)).collect();
        let heads = self.log.heads(streams).await?.into_iter();
        Ok(heads
            .map(|(stream, head)| (MatchId::from_bytes(stream.0), head))
            .collect())
    }

    /// The kept summary of a match, if it was made from the log as that ends now, at `head`.
    ///
    /// # Errors
    ///
    /// The storage has failed.
    pub async fn checked_summary(
        &self,
        id: MatchId,
        head: Sequence,
    ) -> Result<Option<MatchSummary>, ReadError> {
        let Some((summary, digest)) = self.kept_summary(id).await? else {
            return Ok(None);
        };
        if summary.head.sequence != head {
            return Ok(None);
        }
        let last = self.last_record(id, head).await?;
        let is_of_log = last.is_some_and(|record| codec::record_digest(&record) == digest);
        Ok(is_of_log.then_some(summary))
    }

    /// Keeps the summary of a match that is over, and returns it. One that cannot be kept is made again when it is
    /// needed.
    pub async fn summarise(&self, id: MatchId, ended: &StoredMatch) -> Option<MatchSummary> {
        let summary = MatchSummary::of(ended, ended.chain_head())?;
        let kept = self.checked_summary(id, summary.head.sequence).await;
        if matches!(kept, Ok(Some(_))) {
            return Some(summary);
        }
        match self.last_record(id, summary.head.sequence).await {
            Ok(Some(last)) => {
                let digest = codec::record_digest(&last);
                let encoded = codec::encode_summary(&summary, digest);
                self.keep(id, Some(encoded)).await;
                self.note_end_with(id, &summary, &last).await;
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(match_id = %id, %error, "summary is not kept"),
        }
        Some(summary)
    }

    /// Forgets the summary of a match whose log has been found damaged.
    pub async fn forget_summary(&self, id: MatchId) {
        self.keep(id, None).await;
    }

    /// Notes that a match with this checked summary is over, for [`visit`](Self::visit).
    pub async fn note_end(&self, id: MatchId, summary: &MatchSummary) {
        if let Ok(Some(last)) = self.last_record(id, summary.head.sequence).await {
            self.note_end_with(id, summary, &last).await;
        }
    }

    async fn note_end_with(&self, id: MatchId, summary: &MatchSummary, last: &[u8]) {
        let brief = codec::encode_brief(&MatchBrief::of(summary));
        let head = summary.head.sequence;
        if let Err(error) = self.log.note_end(stream(id), head, last, &brief).await {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(match_id = %id, error, "the end of the match is not noted");
        }
    }

    async fn keep(&self, id: MatchId, summary: Option<Vec<u8>>) {
        if let Err(error) = self.log.keep_summary(stream(id), summary).await {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(match_id = %id, error, "summary is not kept");
        }
    }

    async fn kept_summary(
        &self,
        id: MatchId,
    ) -> Result<Option<(MatchSummary, [u8; 32])>, ReadError> {
        let kept = self.log.summary(stream(id)).await?;
        let read = kept.and_then(|bytes| codec::decode_summary(&bytes));
        Ok(read.filter(|(summary, _)| summary.created.id == id))
    }

    /// The record at `head`.
    async fn last_record(&self, id: MatchId, head: Sequence) -> Result<Option<Vec<u8>>, ReadError> {
        let before = Sequence(head.0.saturating_sub(1));
        let records = self.log.read(stream(id), before, 1).await?.into_iter();
        let mut last = records.filter(|(sequence, _)| *sequence == head);
        Ok(last.next().map(|(_, record)| record))
    }

    /// Calls `each` with every match that is not [`damaged`](Self::damaged). Those that are known to be over come
    /// first, about in the order in which they ended; the others in the order of their ids. The records of the former are
    /// not looked at.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub async fn visit(
        &self,
        mut each: impl FnMut(MatchId, KnownMatch) + Send,
    ) -> Result<(), ReadError> {
        let mut each = |visited: VisitedStream<'_>| {
            let VisitedStream {
                stream,
                head,
                brief,
            } = visited;
            if stream != RESERVED_STREAM {
                let brief = brief.and_then(codec::decode_brief);
                let known = brief.map_or(KnownMatch::Unknown(head), KnownMatch::Ended);
                each(MatchId::from_bytes(stream.0), known);
            }
        };
        self.log.visit(&mut each).await
    }

    /// The ids of all matches that are not [`damaged`](Self::damaged), in order.
    ///
    /// # Errors
    ///
    /// In an item: the log cannot be read.
    #[must_use]
    pub fn ids(&self) -> BoxStream<'_, Result<MatchId, ReadError>> {
        let ids = self.log.all_streams().try_filter_map(async |(stream, _)| {
            let id = MatchId::from_bytes(stream.0);
            Ok((stream != RESERVED_STREAM).then_some(id))
        });
        ids.boxed()
    }

    /// The matches that were damaged when the log was opened, in the order of their ids.
    /// [`ids`](Self::ids) leaves them out.
    #[must_use]
    pub fn damaged(&self) -> Vec<(MatchId, Damage)> {
        let damaged = self.log.damaged().into_iter();
        let mut damaged: Vec<_> = damaged
            .filter(|damage| damage.stream != RESERVED_STREAM)
            .map(|damage| (MatchId::from_bytes(damage.stream.0), damage))
            .collect();
        damaged.sort_unstable_by_key(|(id, _)| *id);
        damaged
    }

    /// Returns `Ok` if the log accepts events.
    ///
    /// # Errors
    ///
    /// The answer to the next append.
    pub fn health(&self) -> Result<(), AppendError> {
        self.log.health()
    }

    /// As [`EventLog::availability`].
    #[must_use]
    pub fn availability(&self) -> Option<watch::Receiver<bool>> {
        self.log.availability()
    }

    /// Ready once the log has failed and accepts no events; never for one that cannot fail.
    pub async fn failed(&self) {
        self.log.failed().await;
    }

    /// Refuses further events and waits until the accepted ones are durable.
    pub async fn close(&self) {
        self.log.close().await;
    }
}

fn stream(id: MatchId) -> StreamId {
    StreamId(id.bytes())
}

fn entries(head: ChainHead, records: NumberedRecords) -> EventsRead {
    let mut head = head;
    let records = records.into_iter();
    records
        .map(|(sequence, record)| entry(&mut head, sequence, &record))
        .collect()
}

fn entry(
    head: &mut ChainHead,
    sequence: Sequence,
    record: &[u8],
) -> Result<ChainedEvent, MatchLogError> {
    let payload = head
        .follow(record)
        .map_err(|source| MatchLogError::Chain { sequence, source })?;
    let (time, event) =
        codec::decode(payload).map_err(|source| MatchLogError::Damaged { sequence, source })?;
    Ok(ChainedEvent {
        recorded: Recorded {
            sequence,
            time,
            event,
        },
        payload: payload.to_vec(),
        head: *head,
    })
}
