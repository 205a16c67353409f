use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use dragontooth_games::counted;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::manifest_error::FORMAT;
use super::run_file_error::{unreadable, unwritable};
use super::whole_file::{self, Readers};
use super::{Fingerprint, RunFileError, RunFolder, program_ends_in};

/// The most bytes of `seal.json`.
const MAX_SEAL_BYTES: u64 = 64 << 10;

/// The seal of a run directory, `seal.json`: hashes of everything in it that follows from nothing else. The
/// lines of `games.jsonl` are in it because each result carries the hash of its own.
///
/// `run` writes it when it begins and when it ends. If it is killed, the seal is one of the first lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    format: u32,
    /// The hash of `event.json`.
    event: String,
    /// The hash of `event.toml`, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event_file: Option<String>,
    results: Chain,
    sessions: Lines,
    programs: Lines,
}

/// Lines that carry each other's hashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Chain {
    lines: usize,
    /// The hash of the last line.
    head: String,
}

/// Other lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lines {
    lines: usize,
    /// The hash of all of them.
    sha256: String,
}

/// A number of lines from the beginning of each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cover {
    /// Those of `results.jsonl`.
    pub results: usize,
    /// Those of `sessions.jsonl`.
    pub sessions: usize,
    /// Those of `logs/programs.jsonl`.
    pub programs: usize,
}

/// A part of a run directory that a seal covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `event.json`.
    Event,
    /// `event.toml`.
    EventFile,
    /// `results.jsonl`.
    Results,
    /// `sessions.jsonl`.
    Sessions,
    /// `logs/programs.jsonl`.
    Programs,
}

/// A difference between a run directory and its seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealFault {
    /// The file is not the one that was sealed.
    #[error("it is not the file that was sealed: its hash is not the one in seal.json")]
    Changed,
    /// The file is there and was not sealed, or the other way round.
    #[error("seal.json has {} of it", if *.is_there { "no hash" } else { "a hash, and there is nothing left" })]
    Presence {
        /// True if the file is there.
        is_there: bool,
    },
    /// The sealed lines are not all there.
    #[error("seal.json covers {}, and there are {found}: lines are missing", counted(*sealed, "line"))]
    Missing {
        /// The number of lines that were sealed.
        sealed: usize,
        /// The number of lines that are there.
        found: usize,
    },
}

/// Why a seal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] RunFileError),
    /// The file is no seal.
    #[error("{}: the file is no seal: {fault}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Why.
        fault: String,
    },
    /// There are results and no seal.
    #[error("{}: the file is missing, and there are results: it was removed", path.display())]
    NoSeal {
        /// The file.
        path: PathBuf,
    },
    /// The lines of a file are not those that were sealed.
    #[error("{}: {fault}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The difference.
        fault: SealFault,
    },
}

impl Cover {
    /// Everything.
    pub const ALL: Self = Self {
        results: usize::MAX,
        sessions: usize::MAX,
        programs: usize::MAX,
    };
}

impl Seal {
    /// The seal of a run directory as it is, up to the lines of `cover`. Lines without an end do not count.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub fn of(folder: &Path, cover: Cover) -> Result<Self, SealError> {
        let event = hash_of(&Part::Event.path(folder))?;
        let event_file = hash_of(&Part::EventFile.path(folder))?;
        let results = scan(&Part::Results.path(folder), cover.results, Kind::Chain)?;
        let lines = |part: Part, most| -> Result<Lines, RunFileError> {
            let (lines, hash) = scan(&part.path(folder), most, Kind::Lines)?;
            let sha256 = hash.to_string();
            Ok(Lines { lines, sha256 })
        };
        Ok(Self {
            format: FORMAT,
            event: event.unwrap_or(Fingerprint::NONE).to_string(),
            event_file: event_file.map(|hash| hash.to_string()),
            results: Chain {
                lines: results.0,
                head: results.1.to_string(),
            },
            sessions: lines(Part::Sessions, cover.sessions)?,
            programs: lines(Part::Programs, cover.programs)?,
        })
    }

    /// Reads the seal of a run directory; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is no seal.
    pub fn read(folder: &Path) -> Result<Option<Self>, SealError> {
        let path = RunFolder::seal_in(folder);
        let size = match fs::metadata(&path) {
            Ok(found) => found.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(unreadable(&path, source).into()),
        };
        if size > MAX_SEAL_BYTES {
            let fault = format!("it has more than {MAX_SEAL_BYTES} bytes");
            return Err(SealError::Malformed { path, fault });
        }
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(source) => return Err(unreadable(&path, source).into()),
        };
        match serde_json::from_slice::<Self>(&bytes) {
            Ok(seal) if seal.format == FORMAT => Ok(Some(seal)),
            Ok(Self { format, .. }) => {
                let fault =
                    format!("it has format {format}, and this runner reads format {FORMAT}");
                Err(SealError::Malformed { path, fault })
            }
            Err(error) => {
                let fault = error.to_string();
                Err(SealError::Malformed { path, fault })
            }
        }
    }

    /// Seals a run directory as it is, and gives the seal. What it covers is on the disk before it is.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written.
    pub fn write(folder: &Path) -> Result<Self, SealError> {
        for part in [Part::Sessions, Part::Programs] {
            sync(&part.path(folder))?;
        }
        let seal = Self::of(folder, Cover::ALL)?;
        let path = RunFolder::seal_in(folder);
        match whole_file::write(&path, seal.text().as_bytes(), Readers::Usual) {
            Ok(()) => Ok(seal),
            Err(source) => Err(unwritable(&path, source).into()),
        }
    }

    /// Checks that the lines in a run directory begin with those that were sealed there.
    ///
    /// # Errors
    ///
    /// They do not, or there are results and no seal, or a file cannot be read.
    pub fn check_lines(folder: &Path) -> Result<(), SealError> {
        let Some(seal) = Self::read(folder)? else {
            let (lines, _) = scan(&Part::Results.path(folder), 1, Kind::Chain)?;
            let path = RunFolder::seal_in(folder);
            return if lines == 0 {
                Ok(())
            } else {
                Err(SealError::NoSeal { path })
            };
        };
        let there = Self::of(folder, seal.cover())?;
        let mut faults = seal.faults(&there).into_iter();
        // The others are compared with the event.
        let has_lines = |part| matches!(part, Part::Results | Part::Sessions | Part::Programs);
        match faults.find(|(part, _)| has_lines(*part)) {
            Some((part, fault)) => {
                let path = part.path(folder);
                Err(SealError::Broken { path, fault })
            }
            None => Ok(()),
        }
    }

    /// The lines that it covers.
    #[must_use]
    pub const fn cover(&self) -> Cover {
        Cover {
            results: self.results.lines,
            sessions: self.sessions.lines,
            programs: self.programs.lines,
        }
    }

    /// The differences from `there`, the seal of the directory up to the same lines.
    #[must_use]
    pub fn faults(&self, there: &Self) -> Vec<(Part, SealFault)> {
        let mut faults = Vec::new();
        if self.event != there.event {
            faults.push((Part::Event, SealFault::Changed));
        }
        match (&self.event_file, &there.event_file) {
            (Some(sealed), Some(found)) if sealed != found => {
                faults.push((Part::EventFile, SealFault::Changed));
            }
            (Some(_), Some(_)) | (None, None) => {}
            (sealed, _) => {
                let is_there = sealed.is_none();
                faults.push((Part::EventFile, SealFault::Presence { is_there }));
            }
        }
        let lines = |lines: &Lines| (lines.lines, lines.sha256.clone());
        let chain = |chain: &Chain| (chain.lines, chain.head.clone());
        let pairs = [
            (Part::Results, chain(&self.results), chain(&there.results)),
            (
                Part::Sessions,
                lines(&self.sessions),
                lines(&there.sessions),
            ),
            (
                Part::Programs,
                lines(&self.programs),
                lines(&there.programs),
            ),
        ];
        for (part, (sealed, hash), (found, found_hash)) in pairs {
            if found < sealed {
                faults.push((part, SealFault::Missing { sealed, found }));
            } else if hash != found_hash {
                faults.push((part, SealFault::Changed));
            }
        }
        faults
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("numbers and texts can all be written");
        text.push('\n');
        text
    }

    /// The digest of the event: the hash of the file, by which a published event can be held to.
    #[must_use]
    pub fn event_digest(&self) -> Fingerprint {
        Fingerprint::of(self.text().as_bytes())
    }
}

impl Part {
    fn path(self, folder: &Path) -> PathBuf {
        match self {
            Self::Programs => program_ends_in(&RunFolder::logs_in(folder)),
            Self::Event | Self::EventFile | Self::Results | Self::Sessions => {
                folder.join(self.to_string())
            }
        }
    }
}

/// The name of the file in the run directory.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Event => "event.json",
            Self::EventFile => "event.toml",
            Self::Results => "results.jsonl",
            Self::Sessions => "sessions.jsonl",
            Self::Programs => "logs/programs.jsonl",
        })
    }
}

/// The hash that is made of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// That of the last line, without its newline.
    Chain,
    /// That of all lines.
    Lines,
}

/// The number of lines in a file, which may be missing, at most `most`, and their hash.
fn scan(path: &Path, most: usize, kind: Kind) -> Result<(usize, Fingerprint), RunFileError> {
    let none = match kind {
        Kind::Chain => Fingerprint::NONE,
        Kind::Lines => Fingerprint::of(b""),
    };
    let Some(mut file) = open(path)? else {
        return Ok((0, none));
    };
    let (mut lines, mut hash, mut found) = (0, Sha256::new(), none);
    while lines < most {
        let bytes = file.fill_buf().map_err(|source| unreadable(path, source))?;
        if bytes.is_empty() {
            break;
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(bytes.len(), |end| end + 1);
        match (end, kind) {
            (Some(end), Kind::Chain) => {
                hash.update(&bytes[..end]);
                found = Fingerprint::of_hash(std::mem::take(&mut hash));
            }
            (Some(_), Kind::Lines) => {
                hash.update(&bytes[..taken]);
                found = Fingerprint::of_hash(hash.clone());
            }
            (None, _) => hash.update(bytes),
        }
        lines += usize::from(end.is_some());
        file.consume(taken);
    }
    Ok((lines, found))
}

/// The hash of a file; `None` if it is missing.
fn hash_of(path: &Path) -> Result<Option<Fingerprint>, RunFileError> {
    let Some(mut file) = open(path)? else {
        return Ok(None);
    };
    let mut hash = Sha256::new();
    loop {
        let bytes = file.fill_buf().map_err(|source| unreadable(path, source))?;
        if bytes.is_empty() {
            return Ok(Some(Fingerprint::of_hash(hash)));
        }
        hash.update(bytes);
        let taken = bytes.len();
        file.consume(taken);
    }
}

fn open(path: &Path) -> Result<Option<BufReader<File>>, RunFileError> {
    match File::open(path) {
        Ok(file) => Ok(Some(BufReader::new(file))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(unreadable(path, source)),
    }
}

/// Puts a file, which may be missing, on the disk.
fn sync(path: &Path) -> Result<(), RunFileError> {
    match File::open(path).and_then(|file| file.sync_all()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unwritable(path, error)),
        Ok(()) | Err(_) => Ok(()),
    }
}
