use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use dragontooth_runner_tournament::arena::{
    ArenaEntry, ArenaRules, ArenaState, Contender, LegResult,
};
use dragontooth_runner_tournament::{Event, Format, Leg};

use super::append_file::AppendFile;
use super::arena_line::ArenaLine;
use super::file_lines::FileLines;
use super::journal_error::JournalError;
use super::line::RecordError;
use super::lines::{Ending, Line, MAX_RECORD_BYTES};
use super::run_file_error::{unreadable, unwritable};
use super::{Fingerprint, Played, RunFolder};

/// The bytes of a segment of a journal after which the next one begins.
const SEGMENT_BYTES: u64 = 64 << 20;
/// The beginning of the names of the segments.
const SEGMENT: &str = "arena-";

/// The rules of an arena; `None` for an event of another format.
#[must_use]
pub fn arena_rules(event: &Event) -> Option<ArenaRules> {
    let Format::Arena {
        ratings,
        pair_cap,
        park_after,
    } = event.format()
    else {
        return None;
    };
    Some(ArenaRules {
        seed: event.seed(),
        anchors: event
            .bots()
            .iter()
            .cloned()
            .zip(ratings.iter().copied())
            .collect(),
        pair_cap: *pair_cap,
        park_after: *park_after,
    })
}

/// The journal of an arena on disk: a line an encounter that begins and a line a match that is over, in segments
/// `arena-000001.jsonl`, `arena-000002.jsonl` and so on. Each line carries the hash of the line before it.
#[derive(Debug)]
pub struct ArenaJournal {
    folder: PathBuf,
    file: AppendFile,
    number: u32,
    head: Fingerprint,
    segment_bytes: u64,
    is_broken: bool,
}

/// The content of the journal of an arena.
#[derive(Debug)]
pub struct RecoveredArena {
    /// The state after its entries.
    pub state: ArenaState,
    /// The bytes of a line at the end that was not whole.
    pub torn_bytes: u64,
    /// The number of the last segment.
    segment: u32,
    /// The bytes of its whole lines.
    length: u64,
    head: Fingerprint,
}

/// Reads the journal of an arena in a folder, up to the first `most` matches. After each entry, `each` gets it with
/// the state. The files do not change, so that an arena in progress can be read.
///
/// # Errors
///
/// A file cannot be read, a segment is missing, or a line does not follow those before it. An incomplete line at the
/// very end is not an error.
pub fn read_arena(
    folder: &Path,
    rules: ArenaRules,
    most: u64,
    mut each: impl FnMut(&ArenaEntry, &ArenaState),
) -> Result<RecoveredArena, JournalError> {
    let last = last_segment(folder)?.max(1);
    let mut recovered = RecoveredArena {
        state: ArenaState::new(rules),
        torn_bytes: 0,
        segment: last,
        length: 0,
        head: Fingerprint::NONE,
    };
    for number in 1..=last {
        let path = segment(folder, number);
        fs::metadata(&path).map_err(|source| unreadable(&path, source))?;
        let mut lines = FileLines::open(&path, MAX_RECORD_BYTES)?;
        recovered.length = 0;
        while recovered.state.counts().matches < most
            && let Some(line) = lines.next()?
        {
            match take(&line, recovered.head, &mut recovered.state) {
                Ok(entry) => each(&entry, &recovered.state),
                Err(RecordError::Syntax(_)) if number == last && lines.is_torn(&line, b"{\"") => {
                    break;
                }
                Err(fault) => {
                    let line = line.number;
                    return Err(JournalError::Line { path, line, fault });
                }
            }
            recovered.head = Fingerprint::of(&line.bytes);
            recovered.length = line.end;
        }
        recovered.torn_bytes = lines.size().saturating_sub(recovered.length);
    }
    Ok(recovered)
}

fn take(line: &Line, head: Fingerprint, state: &mut ArenaState) -> Result<ArenaEntry, RecordError> {
    match line.ending {
        Ending::Newline => {}
        Ending::File => return Err(RecordError::Syntax("it has no end".to_owned())),
        Ending::TooLong => return Err(RecordError::TooLong),
    }
    let parsed = ArenaLine::parse(&line.bytes)?;
    parsed.follows(head)?;
    let entry = parsed.entry()?;
    state.apply(&entry)?;
    Ok(entry)
}

impl ArenaJournal {
    /// Opens the journal in a folder, which may have none if the arena has never run, and cuts off a line at the end that
    /// is not whole. `each` is as for [`read_arena`].
    ///
    /// # Errors
    ///
    /// As for [`read_arena`], or a file cannot be written. The files do not change then.
    pub fn open(
        folder: &Path,
        rules: ArenaRules,
        each: impl FnMut(&ArenaEntry, &ArenaState),
    ) -> Result<(Self, RecoveredArena), JournalError> {
        // The first start writes the secret after the journal.
        if last_segment(folder)? == 0 && !RunFolder::secret_in(folder).exists() {
            let path = segment(folder, 1);
            AppendFile::open(&path).map_err(|source| unwritable(&path, source))?;
        }
        let recovered = read_arena(folder, rules, u64::MAX, each)?;
        let number = recovered.segment;
        let path = segment(folder, number);
        let mut file = AppendFile::open(&path).map_err(|source| unwritable(&path, source))?;
        file.keep(recovered.length)
            .map_err(|source| unwritable(&path, source))?;
        let journal = Self {
            folder: folder.to_owned(),
            file,
            number,
            head: recovered.head,
            segment_bytes: SEGMENT_BYTES,
            is_broken: false,
        };
        Ok((journal, recovered))
    }

    /// The same with segments of this size.
    #[must_use]
    pub fn with_segments_of(self, segment_bytes: u64) -> Self {
        Self {
            segment_bytes,
            ..self
        }
    }

    /// Appends the beginning of an encounter, and returns its entry. It is on the disk then.
    ///
    /// # Errors
    ///
    /// It cannot be written. Nothing can be written after that.
    pub fn pair(
        &mut self,
        encounter: u64,
        contenders: [Contender; 2],
        names: [String; 2],
    ) -> Result<ArenaEntry, JournalError> {
        let line = ArenaLine::paired(encounter, &contenders, &names, SystemTime::now());
        self.append(line)?;
        Ok(ArenaEntry::Paired {
            encounter,
            contenders,
            names,
        })
    }

    /// Appends the end of a match, and returns its entry. It is on the disk then.
    ///
    /// # Errors
    ///
    /// It cannot be written. Nothing can be written after that.
    pub fn end(
        &mut self,
        encounter: u64,
        leg: Leg,
        played: &Played,
        result: LegResult,
    ) -> Result<ArenaEntry, JournalError> {
        self.append(ArenaLine::ended(encounter, leg, played, &result))?;
        Ok(ArenaEntry::Ended {
            encounter,
            leg,
            result,
        })
    }

    fn append(&mut self, line: ArenaLine) -> Result<(), JournalError> {
        let path = self.file.path().to_owned();
        if self.is_broken {
            return Err(JournalError::Broken { path });
        }
        let unwritable = |source| JournalError::from(unwritable(&path, source));
        if self.file.length() >= self.segment_bytes {
            let next = segment(&self.folder, self.number + 1);
            self.file = AppendFile::open(&next).map_err(unwritable)?;
            self.number += 1;
        }
        let text = line.after(self.head).to_line();
        if let Err(source) = self.file.append(text.as_bytes()) {
            self.is_broken = true;
            // If this fails too, the next start cuts the line off.
            let _ = self.file.cut_back();
            return Err(unwritable(source));
        }
        self.head = Fingerprint::of(text.trim_end_matches('\n').as_bytes());
        Ok(())
    }
}

/// The path of the segment with this number.
pub(super) fn segment(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{SEGMENT}{number:06}.jsonl"))
}

/// The greatest number of a segment in a folder; 0 without any.
pub(super) fn last_segment(folder: &Path) -> Result<u32, JournalError> {
    let failed = |source| JournalError::from(unreadable(folder, source));
    let mut last = 0;
    for file in fs::read_dir(folder).map_err(failed)? {
        let name = file.map_err(failed)?.file_name();
        let number = name.to_str().and_then(|name| {
            let digits = name.strip_prefix(SEGMENT)?.strip_suffix(".jsonl")?;
            digits.parse().ok()
        });
        last = last.max(number.unwrap_or(0));
    }
    Ok(last)
}
