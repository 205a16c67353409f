use std::ffi::{OsStr, OsString};
use std::fmt::{self, Display};
use std::path::Path;
use std::process::{Command, Stdio};

/// Variables that Cargo sets for the program that it runs. They would make build scripts of
/// dependencies run again in a Cargo that this program starts.
const SET_BY_CARGO_RUN: &[&str] = &[
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_LINKS",
    "CARGO_MANIFEST_PATH",
];

/// The beginning of further names that Cargo sets.
const SET_BY_CARGO_RUN_PREFIX: &str = "CARGO_PKG_";

/// A tool is missing and cannot be fetched. The check is skipped, or fails in the CI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing(pub(crate) String);

/// Something that changes without us cannot be fetched from here. The check is skipped, also in the CI: its outcome
/// depends on nothing but the commit. At night, and so before a release, it fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreachable(pub(crate) String);

/// The Cargo that runs this program.
pub(crate) fn cargo_path() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// A command that runs `program` in the folder `root`, without input.
pub(crate) fn command(program: impl AsRef<OsStr>, root: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if SET_BY_CARGO_RUN.contains(&&*text) || text.starts_with(SET_BY_CARGO_RUN_PREFIX) {
            command.env_remove(&name);
        }
    }
    command
}

/// Returns true in the CI: there, no check may be left out.
pub(crate) fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !["", "0", "false"].contains(&value.as_str()))
}

/// The longest argument that is shown whole, in characters.
const SHOWN_ARGUMENT_MAX: usize = 80;

/// The most arguments that are shown.
const SHOWN_ARGUMENTS_MAX: usize = 12;

/// The command as a person would write it; what is too long to read is cut.
pub(super) fn shown(command: &Command, root: &Path) -> String {
    let root = format!("{}/", root.display());
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words = words.take(SHOWN_ARGUMENTS_MAX).map(|word| {
        let word = word.to_string_lossy();
        let word = word.strip_prefix(&root).unwrap_or(&word);
        if word.chars().count() > SHOWN_ARGUMENT_MAX || word.contains('\n') {
            "…".to_owned()
        } else {
            word.to_owned()
        }
    });
    let mut words: Vec<String> = words.collect();
    if command.get_args().len() >= SHOWN_ARGUMENTS_MAX {
        words.push("…".to_owned());
    }
    words.join(" ")
}

impl Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

impl Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreachable {}
