//! Streams that read a log page by page.

use dragontooth_service_vocabulary::Sequence;
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};

use crate::{EventLog, MAX_READ_RECORDS, MAX_READ_STREAMS, ReadError, StreamId};

impl dyn EventLog + '_ {
    /// All records of `stream` after the sequence `after`, in order; ends after the first error.
    #[must_use]
    pub fn records(
        &self,
        stream: StreamId,
        after: Sequence,
    ) -> BoxStream<'_, Result<(Sequence, Vec<u8>), ReadError>> {
        let pages = stream::try_unfold(after, move |after| async move {
            let page = self.read(stream, after, MAX_READ_RECORDS).await?;
            let last = page.last().map(|(sequence, _)| *sequence);
            Ok(last.map(|last| (stream::iter(page).map(Ok), last)))
        });
        pages.try_flatten().boxed()
    }

    /// All streams with their heads, in the order of their ids; ends after the first error.
    #[must_use]
    pub fn all_streams(&self) -> BoxStream<'_, Result<(StreamId, Sequence), ReadError>> {
        let pages = stream::try_unfold(None, move |after| async move {
            let page = self.streams(after, MAX_READ_STREAMS).await?;
            let last = page.last().map(|(stream, _)| Some(*stream));
            Ok(last.map(|last| (stream::iter(page).map(Ok), last)))
        });
        pages.try_flatten().boxed()
    }
}
