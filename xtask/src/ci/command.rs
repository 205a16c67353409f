use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

/// What Cargo sets for the program that it runs, which would make build scripts of dependencies
/// run again in a Cargo that this program starts.
const SET_BY_CARGO_RUN: &[&str] = &[
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_LINKS",
    "CARGO_MANIFEST_PATH",
];

/// The beginning of further names that Cargo sets.
const SET_BY_CARGO_RUN_PREFIX: &str = "CARGO_PKG_";

/// In the CI nothing is debugged and nothing is built twice.
const CI_PROFILE: &[(&str, &str)] = &[("CARGO_INCREMENTAL", "0"), ("CARGO_PROFILE_DEV_DEBUG", "0")];

/// The Cargo that runs this program.
pub(crate) fn cargo_path() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// A command that runs `program` in the folder `root`, without input, and with one set of build
/// flags for all commands of a run.
pub(crate) fn command(program: impl AsRef<OsStr>, root: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if SET_BY_CARGO_RUN.contains(&&*text) || text.starts_with(SET_BY_CARGO_RUN_PREFIX) {
            command.env_remove(&name);
        }
    }
    if is_ci() {
        command.envs(CI_PROFILE.iter().copied());
    }
    command
}

/// Whether a machine runs this for everybody: then nothing may be left out.
pub(crate) fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !["", "0", "false"].contains(&value.as_str()))
}

/// The command as a person would write it.
pub(super) fn shown(command: &Command, root: &Path) -> String {
    let root = format!("{}/", root.display());
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words
        .map(|word| {
            let word = word.to_string_lossy();
            word.strip_prefix(&root).unwrap_or(&word).to_owned()
        })
        .collect();
    words.join(" ")
}
