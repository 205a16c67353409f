use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// The most arguments of a program.
pub(super) const MAX_ARGUMENTS: usize = 256;

/// A program and its arguments. It is started as it stands here, never through a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program: a file, with its whole path, that was there and may be started when the
    /// configuration was read.
    pub program: PathBuf,
    /// The program as it was named, and the arguments after it.
    pub words: Vec<String>,
}

impl Command {
    /// What is handed to the program.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }
}

/// Why a program cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoProgram {
    #[error("there is no file {}", .0.display())]
    Missing(PathBuf),
    #[error("{} is no file", .0.display())]
    NoFile(PathBuf),
    #[error("{} may not be executed", .0.display())]
    NotExecutable(PathBuf),
    #[error("there is no program {0:?} in the folders of PATH")]
    NotInPath(String),
    #[error("the name of the program is empty")]
    Empty,
}

/// The file of a program: a name with a slash counts from `folder`, one without is sought in the
/// folders of `path`.
pub(super) fn find(name: &str, folder: &Path, path: Option<&OsStr>) -> Result<PathBuf, NoProgram> {
    if name.is_empty() {
        return Err(NoProgram::Empty);
    }
    if name.contains('/') {
        let file = whole(folder.join(name));
        return executable(&file).map(|()| file);
    }
    let path = path.map(OsString::from).unwrap_or_default();
    env::split_paths(&path)
        .map(|folder| whole(folder.join(name)))
        .find(|file| executable(file).is_ok())
        .ok_or_else(|| NoProgram::NotInPath(name.to_owned()))
}

/// The path from the root, with its links as they are: a program may look at how it was called.
fn whole(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

fn executable(file: &Path) -> Result<(), NoProgram> {
    let Ok(metadata) = file.metadata() else {
        return Err(NoProgram::Missing(file.to_owned()));
    };
    if !metadata.is_file() {
        return Err(NoProgram::NoFile(file.to_owned()));
    }
    if !may_execute(&metadata) {
        return Err(NoProgram::NotExecutable(file.to_owned()));
    }
    Ok(())
}

#[cfg(unix)]
fn may_execute(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;

    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn may_execute(_: &Metadata) -> bool {
    true
}
