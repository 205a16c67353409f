use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::append_file::AppendFile;
use super::background_writer::{BackgroundWriter, MAX_TOGETHER};
use super::entry::Entry;
use super::journal_error::{JournalError, unreadable, unwritable};
use super::journal_files::JournalFiles;
use super::lines::{Ending, Lines, MAX_RECORD_BYTES};
use super::result_line::{is_torn, read_line};
use super::transcript::{MAX_TRANSCRIPT_BYTES, Transcript};
use crate::tournament::{Event, Results, Schedule};

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
    match File::open(path) {
        Ok(file) => Ok(recover(&file, path, event)?.recovered),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Recovered::nothing(event)),
        Err(source) => Err(JournalError::Read {
            path: path.to_owned(),
            source,
        }),
    }
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
    /// not.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written, a line is no record of `event` or not the transcript
    /// of its result, or there are more transcripts without a result than an interruption leaves; then the files are left as they are.
    pub fn open(
        results: &Path,
        games: &Path,
        event: &Event,
    ) -> Result<(Self, Recovered), JournalError> {
        let mut results = open(results)?;
        let mut games = open(games)?;
        let found = recover(results.file(), results.path(), event)?;
        let transcribed = transcribed(games.file(), games.path(), &found.titles)?;
        let mut recovered = found.recovered;
        let whole = size(games.file()).map_err(|source| unreadable(games.path(), source))?;
        recovered.leftover_bytes = whole.saturating_sub(transcribed);
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

fn size(file: &File) -> io::Result<u64> {
    Ok(file.metadata()?.len())
}

/// What the file of results holds.
struct Found {
    recovered: Recovered,
    /// The bytes that the whole lines take.
    length: u64,
    /// The titles of the matches that have a transcript, in the order of the lines.
    titles: Vec<String>,
}

fn recover(file: &File, path: &Path, event: &Event) -> Result<Found, JournalError> {
    let size = size(file).map_err(|source| unreadable(path, source))?;
    let mut lines = Lines::new(BufReader::new(file.take(size)), MAX_RECORD_BYTES);
    let mut recovered = Recovered::nothing(event);
    let mut titles = Vec::new();
    let mut length = 0;
    while let Some(line) = lines.next().map_err(|source| unreadable(path, source))? {
        let added = read_line(&line).and_then(|record| {
            record.add_to(&mut recovered.results, &mut recovered.schedule)?;
            Ok(record)
        });
        match added {
            Ok(record) => {
                length = line.end;
                titles.extend(record.transcribed().map(str::to_owned));
            }
            Err(fault) if is_torn(&line, &fault, size) => break,
            Err(fault) => {
                return Err(JournalError::Line {
                    path: path.to_owned(),
                    line: line.number,
                    fault,
                });
            }
        }
    }
    recovered.torn_bytes = size.saturating_sub(length);
    Ok(Found {
        recovered,
        length,
        titles,
    })
}

/// The bytes that the transcripts of the matches with these titles take: the first lines of a file.
/// After them there may be as much as an interruption leaves.
fn transcribed(file: &File, path: &Path, titles: &[String]) -> Result<u64, JournalError> {
    let size = size(file).map_err(|source| unreadable(path, source))?;
    let mut lines = Lines::new(BufReader::new(file.take(size)), MAX_TRANSCRIPT_BYTES);
    let mut length = 0;
    for (number, title) in (1..).zip(titles) {
        let line = lines.next().map_err(|source| unreadable(path, source))?;
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
    while lines
        .next()
        .map_err(|source| unreadable(path, source))?
        .is_some()
    {
        leftovers += 1;
    }
    if leftovers > MAX_TOGETHER {
        return Err(JournalError::Leftovers {
            path: path.to_owned(),
            count: leftovers,
            most: MAX_TOGETHER,
        });
    }
    Ok(length)
}
