use std::io;
use std::path::Path;

use dragontooth_runner_tournament::{Event, Results, Schedule};

use super::Fingerprint;
use super::append_file::AppendFile;
use super::background_writer::{BackgroundWriter, MAX_TOGETHER};
use super::entry::Entry;
use super::file_lines::FileLines;
use super::journal_error::JournalError;
use super::journal_files::JournalFiles;
use super::lines::Ending;
use super::records::Records;
use super::run_file_error::unwritable;
use super::transcript::{MAX_TRANSCRIPT_BYTES, Transcript};

/// The most transcripts without a result that an interruption leaves: those that are written together.
pub const MAX_LEFTOVERS: usize = MAX_TOGETHER;

/// The results and transcripts of a run on disk: one line a match in each of two files.
///
/// The transcript is written before the result, so that every result has its transcript, in the same order.
/// Results of older runners, which have no digest, have none.
#[derive(Debug)]
pub struct Journal(Writer);

#[derive(Debug)]
enum Writer {
    /// Appending waits for the disk.
    InPlace(JournalFiles),
    /// Appending does not wait.
    Behind(BackgroundWriter),
}

/// The content of a journal when it was opened.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The schedule, as far as it follows from the results.
    pub schedule: Schedule,
    /// The results of the matches that are recorded.
    pub results: Results,
    /// The bytes of a line that was being written when the runner was stopped: no record.
    pub torn_bytes: u64,
    /// The bytes of transcripts whose results were not recorded any more: as if they were not there.
    pub leftover_bytes: u64,
}

/// Reads the results in a file, which may be missing. The file does not change, so that a run in progress
/// can be read.
///
/// # Errors
///
/// The file cannot be read, or a line is not a record of `event`. An incomplete last line is not an error.
pub fn read_results(path: &Path, event: &Event) -> Result<Recovered, JournalError> {
    read_first_results(path, event, usize::MAX)
}

/// Like [`read_results`], but reads the first `most` results only.
///
/// # Errors
///
/// As [`read_results`].
pub fn read_first_results(
    path: &Path,
    event: &Event,
    most: usize,
) -> Result<Recovered, JournalError> {
    Ok(recover(path, event, most, Order::Any)?.recovered)
}

impl Recovered {
    /// The state before any match is over.
    fn nothing(event: &Event) -> Self {
        let schedule = Schedule::new(event.clone());
        Self {
            results: Results::none(schedule.matches()),
            schedule,
            torn_bytes: 0,
            leftover_bytes: 0,
        }
    }
}

impl Journal {
    /// Opens the files `results` and `games`, which may be missing, returns what is recorded in them,
    /// and cuts off incomplete lines and transcripts without a result. At least `over` matches must
    /// have a result.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written; a line is not a record of `event` or not the transcript of its
    /// result; there are fewer results than `over`, or more transcripts without a result than an
    /// interruption leaves. The files do not change then.
    pub fn open(
        results: &Path,
        games: &Path,
        event: &Event,
        over: u64,
    ) -> Result<(Self, Recovered), JournalError> {
        let mut results = open(results)?;
        let mut games = open(games)?;
        let found = recover(results.path(), event, usize::MAX, Order::Chained)?;
        if (found.count as u64) < over {
            return Err(JournalError::Missing {
                path: results.path().to_owned(),
                count: found.count,
                over,
            });
        }
        let mut recovered = found.recovered;
        let transcribed;
        (transcribed, recovered.leftover_bytes) = transcribed_in(games.path(), &found.titles)?;
        for (file, length) in [(&mut results, found.length), (&mut games, transcribed)] {
            let kept = file.keep(length);
            kept.map_err(|source| unwritable(file.path(), source))?;
        }
        let files = JournalFiles::new(results, games, found.head);
        Ok((Self(Writer::InPlace(files)), recovered))
    }

    /// Moves the writing to a thread, so that appending no longer waits for the disk. The thread writes
    /// in order and syncs at most every 50 ms.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn in_background(self) -> io::Result<Self> {
        let behind = match self.0 {
            Writer::InPlace(files) => BackgroundWriter::start(files)?,
            Writer::Behind(writer) => writer,
        };
        Ok(Self(Writer::Behind(behind)))
    }

    /// Appends the entry of a finished match. On return it is on disk, or will be soon if the journal
    /// writes in the background.
    ///
    /// # Errors
    ///
    /// This entry or an earlier one cannot be written. Nothing can be written after that; a partial
    /// line is cut off when the journal is opened again.
    pub fn append(&mut self, entry: Entry) -> Result<(), JournalError> {
        match &mut self.0 {
            Writer::InPlace(files) => files.append(&[entry]),
            Writer::Behind(writer) => writer.append(entry),
        }
    }

    /// Ends the writing. When this returns all is on the disk.
    ///
    /// # Errors
    ///
    /// Something cannot be written.
    pub fn close(self) -> Result<(), JournalError> {
        match self.0 {
            Writer::InPlace(_) => Ok(()),
            Writer::Behind(writer) => writer.close(),
        }
    }
}

fn open(path: &Path) -> Result<AppendFile, JournalError> {
    AppendFile::open(path).map_err(|source| unwritable(path, source).into())
}

/// The content of the file of results.
struct Found {
    recovered: Recovered,
    /// The number of records.
    count: usize,
    /// The bytes that they take.
    length: u64,
    /// The titles of the matches that have a transcript, in the order of the lines.
    titles: Vec<String>,
    /// The hash of the last line.
    head: Fingerprint,
}

/// The order of the lines that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Each line carries the hash of the one before it.
    Chained,
    /// Any.
    Any,
}

fn recover(path: &Path, event: &Event, most: usize, order: Order) -> Result<Found, JournalError> {
    let mut records = Records::open(path)?;
    let mut recovered = Recovered::nothing(event);
    let mut titles = Vec::new();
    let mut head = Fingerprint::NONE;
    while records.line() < most
        && let Some(record) = records.next().transpose()?
    {
        if order == Order::Chained {
            let follows = record.follows(head);
            follows.map_err(|fault| records.refusal(fault))?;
        }
        head = records.fingerprint();
        let added = record.add_to(&mut recovered.results, &mut recovered.schedule);
        added.map_err(|fault| records.refusal(fault))?;
        titles.extend(record.transcribed().map(str::to_owned));
    }
    recovered.torn_bytes = records.torn_bytes();
    Ok(Found {
        recovered,
        count: records.line(),
        length: records.taken(),
        titles,
        head,
    })
}

/// The bytes of the transcripts with these titles at the beginning of the file, and the bytes after them,
/// which must not be more than an interruption leaves.
fn transcribed_in(path: &Path, titles: &[String]) -> Result<(u64, u64), JournalError> {
    let mut lines = FileLines::open(path, MAX_TRANSCRIPT_BYTES)?;
    let mut length = 0;
    for (number, title) in (1..).zip(titles) {
        let line = lines.next()?;
        let line = line
            .filter(|line| line.ending == Ending::Newline && Transcript::is_of(&line.bytes, title));
        let line = line.ok_or_else(|| JournalError::NoTranscript {
            path: path.to_owned(),
            line: number,
            title: title.clone(),
        })?;
        length = line.end;
    }
    let mut leftovers = 0;
    while lines.next()?.is_some() {
        leftovers += 1;
    }
    if leftovers > MAX_LEFTOVERS {
        return Err(JournalError::Leftovers {
            path: path.to_owned(),
            count: leftovers,
            most: MAX_LEFTOVERS,
        });
    }
    Ok((length, lines.size().saturating_sub(length)))
}
