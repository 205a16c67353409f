use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::draw_secrets::{DRAW_SECRET, DrawSecrets, DrawSecretsError, SESSIONS};
use super::draws::RunDraws;
use super::manifest::{Continuation, Difference, Manifest};
use super::manifest_error::ManifestError;
use super::whole_file::{self, Readers, UNFINISHED};
use crate::openings::{InvalidOpenings, Openings};

const LOCK: &str = "lock";
const MANIFEST: &str = "event.json";

/// The remedies for a folder of another event.
const PLAYED: &str = "; play this one in another folder, with --dir";
const UNPLAYED: &str =
    "; no match of it is over: delete the folder, or play this one in another, with --dir";

/// A run directory, locked against other runs until this is dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    id: Option<String>,
    draws: RunDraws,
    has_named_secret: bool,
    book_copy: Option<PathBuf>,
    /// The description of the event, if it has become longer and `event.json` does not say so yet.
    longer: Option<Manifest>,
    _lock: File,
}

/// The reason why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be made or written, or is none.
    #[error("{}: cannot be used", path.display())]
    Unusable {
        /// The folder, or the file in it.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another run is using it.
    #[error("{}: another run is using this folder", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// There is something else in it.
    #[error("{}: the folder is not empty and is not that of a run", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// No run has been played in it, or it does not exist.
    #[error("{}: there is no run here; name the folder of one, such as runs/cup", path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// It is the folder of another event.
    #[error(
        "{}: the folder is that of another event: {}{}{remedy}",
        path.display(),
        list(differences),
        because(*reason)
    )]
    OtherEvent {
        /// The folder.
        path: PathBuf,
        /// The differences.
        differences: Vec<Difference>,
        /// The reason why what was played in the folder cannot count, if it is not plain.
        reason: Option<&'static str>,
        /// The way to play this event all the same, for a run.
        remedy: &'static str,
    },
    /// Its description cannot be read or written.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The secrets of its draws cannot be read or written.
    #[error(transparent)]
    Draws(#[from] DrawSecretsError),
    /// Its book of openings cannot be copied.
    #[error(transparent)]
    Book(#[from] InvalidOpenings),
}

impl RunFolder {
    /// Opens the folder of a run of `manifest`, or makes it. If the event has become longer since, with all
    /// earlier matches as they were, the folder is that of the longer event from [`Self::write_event`] on.
    ///
    /// A new folder gets the secret of its draws: that which the event's file names, or else a random one.
    ///
    /// # Errors
    ///
    /// It cannot be made or locked, is in use, or is the folder of something else or of other draws.
    pub fn open(path: &Path, manifest: &Manifest) -> Result<Self, FolderError> {
        let unusable = |source| FolderError::Unusable {
            path: path.to_owned(),
            source,
        };
        if is_foreign(path).map_err(unusable)? {
            return Err(FolderError::Foreign {
                path: path.to_owned(),
            });
        }
        fs::create_dir_all(path).map_err(unusable)?;
        let lock = lock(path)?;
        let file = path.join(MANIFEST);
        let (kept, is_longer) = match Manifest::read(&file)? {
            None => {
                // First, so that no run is without its secret.
                DrawSecrets::create(path, manifest.named_draw_secret())?;
                let new = manifest.with_new_id();
                new.write(&file)?;
                (new, false)
            }
            Some(there) => match there.continuation(manifest) {
                Continuation::Same => (there, false),
                Continuation::Longer => (manifest.kept_in(&there), true),
                Continuation::Other {
                    differences,
                    reason,
                } => {
                    let file = fs::metadata(Self::results_in(path));
                    let is_unplayed = file.is_ok_and(|results| results.len() == 0);
                    return Err(FolderError::OtherEvent {
                        path: path.to_owned(),
                        differences,
                        reason,
                        remedy: if is_unplayed { UNPLAYED } else { PLAYED },
                    });
                }
            },
        };
        let secrets = DrawSecrets::open(path, manifest.named_draw_secret())?;
        Ok(Self {
            path: path.to_owned(),
            id: kept.id().map(ToOwned::to_owned),
            draws: RunDraws::new(secrets),
            has_named_secret: manifest.named_draw_secret().is_some(),
            book_copy: kept.book_copy().and_then(|copy| copy.path_in(path)),
            longer: is_longer.then_some(kept),
            _lock: lock,
        })
    }

    /// Copies the book of openings into the folder, if the folder names a copy and does not have it yet.
    ///
    /// # Errors
    ///
    /// The book cannot be read or has changed, or the copy cannot be written.
    pub fn copy_book(&self, openings: &Openings) -> Result<(), FolderError> {
        match &self.book_copy {
            Some(copy) if !copy.exists() => {
                let bytes = openings.bytes()?;
                whole_file::write(copy, &bytes, Readers::Usual).map_err(|source| {
                    FolderError::Unusable {
                        path: copy.clone(),
                        source,
                    }
                })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The id of the folder, by which its matches on a service are not those of another folder; `None` for a folder of an
    /// earlier version.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The source of the draws of the run.
    #[must_use]
    pub const fn draws(&self) -> &RunDraws {
        &self.draws
    }

    /// Prepares to play on from this encounter: if the event became longer after its secret had been published,
    /// what is drawn from there on follows from a new one, unless the event's file names it.
    ///
    /// # Errors
    ///
    /// The secret cannot be written.
    pub fn renew_draws(&mut self, encounter: u32) -> Result<(), FolderError> {
        if !self.has_named_secret {
            self.draws.renew(&self.path, encounter)?;
        }
        Ok(())
    }

    /// Publishes the secret of the draws in `sessions.jsonl`: the run is over.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn publish_draws(&self) -> Result<(), FolderError> {
        Ok(self.draws.publish(&self.path)?)
    }

    /// The source of the draws of the run in the folder `path`. `None` if the run is not over and the reader
    /// may not read its secret.
    ///
    /// # Errors
    ///
    /// A file of the secrets cannot be read, or holds something else.
    pub fn draws_in(path: &Path) -> Result<Option<RunDraws>, FolderError> {
        Ok(DrawSecrets::find(path)?.map(RunDraws::new))
    }

    /// The description of the run in a folder, which is neither locked nor changed.
    ///
    /// # Errors
    ///
    /// It is not the folder of a run.
    pub fn look(path: &Path) -> Result<Manifest, FolderError> {
        let manifest = Manifest::read(&path.join(MANIFEST))?;
        manifest.ok_or_else(|| FolderError::NoRun {
            path: path.to_owned(),
        })
    }

    /// The file with the description of the run in the folder `path`.
    #[must_use]
    pub fn manifest_in(path: &Path) -> PathBuf {
        path.join(MANIFEST)
    }

    /// Compares the description of the run in the folder `path` with that of an event's file.
    ///
    /// # Errors
    ///
    /// It is the folder of another event, or of none.
    pub fn compare(path: &Path, manifest: &Manifest) -> Result<(), FolderError> {
        match Self::look(path)?.continuation(manifest) {
            Continuation::Same | Continuation::Longer => Ok(()),
            Continuation::Other {
                differences,
                reason,
            } => Err(FolderError::OtherEvent {
                path: path.to_owned(),
                differences,
                reason,
                remedy: "",
            }),
        }
    }

    /// Returns the file with the results of the run in the folder `path`.
    #[must_use]
    pub fn results_in(path: &Path) -> PathBuf {
        path.join("results.jsonl")
    }

    /// The file with the resources used by the runner, in the run directory `path`.
    #[must_use]
    pub fn sessions_in(path: &Path) -> PathBuf {
        path.join(SESSIONS)
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file with the results.
    #[must_use]
    pub fn results(&self) -> PathBuf {
        Self::results_in(&self.path)
    }

    /// The file of transcripts in the run directory `path`.
    #[must_use]
    pub fn games_in(path: &Path) -> PathBuf {
        path.join("games.jsonl")
    }

    /// The file of transcripts.
    #[must_use]
    pub fn games(&self) -> PathBuf {
        Self::games_in(&self.path)
    }

    /// The seal of the run in the folder `path`.
    #[must_use]
    pub fn seal_in(path: &Path) -> PathBuf {
        path.join("seal.json")
    }

    /// The folder with the data of the embedded service, in the run directory `path`.
    #[must_use]
    pub fn service_in(path: &Path) -> PathBuf {
        path.join("service")
    }

    /// True if a run is using the folder at the moment. Nothing is created there.
    ///
    /// # Errors
    ///
    /// It cannot be found out.
    pub fn is_in_use(path: &Path) -> Result<bool, FolderError> {
        let lock = path.join(LOCK);
        let unusable = |source| FolderError::Unusable {
            path: lock.clone(),
            source,
        };
        match File::open(&lock) {
            Ok(file) => match file.try_lock_shared() {
                Ok(()) => Ok(false),
                Err(TryLockError::WouldBlock) => Ok(true),
                Err(TryLockError::Error(source)) => Err(unusable(source)),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(unusable(source)),
        }
    }

    /// Returns true if [`Self::write_event`] changes anything: the event has become longer, or `text`, its file if
    /// it has none elsewhere, is another one.
    #[must_use]
    pub fn is_event_new(&self, text: Option<&str>) -> bool {
        let is_there =
            |text: &str| fs::read(self.event_file()).is_ok_and(|there| there == text.as_bytes());
        self.longer.is_some() || text.is_some_and(|text| !is_there(text))
    }

    /// Makes the folder that of the longer event, and writes `text` as `event.toml`. The seal no longer fits then.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub fn write_event(&mut self, text: Option<&str>) -> Result<(), FolderError> {
        if let Some(longer) = self.longer.take() {
            longer.write(&Self::manifest_in(&self.path))?;
        }
        text.map_or(Ok(()), |text| write_whole(&self.event_file(), text))
    }

    fn event_file(&self) -> PathBuf {
        self.path.join("event.toml")
    }

    /// The file with the secret.
    #[must_use]
    pub fn secret(&self) -> PathBuf {
        Self::secret_in(&self.path)
    }

    /// The file with the secret of the tokens, in the run directory `path`.
    #[must_use]
    pub fn secret_in(path: &Path) -> PathBuf {
        path.join("secret")
    }

    /// The folder with the data of the embedded service.
    #[must_use]
    pub fn service(&self) -> PathBuf {
        Self::service_in(&self.path)
    }

    /// The folder with the output of the programs.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        Self::logs_in(&self.path)
    }

    /// The folder with the output of the programs, in the run directory `path`.
    #[must_use]
    pub fn logs_in(folder: &Path) -> PathBuf {
        folder.join("logs")
    }
}

/// Writes a file of a report so that it is there whole or not at all; a device or a pipe gets the text as it comes.
///
/// # Errors
///
/// It cannot be written.
pub fn write_whole(path: &Path, text: &str) -> Result<(), FolderError> {
    whole_file::write_named(path, text.as_bytes()).map_err(|source| FolderError::Unusable {
        path: path.to_owned(),
        source,
    })
}

/// Finds out whether a file of a report can be written. It stays as it is.
///
/// # Errors
///
/// It cannot be written.
pub fn try_whole(path: &Path) -> Result<(), FolderError> {
    whole_file::attempt(path).map_err(|source| FolderError::Unusable {
        path: path.to_owned(),
        source,
    })
}

fn lock(folder: &Path) -> Result<File, FolderError> {
    let unusable = |source| FolderError::Unusable {
        path: folder.to_owned(),
        source,
    };
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = options.open(folder.join(LOCK)).map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(FolderError::InUse {
            path: folder.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(unusable(source)),
    }
}

/// Returns true if the folder contains anything that is not of a run.
fn is_foreign(folder: &Path) -> io::Result<bool> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let mut others = false;
    for entry in entries {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name == MANIFEST {
            return Ok(false);
        }
        let unfinished = [MANIFEST, DRAW_SECRET].map(|file| format!("{file}{UNFINISHED}"));
        others |= name != LOCK && name != DRAW_SECRET && !unfinished.iter().any(|it| name == **it);
    }
    Ok(others)
}

fn because(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!(" ({reason})"))
}

fn list(differences: &[Difference]) -> String {
    let texts: Vec<String> = differences.iter().map(ToString::to_string).collect();
    texts.join("; ")
}
