use std::io;
use std::path::Path;

use dragontooth_runner_tournament::{Event, Results, Schedule};

use super::append_file::AppendFile;
use super::background_writer::{BackgroundWriter, MAX_TOGETHER};
use super::entry::Entry;
use super::file_lines::FileLines;
use super::journal_error::{JournalError, unwritable};
use super::journal_files::JournalFiles;
use super::lines::Ending;
use super::records::Records;
use super::transcript::{MAX_TRANSCRIPT_BYTES, Transcript};

/// The most transcripts without a result that an interruption leaves: those that are written together.
pub const MAX_LEFTOVERS: usize = MAX_TOGETHER;

/// The results of a run on disk and what was played: one line a match in each of two files.
///
/// What was played is written before the result, so that every result has its transcript, in the
/// same order. Results of an older runner, which have no digest, have none.
#[derive(Debug)]
pub struct Journal(Writer);

#[derive(Debug)]
enum Writer {
    /// Who appends waits for the disk.
    InPlace(JournalFiles),
    /// Who appends goes on.
    Behind(BackgroundWriter),
}

/// What a journal held when it was opened.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// What is to be played, as far as it follows from the results.
    pub schedule: Schedule,
    /// The results of the matches that are recorded.
    pub results: Results,
    /// The bytes of a line that was being written when the runner was stopped: no record.
    pub torn_bytes: u64,
    /// The bytes of transcripts whose results were not recorded any more: as if they were not there.
    pub leftover_bytes: u64,
}

/// The results in a file, which need not be there yet. It is not changed, so that a run that goes
/// on can be looked at.
///
/// # Errors
///
/// The file cannot be read, or a line is no record of `event`. A line that is cut short at the
/// end is none of these.
pub fn read_results(path: &Path, event: &Event) -> Result<Recovered, JournalError> {
    Ok(recover(path, event)?.recovered)
}

impl Recovered {
    /// What there is before a match is over.
    fn nothing(event: &Event) -> Self {
        let schedule = Schedule::new(event.clone());
        Self {
            results: Results::none(&schedule),
            schedule,
            torn_bytes: 0,
            leftover_bytes: 0,
        }
    }
}

impl Journal {
    /// Opens the files `results` and `games`, which need not be there yet, tells what is recorded in
    /// them, and cuts off lines that were not written to their end and transcripts whose result was
    /// not. At least `over` matches are known to have a result.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written, a line is no record of `event` or not the transcript
    /// of its result, there are fewer results than matches that were over, or more transcripts without
    /// a result than an interruption leaves; then the files are left as they are.
    pub fn open(
        results: &Path,
        games: &Path,
        event: &Event,
        over: u64,
    ) -> Result<(Self, Recovered), JournalError> {
        let mut results = open(results)?;
        let mut games = open(games)?;
        let found = recover(results.path(), event)?;
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
        let files = JournalFiles::new(results, games);
        Ok((Self(Writer::InPlace(files)), recovered))
    }

    /// The same journal, but whoever appends needs not wait for the disk from here on. A thread
    /// writes, in the order in which was appended, and syncs what has come in at most 50 ms.
    ///
    /// # Errors
    ///
    /// The system gives no thread.
    pub fn in_background(self) -> io::Result<Self> {
        let behind = match self.0 {
            Writer::InPlace(files) => BackgroundWriter::start(files)?,
            Writer::Behind(writer) => writer,
        };
        Ok(Self(Writer::Behind(behind)))
    }

    /// Writes what there is to write of a match that is over. When this returns it is on the disk, or
    /// will soon be if the journal is written in the background.
    ///
    /// # Errors
    ///
    /// It cannot be written, or what was to be written before. Nothing can be written after it then:
    /// whatever part of it is in the files is cut off when the journal is opened again.
    pub fn append(&mut self, entry: Entry) -> Result<(), JournalError> {
        match &mut self.0 {
            Writer::InPlace(files) => files.append(&[entry]),
            Writer::Behind(writer) => writer.append(entry),
        }
    }

    /// As [`append`](Self::append), but gives the entry back if somebody would have to wait.
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append).
    pub fn append_at_once(&mut self, entry: Entry) -> Result<Option<Entry>, JournalError> {
        match &mut self.0 {
            Writer::InPlace(_) => Ok(Some(entry)),
            Writer::Behind(writer) => writer.append_at_once(entry),
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
    AppendFile::open(path).map_err(|source| unwritable(path, source))
}

/// What the file of results holds.
struct Found {
    recovered: Recovered,
    /// The number of records.
    count: usize,
    /// The bytes that they take.
    length: u64,
    /// The titles of the matches that have a transcript, in the order of the lines.
    titles: Vec<String>,
}

fn recover(path: &Path, event: &Event) -> Result<Found, JournalError> {
    let mut records = Records::open(path)?;
    let mut recovered = Recovered::nothing(event);
    let mut titles = Vec::new();
    while let Some(record) = records.next().transpose()? {
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
    })
}

/// The bytes that the transcripts of the matches with these titles take, the first lines of a file, and
/// those of what is after them: as much as an interruption leaves.
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
