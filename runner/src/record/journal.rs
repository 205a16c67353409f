use std::io;
use std::path::Path;

use dragontooth_runner_report::AllMatchDetails;
use dragontooth_runner_tournament::{Event, MatchNumber, Results, Schedule};

use super::Fingerprint;
use super::append_file::AppendFile;
use super::background_writer::{Appended, BackgroundWriter, MAX_TOGETHER};
use super::entry::Entry;
use super::file_lines::FileLines;
use super::journal_error::JournalError;
use super::journal_files::JournalFiles;
use super::line::{Record, RecordError};
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
    let found = recover(path, event, usize::MAX, Order::Any, |_, _| Ok(()))?;
    Ok(found.recovered)
}

/// Reads the first `most` results in a file like [`read_results`], and the details of their matches.
///
/// # Errors
///
/// As [`read_results`].
pub fn read_with_details(
    path: &Path,
    event: &Event,
    most: usize,
) -> Result<(Recovered, AllMatchDetails), JournalError> {
    let mut details = AllMatchDetails::default();
    let found = recover(path, event, most, Order::Any, |record, number| {
        details.add(number, record.details()?);
        Ok(())
    })?;
    Ok((found.recovered, details))
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
        let mut transcribed = Transcribed::open(games.path())?;
        let found = recover(
            results.path(),
            event,
            usize::MAX,
            Order::Chained,
            |record, _| transcribed.follow(record),
        )?;
        if (found.count as u64) < over {
            return Err(JournalError::Missing {
                path: results.path().to_owned(),
                count: found.count,
                over,
            });
        }
        let mut recovered = found.recovered;
        let transcribed_length;
        (transcribed_length, recovered.leftover_bytes) = transcribed.close()?;
        for (file, length) in [
            (&mut results, found.length),
            (&mut games, transcribed_length),
        ] {
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

    /// The entries so far, to wait for; `None` if they are on the disk.
    pub(crate) fn appended(&self) -> Option<Appended> {
        match &self.0 {
            Writer::InPlace(_) => None,
            Writer::Behind(writer) => Some(writer.appended()),
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

/// Reads the first `most` records, and hands each to `each` with the number of its match.
fn recover(
    path: &Path,
    event: &Event,
    most: usize,
    order: Order,
    mut each: impl FnMut(&Record, MatchNumber) -> Result<(), RecordError>,
) -> Result<Found, JournalError> {
    let mut records = Records::open(path)?;
    let mut recovered = Recovered::nothing(event);
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
        let taken = added.and_then(|number| each(&record, number));
        taken.map_err(|fault| records.refusal(fault))?;
    }
    recovered.torn_bytes = records.torn_bytes();
    Ok(Found {
        recovered,
        count: records.line(),
        length: records.taken(),
        head,
    })
}

/// The transcripts of a journal, compared with its results one by one.
struct Transcribed {
    lines: FileLines,
    /// The number of lines compared.
    count: usize,
    /// The bytes of these lines.
    length: u64,
    /// The first fault. One of the results counts before it.
    fault: Option<JournalError>,
}

impl Transcribed {
    fn open(path: &Path) -> Result<Self, JournalError> {
        Ok(Self {
            lines: FileLines::open(path, MAX_TRANSCRIPT_BYTES)?,
            count: 0,
            length: 0,
            fault: None,
        })
    }

    /// Compares the next line with the next result.
    fn follow(&mut self, record: &Record) -> Result<(), RecordError> {
        if self.fault.is_none()
            && let Some(title) = record.transcribed()
        {
            self.count += 1;
            let hash = record.transcript()?;
            self.fault = self.compare(title, hash).err();
        }
        Ok(())
    }

    fn compare(&mut self, title: &str, hash: Option<Fingerprint>) -> Result<(), JournalError> {
        let line = self.lines.next()?;
        let line = line
            .filter(|line| line.ending == Ending::Newline && Transcript::is_of(&line.bytes, title));
        let line = line.ok_or_else(|| JournalError::NoTranscript {
            path: self.lines.path().to_owned(),
            line: self.count,
            title: title.to_owned(),
        })?;
        if hash.is_some_and(|hash| hash != Fingerprint::of(&line.bytes)) {
            return Err(JournalError::OtherTranscript {
                path: self.lines.path().to_owned(),
                line: self.count,
                title: title.to_owned(),
            });
        }
        self.length = line.end;
        Ok(())
    }

    /// The bytes of the transcripts, and the bytes after them, which must not be more than an interruption
    /// leaves.
    fn close(mut self) -> Result<(u64, u64), JournalError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let mut leftovers = 0;
        while self.lines.next()?.is_some() {
            leftovers += 1;
        }
        if leftovers > MAX_LEFTOVERS {
            return Err(JournalError::Leftovers {
                path: self.lines.path().to_owned(),
                count: leftovers,
                most: MAX_LEFTOVERS,
            });
        }
        let after = self.lines.size().saturating_sub(self.length);
        Ok((self.length, after))
    }
}
