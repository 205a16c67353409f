use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use dragontooth_runner_tournament::Name;

use super::{Failure, print};
use crate::exit_code::RunnerExit;

/// The file that `init` writes.
const EXAMPLE: &str = include_str!("example.toml");

#[derive(Debug, Args)]
pub(super) struct Init {
    /// The file to write. An existing file is not overwritten.
    #[arg(default_value = "event.toml")]
    file: PathBuf,
}

/// The reason why no example is written.
#[derive(Debug, thiserror::Error)]
enum NotWritten {
    #[error("{}: the file exists already and is left as it is", .0.display())]
    Exists(PathBuf),
    #[error("{}: the file cannot be written", .0.display())]
    Write(PathBuf, #[source] io::Error),
    #[error("the name of the file has a control character, and the example names its file")]
    Name,
}

pub(super) fn run(what: &Init) -> Result<RunnerExit, Failure> {
    let file = &what.file;
    if file.to_string_lossy().contains(char::is_control) {
        return Err((RunnerExit::Usage, Box::new(NotWritten::Name)));
    }
    match write(file) {
        Ok(()) => {
            let file = file.display();
            print(&format!(
                "wrote {file}; play it with `dragontooth-runner run {file}`\n"
            ))?;
            Ok(RunnerExit::Success)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err((
            RunnerExit::Usage,
            Box::new(NotWritten::Exists(file.clone())),
        )),
        Err(error) => {
            let error = NotWritten::Write(file.clone(), error);
            Err((RunnerExit::CannotRun, Box::new(error)))
        }
    }
}

fn write(file: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut new = options.write(true).create_new(true).open(file)?;
    new.write_all(example(file).as_bytes())
}

/// The example, which names its own file; the event is called as the file is if a name can be like that.
fn example(file: &Path) -> String {
    let stem = file.file_stem().and_then(OsStr::to_str);
    let text = EXAMPLE.replace(" FILE ", &format!(" {} ", file.display()));
    match stem.map(Name::new) {
        Some(Ok(name)) => text.replace("example\"", &format!("{name}\"")),
        Some(Err(_)) | None => text,
    }
}
