//! A log in a sled folder, durable through a loss of power.

mod applied;
mod data_length;
mod disk;
mod ended;
mod failure;
mod folder;
mod format;
mod group;
mod heads;
mod journal;
mod mover;
mod ongoing_write;
mod open;
mod reader;
mod recent_records;
mod record;
mod store;
mod summaries;
mod survey;
mod trial;
mod witness;
mod writer;

use std::{
    collections::{BTreeSet, HashMap, hash_map::Entry},
    future, io, panic,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use dragontooth_service_vocabulary::Sequence;
use futures::FutureExt;
use sled::Tree;

use self::{
    disk::SledDisk,
    ended::Ended,
    failure::Failure,
    folder::Folder,
    journal::Journal,
    mover::{Mover, SledStore},
    reader::Reader,
    recent_records::RecentRecords,
    record::Record,
    store::Store,
    summaries::Summaries,
    survey::Survey,
    witness::{HeadTable, Mark, Testimony, Witness, WitnessedHead},
    writer::Writer,
};

use crate::{
    Append, AppendError, Close, Damage, EventLog, Failed, LogAnswer, MAX_READ_STREAMS,
    NumberedRecords, ReadError, StorageError, StreamId, VisitedStream,
    log::{check_limits, visit_pages},
};

pub use self::{
    format::FORMAT_VERSION,
    heads::MAX_CACHED_HEADS,
    ongoing_write::OngoingWrite,
    open::{GroupCommit, OpenError, RESTORE_COMMAND, SledOptions},
    writer::{MAX_GROUP_APPENDS, MAX_GROUP_BYTES, MAX_QUEUED_APPENDS, MAX_SYNC_DELAY},
};

/// A log in a folder that only this process uses.
///
/// One thread writes: it gathers the waiting appends, writes them to the journal, syncs it once, and then
/// answers all of them. A sync takes about as long for one append as for a thousand, so this group commit is what
/// lets many matches share a disk. Another thread moves what has been written into sled, many records at once.
/// Reads return only what is durable. What sled does not have yet is in memory too; reading the rest is a search in
/// sled on the caller's thread, which may have to wait for the disk.
///
/// Dropping the log waits, on the dropping thread, until the appends that have begun are written and all is in sled;
/// call [`close`](EventLog::close) first to wait without blocking. The folder is free again once
/// the log is dropped.
#[derive(Debug)]
pub struct SledLog {
    // Dropped in this order: the users of the store, the store, the lock of its folder.
    writer: Writer,
    reader: Reader,
    summaries: Summaries,
    ended: Ended,
    opened: Mutex<Option<Opened>>,
    store: Store,
    _folder: Folder,
}

impl SledLog {
    /// Opens the log in `path` with the default options; creates the folder if it is missing.
    ///
    /// # Errors
    /// See [`open_with`](Self::open_with).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(path, &SledOptions::default())
    }

    /// Opens the log in `path`; creates the folder if it is missing. Blocks while it reads.
    ///
    /// # Errors
    /// An [`OpenError`] that names the path and the remedy.
    pub fn open_with(path: impl AsRef<Path>, options: &SledOptions) -> Result<Self, OpenError> {
        let folder = Folder::claim(path.as_ref()).map_err(OpenError::or_full)?;
        Self::open_in(folder, options).map_err(OpenError::or_full)
    }

    /// Refuses a folder in which restoring a backup was interrupted.
    pub(crate) fn check_restored(path: &Path) -> Result<(), OpenError> {
        Folder::check_finished(path)
    }

    /// Opens a log in `path` that nothing else can open until [`end_restore`](Self::end_restore).
    pub(crate) fn begin_restore(path: &Path, options: &SledOptions) -> Result<Self, OpenError> {
        let begin = || {
            Folder::mark_unfinished(path)?;
            Self::open_in(Folder::claim_unfinished(path)?, options)
        };
        begin().map_err(OpenError::or_full)
    }

    /// Releases the restored log in `path` for use, after the log has been dropped.
    pub(crate) fn end_restore(path: &Path) -> io::Result<()> {
        Folder::unmark(path)
    }

    async fn append_or_refuse(
        &self,
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
        early: bool,
    ) -> Result<Sequence, AppendError> {
        check_limits(&records)?;
        if let Some(damage) = self.reader.damaged.get(&stream) {
            return Err(AppendError::Damaged(damage.clone()));
        }
        self.writer.append(stream, expected, records, early).await
    }

    /// Visits the streams that were there when the log was opened.
    fn visit_opened(
        &self,
        opened: Opened,
        each: &mut (dyn FnMut(VisitedStream<'_>) + Send),
    ) -> Result<(), ReadError> {
        let Opened {
            heads,
            ended_at,
            others,
        } = opened;
        let mut places = heads.places();
        let read = self.ended.read(|offset, stream, seen, brief| {
            if let Some(place) = places.find(stream)
                && ended_at[place] == offset
            {
                let brief = Some(brief);
                let head = seen.sequence;
                each(VisitedStream {
                    stream,
                    head,
                    brief,
                });
            }
        });
        read.map_err(|source| {
            ReadError::Storage(StorageError::new("read the ended streams", source))
        })?;
        for (stream, head) in others {
            let brief = None;
            each(VisitedStream {
                stream,
                head,
                brief,
            });
        }
        Ok(())
    }

    fn open_in(mut folder: Folder, options: &SledOptions) -> Result<Self, OpenError> {
        let path = folder.path().to_owned();
        let access = |source| OpenError::Access {
            path: path.clone(),
            source,
        };
        folder.remove_trial().map_err(access)?;
        folder.forget_unwritten().map_err(access)?;
        if folder.is_cut().map_err(access)? {
            trial::open_copy(&folder, options)?;
        }
        let store = Store::open(&folder, options)?;
        let failed = |source| OpenError::Storage {
            path: path.clone(),
            source,
        };
        let events = store.events(&folder)?;
        let file = folder
            .data_file()
            .map_err(|source| failed(StorageError::new("open the store's file", source)))?;
        let mut stored = SledStore {
            data_length: folder.data_length().map_err(access)?,
            events: events.clone(),
            file,
        };
        stored.sync().map_err(failed)?;
        let (mut journal, journaled) = Journal::open(&path, options.journal_bytes)
            .map_err(|source| failed(StorageError::new("read the journal", source)))?;
        folder
            .sync()
            .map_err(|source| failed(StorageError::new("sync the data folder", source)))?;
        folder
            .begin()
            .map_err(|source| failed(StorageError::new("mark the data folder", source)))?;

        let witness_failed = |source| {
            failed(StorageError::new(
                "read or write the witness of the heads",
                source,
            ))
        };
        let mut testimony = read_testimony(&folder, &events).map_err(witness_failed)?;
        let recent = Arc::new(RecentRecords::default());
        let has_taken_all = take_up(journaled, &events, &recent, &mut testimony);
        stored.take(&recent).map_err(failed)?;
        let survey = survey(&folder, &events, testimony);
        if survey.has_nothing_left() {
            return Err(OpenError::Damaged {
                path: path.clone(),
                source: StorageError::new("find the records", AllLost(survey.damaged.len())),
            });
        }
        let (compared, witness) = compare_and_witness(&path, &survey);
        let (ended, ended_at) = compared
            .map_err(|source| failed(StorageError::new("read the ended streams", source)))?;
        let witness = witness.map_err(witness_failed)?;
        empty_journal(&mut journal, has_taken_all).map_err(failed)?;
        let unlisted = if survey.has_unlisted {
            survey.heads.streams().collect()
        } else {
            BTreeSet::new()
        };
        let opened = Opened::new(survey.heads, ended_at, &survey.damaged);
        let failure = Arc::new(Failure::new());
        let threads_failed =
            |source| failed(StorageError::new("start the writing threads", source));
        let mover = Mover::start(stored, Arc::clone(&recent), Arc::clone(&failure))
            .map_err(threads_failed)?;
        let disk = SledDisk {
            events: events.clone(),
            recent: Arc::clone(&recent),
            journal,
            mover,
            witness,
        };
        let writer = Writer::start(disk, Arc::clone(&recent), Arc::clone(&failure), options)
            .map_err(threads_failed)?;
        Ok(Self {
            reader: Reader {
                events,
                recent,
                failure,
                damaged: survey.damaged,
                unlisted,
            },
            writer,
            summaries: Summaries(store.summaries()),
            ended,
            opened: Mutex::new(Some(opened)),
            store,
            _folder: folder,
        })
    }
}

/// The streams that a log has when it is opened, but for the damaged ones.
#[derive(Debug)]
struct Opened {
    heads: HeadTable,
    /// The offset of the last line that notes the end of a stream, with the record that it ends with; 0, where no line
    /// begins, for the others. By their places among the heads.
    ended_at: Vec<u64>,
    /// In the order of their ids, with their heads.
    others: Vec<(StreamId, Sequence)>,
}

impl Opened {
    fn new(heads: HeadTable, ended_at: Vec<u64>, damaged: &HashMap<StreamId, Damage>) -> Self {
        let others = heads.iter().zip(&ended_at);
        let others =
            others.filter(|((stream, _), offset)| **offset == 0 && !damaged.contains_key(stream));
        let others = others
            .map(|((stream, seen), _)| (stream, seen.sequence))
            .collect();
        Self {
            heads,
            ended_at,
            others,
        }
    }

    /// Opens the file of ended streams, and finds out which of them still are as it says.
    fn compare(folder: &Path, survey: &Survey) -> io::Result<(Ended, Vec<u64>)> {
        let mut ended_at = vec![0; survey.heads.len()];
        let mut places = survey.heads.places();
        let file = Ended::open(folder, |offset, stream, seen, _| {
            if let Some(place) = places.find(stream) {
                // A later line is of a later end, or takes it back.
                let is_ended = *survey.heads.at(place) == seen
                    && (survey.damaged.is_empty() || !survey.damaged.contains_key(&stream));
                ended_at[place] = if is_ended { offset } else { 0 };
            }
        })?;
        Ok((file, ended_at))
    }
}

/// Reads the ended streams, while another thread rewrites the witness.
fn compare_and_witness(
    folder: &Path,
    survey: &Survey,
) -> (io::Result<(Ended, Vec<u64>)>, io::Result<Witness>) {
    thread::scope(|scope| {
        let rewrite = || Witness::begin(folder, survey.heads.iter());
        let rewriting = thread::Builder::new().spawn_scoped(scope, rewrite);
        let compared = Opened::compare(folder, survey);
        let witness = rewriting.and_then(|thread| {
            let joined = thread.join();
            joined.unwrap_or_else(|why| panic::resume_unwind(why))
        });
        (compared, witness)
    })
}

/// The witness has seen streams, and none of them has a record.
#[derive(Debug, thiserror::Error)]
#[error("all {0} streams that were written are gone")]
struct AllLost(usize);

/// The heads that the store must have.
fn read_testimony(folder: &Folder, events: &Tree) -> io::Result<Testimony> {
    let testimony = Testimony::read(folder.path())?.unwrap_or_default();
    if testimony.heads.is_empty() && !events.is_empty() {
        tracing::warn!(
            "the witness of the heads is missing: a loss of the store before now is not found"
        );
    }
    if testimony.damaged_lines > 0 {
        tracing::warn!(
            lines = testimony.damaged_lines,
            "the witness of the heads has damaged lines, which are skipped"
        );
    }
    Ok(testimony)
}

/// Adds to `recent` the records of the journal that follow what the store has. Those behind a lost one are witnesses of
/// the loss. Returns false if there are records of a stream that cannot be read.
fn take_up(
    journaled: Vec<Record>,
    events: &Tree,
    recent: &RecentRecords,
    testimony: &mut Testimony,
) -> bool {
    let mut has_taken_all = true;
    let mut heads = HashMap::new();
    let mut following = Vec::new();
    let mut lost = HashMap::new();
    for (stream, sequence, record) in journaled {
        let head = match heads.entry(stream) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let Ok(head) = applied::head(events, stream) else {
                    // The survey finds it unreadable too.
                    has_taken_all = false;
                    continue;
                };
                unknown.insert(head)
            }
        };
        if sequence == head.next() {
            *head = sequence;
            following.push((stream, sequence, record));
        } else if sequence > *head {
            let mark = Mark::of(&record);
            let seen = WitnessedHead { sequence, mark };
            let witnessed = testimony.heads.get(stream).copied();
            let known = lost.entry(stream).or_insert(witnessed.unwrap_or(seen));
            if known.sequence < sequence {
                *known = seen;
            }
        }
    }
    testimony.heads.extend(lost);
    recent.push(following);
    has_taken_all
}

/// Empties the journal, of which a copy is kept if the store has not taken all of it.
fn empty_journal(journal: &mut Journal, has_taken_all: bool) -> Result<(), StorageError> {
    if !has_taken_all {
        let files = journal.keep();
        let files = files.map_err(|source| StorageError::new("copy the journal", source))?;
        tracing::error!(
            ?files,
            "the journal has events of streams that cannot be read: copies of it are kept"
        );
    }
    let emptied = journal.clear();
    emptied.map_err(|source| StorageError::new("empty the journal", source))
}

/// Finds what the store has lost since its heads were witnessed.
fn survey(folder: &Folder, events: &Tree, testimony: Testimony) -> Survey {
    let survey = Survey::of(events, testimony);
    if !survey.damaged.is_empty() {
        tracing::error!(
            streams = survey.damaged.len(),
            folder = %folder.path().display(),
            restore = RESTORE_COMMAND,
            "the store has lost records: the matches that had them are refused, the others are served; \
             a backup has the lost ones"
        );
    }
    survey
}

impl EventLog for SledLog {
    fn append(&self, stream: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_> {
        Box::pin(self.append_or_refuse(stream, expected, records, false))
    }

    fn append_early(
        &self,
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
    ) -> Append<'_> {
        Box::pin(self.append_or_refuse(stream, expected, records, true))
    }

    fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> LogAnswer<'_, Result<NumberedRecords, ReadError>> {
        future::ready(self.reader.read(stream, after, limit)).left_future()
    }

    fn head(&self, stream: StreamId) -> LogAnswer<'_, Result<Sequence, ReadError>> {
        future::ready(self.reader.head(stream)).left_future()
    }

    fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> LogAnswer<'_, Result<Vec<(StreamId, Sequence)>, ReadError>> {
        future::ready(self.reader.streams(after, limit)).left_future()
    }

    fn summary(&self, stream: StreamId) -> LogAnswer<'_, Result<Option<Vec<u8>>, ReadError>> {
        let sound = self.reader.refuse_damaged(stream);
        future::ready(sound.map(|()| self.summaries.get(stream))).left_future()
    }

    fn keep_summary(
        &self,
        stream: StreamId,
        summary: Option<Vec<u8>>,
    ) -> LogAnswer<'_, Result<(), StorageError>> {
        // A further line for each read of a damaged match would add up.
        let forgotten = if summary.is_none() && self.summaries.get(stream).is_some() {
            self.ended.forget(stream)
        } else {
            Ok(())
        };
        let kept = forgotten
            .map_err(|source| StorageError::new("forget the end of a stream", source))
            .and_then(|()| self.summaries.set(stream, summary));
        future::ready(kept).left_future()
    }

    fn note_end<'a>(
        &'a self,
        stream: StreamId,
        head: Sequence,
        last: &'a [u8],
        brief: &'a [u8],
    ) -> LogAnswer<'a, Result<(), StorageError>> {
        let seen = WitnessedHead {
            sequence: head,
            mark: Mark::of(last),
        };
        let noted = self.ended.note(stream, seen, brief);
        let noted = noted.map_err(|source| StorageError::new("note the end of a stream", source));
        future::ready(noted).left_future()
    }

    fn visit<'a>(
        &'a self,
        each: &'a mut (dyn FnMut(VisitedStream<'_>) + Send),
    ) -> LogAnswer<'a, Result<(), ReadError>> {
        let opened = self.opened.lock();
        let opened = opened.unwrap_or_else(PoisonError::into_inner).take();
        if let Some(opened) = opened {
            return future::ready(self.visit_opened(opened, each)).left_future();
        }
        let page_after = |after| self.streams(after, MAX_READ_STREAMS);
        visit_pages(page_after, each).boxed().right_future()
    }

    fn secret_key(&self, fresh: [u8; 32]) -> LogAnswer<'_, Result<[u8; 32], StorageError>> {
        future::ready(self.store.secret_key(fresh)).left_future()
    }

    fn damaged(&self) -> Vec<Damage> {
        self.reader.damaged.values().cloned().collect()
    }

    fn health(&self) -> Result<(), AppendError> {
        self.writer.health()
    }

    fn failed(&self) -> Failed<'_> {
        Box::pin(self.writer.failed())
    }

    fn close(&self) -> Close<'_> {
        Box::pin(self.writer.close())
    }
}
