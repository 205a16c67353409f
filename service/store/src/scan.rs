//! Iterators that read a log page by page.

use std::{sync::Arc, vec};

use dragontooth_service_vocabulary::Sequence;

use crate::{EventLog, MAX_READ_RECORDS, MAX_READ_STREAMS, ReadError, StreamId};

impl dyn EventLog + '_ {
    /// All records of `stream` after the sequence `after`, read page by page.
    #[must_use]
    pub fn records(&self, stream: StreamId, after: Sequence) -> StreamRecords<'_> {
        StreamRecords::new(self, stream, after)
    }

    /// All streams with their heads, read page by page.
    #[must_use]
    pub fn all_streams(&self) -> Streams<'_> {
        Streams::new(self)
    }
}

/// The records of one stream in order; ends after the first error.
#[derive(Debug)]
pub struct StreamRecords<'a> {
    log: &'a dyn EventLog,
    stream: StreamId,
    after: Sequence,
    page: vec::IntoIter<(Sequence, Vec<u8>)>,
    ended: bool,
}

impl<'a> StreamRecords<'a> {
    pub(crate) fn new(log: &'a dyn EventLog, stream: StreamId, after: Sequence) -> Self {
        Self {
            log,
            stream,
            after,
            page: Vec::new().into_iter(),
            ended: false,
        }
    }
}

impl Iterator for StreamRecords<'_> {
    type Item = Result<(Sequence, Vec<u8>), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        next_item(&mut self.page, &mut self.ended, || {
            let page = self.log.read(self.stream, self.after, MAX_READ_RECORDS)?;
            self.after = page.last().map_or(self.after, |(sequence, _)| *sequence);
            Ok(page)
        })
    }
}

/// The streams of a log with their heads, in the order of their ids; ends after the first error.
#[derive(Debug)]
pub struct Streams<'a> {
    log: &'a dyn EventLog,
    after: Option<StreamId>,
    page: vec::IntoIter<(StreamId, Sequence)>,
    ended: bool,
}

impl<'a> Streams<'a> {
    pub(crate) fn new(log: &'a dyn EventLog) -> Self {
        Self {
            log,
            after: None,
            page: Vec::new().into_iter(),
            ended: false,
        }
    }
}

impl Iterator for Streams<'_> {
    type Item = Result<(StreamId, Sequence), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        next_item(&mut self.page, &mut self.ended, || {
            let page = self.log.streams(self.after, MAX_READ_STREAMS)?;
            self.after = page.last().map_or(self.after, |(stream, _)| Some(*stream));
            Ok(page)
        })
    }
}

/// The ids of the streams of a log, in their order; ends after the first error.
#[derive(Debug)]
pub(crate) struct OwnedStreams {
    log: Arc<dyn EventLog>,
    after: Option<StreamId>,
    page: vec::IntoIter<StreamId>,
    ended: bool,
}

impl OwnedStreams {
    pub(crate) fn new(log: Arc<dyn EventLog>) -> Self {
        Self {
            log,
            after: None,
            page: Vec::new().into_iter(),
            ended: false,
        }
    }
}

impl Iterator for OwnedStreams {
    type Item = Result<StreamId, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        next_item(&mut self.page, &mut self.ended, || {
            let page = self.log.streams(self.after, MAX_READ_STREAMS)?;
            self.after = page.last().map_or(self.after, |(stream, _)| Some(*stream));
            Ok(page.into_iter().map(|(stream, _)| stream).collect())
        })
    }
}

/// The next item of the page, or of the page that `turn` reads once this one is used up.
fn next_item<T>(
    page: &mut vec::IntoIter<T>,
    ended: &mut bool,
    turn: impl FnOnce() -> Result<Vec<T>, ReadError>,
) -> Option<Result<T, ReadError>> {
    if page.len() == 0 && !*ended {
        match turn() {
            Ok(next) => *page = next.into_iter(),
            Err(error) => {
                *ended = true;
                return Some(Err(error));
            }
        }
        *ended = page.len() == 0;
    }
    page.next().map(Ok)
}
