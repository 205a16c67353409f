use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::append_line::append_lines;
use super::whole_file::{self, Readers};
use crate::draw_secret::DrawSecret;

/// The file of a run directory with the secrets of its draws.
pub(super) const DRAW_SECRET: &str = "draw_secret";
/// The file of a run directory with the resources used by the runner, in which the secrets are published.
pub(super) const SESSIONS: &str = "sessions.jsonl";
/// The most bytes of the first that are read: thousands of secrets.
const MAX_BYTES: u64 = 1 << 20;
/// The most lines of `sessions.jsonl` in which published secrets are sought.
const MAX_LINES: usize = 10_000;

/// The secrets of the draws of a run: the first, and another for each time that the event became longer after
/// the earlier ones had been published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawSecrets(Vec<Line>);

/// A line of `draw_secret`, and of `sessions.jsonl` when the run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Line {
    draw_secret: DrawSecret,
    /// The number of the first encounter that is drawn from it.
    from_encounter: u32,
}

/// An error of the secrets of a run.
#[derive(Debug, thiserror::Error)]
pub enum DrawSecretsError {
    /// A file cannot be read.
    #[error("{}: the secret of the draws cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("{}: the secret of the draws cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file holds no secrets.
    #[error("{}: this is no secret of draws", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
    },
    /// The file is missing, and the secret has not been published.
    #[error("{}: the file is missing, and the draws of the run follow from it", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The event's file names another secret.
    #[error("{}: event.draw_secret names another secret than this", path.display())]
    Other {
        /// The file.
        path: PathBuf,
    },
    /// The published secrets are not those of the run.
    #[error("{}: {fault}", path.display())]
    Published {
        /// The file with the published ones.
        path: PathBuf,
        /// In what way.
        fault: PublishedFault,
    },
}

/// The reason why the secrets published in `sessions.jsonl` are not those of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishedFault {
    /// One is there twice, or out of its order.
    #[error(
        "the published secrets of the draws do not each begin at a later encounter than the one before, and the \
         first at encounter 1"
    )]
    Order,
    /// They are not the first ones of the private file.
    #[error("the published secret of the draws is not the one in draw_secret")]
    Other,
    /// The run is over, and one is missing.
    #[error("all matches are over, and the secret of the draws is not published; `run` adds it")]
    Missing,
}

impl DrawSecrets {
    /// One secret for all encounters.
    #[must_use]
    pub fn of(secret: DrawSecret) -> Self {
        Self(vec![Line {
            draw_secret: secret,
            from_encounter: 1,
        }])
    }

    /// Creates the secret of a new run in `folder`, in a file that only its owner may read: `named` or else a
    /// random one. A secret that is there already stays.
    pub(super) fn create(folder: &Path, named: Option<DrawSecret>) -> Result<(), DrawSecretsError> {
        let path = folder.join(DRAW_SECRET);
        if read(&path)?.is_some() {
            return Ok(());
        }
        Self::of(named.unwrap_or_else(DrawSecret::random)).write(&path)
    }

    /// The secrets of the run in `folder`, which the event's file may name.
    pub(super) fn open(folder: &Path, named: Option<DrawSecret>) -> Result<Self, DrawSecretsError> {
        let path = folder.join(DRAW_SECRET);
        let found = match read(&path)? {
            Some(found) => found,
            None => published(&folder.join(SESSIONS))?
                .ok_or_else(|| DrawSecretsError::Missing { path: path.clone() })?,
        };
        if let Some(fault) = Self::published_fault(folder, false)? {
            let path = folder.join(SESSIONS);
            return Err(DrawSecretsError::Published { path, fault });
        }
        match named {
            Some(named) if found != Self::of(named) => Err(DrawSecretsError::Other { path }),
            Some(_) | None => Ok(found),
        }
    }

    /// The secrets of the run in `folder` for a reader, who may be another user than the runner's: from their
    /// file, or from `sessions.jsonl` when the run is over. `None` if they are in neither.
    ///
    /// # Errors
    ///
    /// A file holds something else.
    pub fn find(folder: &Path) -> Result<Option<Self>, DrawSecretsError> {
        match read(&folder.join(DRAW_SECRET)) {
            Ok(Some(found)) => Ok(Some(found)),
            Err(error @ DrawSecretsError::Malformed { .. }) => Err(error),
            Ok(None) | Err(_) => published(&folder.join(SESSIONS)),
        }
    }

    /// Compares the secrets published in the run directory `folder` with their file, if the reader may read it.
    /// `are_due` says that all of them must be published.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or the private one holds something else.
    pub fn published_fault(
        folder: &Path,
        are_due: bool,
    ) -> Result<Option<PublishedFault>, DrawSecretsError> {
        let shown = published(&folder.join(SESSIONS))?.map_or_else(Vec::new, |found| found.0);
        let begins = shown.first().is_none_or(|line| line.from_encounter == 1);
        if !begins || !shown.is_sorted_by(|one, next| one.from_encounter < next.from_encounter) {
            return Ok(Some(PublishedFault::Order));
        }
        let Self(private) = match read(&folder.join(DRAW_SECRET)) {
            Ok(Some(private)) => private,
            Ok(None) => return Ok(None),
            Err(DrawSecretsError::Read { source, .. })
                if source.kind() == io::ErrorKind::PermissionDenied =>
            {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        Ok(if !private.starts_with(&shown) {
            Some(PublishedFault::Other)
        } else if are_due && shown.len() < private.len() {
            Some(PublishedFault::Missing)
        } else {
            None
        })
    }

    /// The file from which the secrets of the run in `folder` were read.
    pub(crate) fn file_in(folder: &Path) -> PathBuf {
        let private = folder.join(DRAW_SECRET);
        if private.exists() {
            private
        } else {
            folder.join(SESSIONS)
        }
    }

    /// Publishes the secrets of a run that is over, in `sessions.jsonl`.
    pub(super) fn publish(&self, folder: &Path) -> Result<(), DrawSecretsError> {
        let path = folder.join(SESSIONS);
        let known = published(&path)?.map_or(0, |known| known.0.len());
        let text: String = self.0.iter().skip(known).map(Line::text).collect();
        if text.is_empty() {
            return Ok(());
        }
        let file = append_lines(&path, &text);
        file.and_then(|file| file.sync_all())
            .map_err(|source| DrawSecretsError::Write { path, source })
    }

    /// Adds a new secret for the encounters from this number on, if the last one has been published.
    pub(super) fn renew(&mut self, folder: &Path, encounter: u32) -> Result<(), DrawSecretsError> {
        let known = published(&folder.join(SESSIONS))?;
        if known.is_none_or(|known| known.0.len() < self.0.len()) {
            return Ok(());
        }
        self.0.push(Line {
            draw_secret: DrawSecret::random(),
            from_encounter: encounter,
        });
        self.write(&folder.join(DRAW_SECRET))
    }

    /// The secret of an encounter, by its number from 1.
    pub(super) fn of_encounter(&self, encounter: u32) -> &DrawSecret {
        &self.0[self.place_of(encounter)].draw_secret
    }

    /// The place of an encounter's secret among them, from 0.
    pub(super) fn place_of(&self, encounter: u32) -> usize {
        let covers = |line: &Line| line.from_encounter <= encounter;
        self.0.iter().rposition(covers).unwrap_or(0)
    }

    /// Their number.
    pub(super) const fn count(&self) -> usize {
        self.0.len()
    }

    /// The first secret.
    pub(super) fn first(&self) -> &DrawSecret {
        &self.0[0].draw_secret
    }

    fn write(&self, path: &Path) -> Result<(), DrawSecretsError> {
        let text: String = self.0.iter().map(Line::text).collect();
        whole_file::write(path, text.as_bytes(), Readers::Owner).map_err(|source| {
            DrawSecretsError::Write {
                path: path.to_owned(),
                source,
            }
        })
    }
}

impl Line {
    fn text(&self) -> String {
        let mut line = serde_json::to_string(self).expect("numbers and texts can all be written");
        line.push('\n');
        line
    }
}

/// The secrets in their file; `None` if it is missing.
fn read(path: &Path) -> Result<Option<DrawSecrets>, DrawSecretsError> {
    let malformed = || DrawSecretsError::Malformed {
        path: path.to_owned(),
    };
    let size = match fs::metadata(path) {
        Ok(file) => file.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(DrawSecretsError::Read {
                path: path.to_owned(),
                source,
            });
        }
    };
    if size > MAX_BYTES {
        return Err(malformed());
    }
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(malformed()),
        Err(source) => {
            return Err(DrawSecretsError::Read {
                path: path.to_owned(),
                source,
            });
        }
    };
    let lines: Result<Vec<Line>, _> = text.lines().map(serde_json::from_str).collect();
    match lines {
        Ok(lines) if !lines.is_empty() => Ok(Some(DrawSecrets(lines))),
        Ok(_) | Err(_) => Err(malformed()),
    }
}

/// The secrets in a file of sessions; `None` if there are none. Its other lines are of sessions.
fn published(path: &Path) -> Result<Option<DrawSecrets>, DrawSecretsError> {
    let unreadable = |source| DrawSecretsError::Read {
        path: path.to_owned(),
        source,
    };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(unreadable(source)),
    };
    let mut found = Vec::new();
    for line in BufReader::new(file).split(b'\n').take(MAX_LINES) {
        found.extend(serde_json::from_slice::<Line>(&line.map_err(unreadable)?));
    }
    Ok((!found.is_empty()).then_some(DrawSecrets(found)))
}
