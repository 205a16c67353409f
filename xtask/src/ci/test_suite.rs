//! The tests: built once, and run with cargo-nextest where it is installed.

use std::fs::{self, File};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};

use crate::exec::{Context, empty_folder};

/// Selects every test, with exactly the crates that are locked.
const WHOLE: &[&str] = &["--locked", "--workspace"];

/// The targets that are built and run.
const TARGETS: &[&str] = &["--lib", "--bins", "--tests", "--examples"];

/// Builds the tests, and with them the programs and the examples, and runs them; the examples in the
/// documentation are left to [`check_documentation`]. What they leave in their temporary folder is a failure.
pub(super) fn run(context: &Context) -> Result<bool> {
    let mut cargo = context.cargo();
    if has_nextest(context) {
        let Some([metadata, binaries]) = build(context)? else {
            return Ok(false);
        };
        cargo.args(["nextest", "run", "--no-fail-fast"]);
        // Profiles of `.config/nextest.toml`.
        let profile = context.effort.pick("default", "nightly");
        cargo.args(["--profile", profile]);
        cargo.args(["--status-level", "slow", "--final-status-level", "slow"]);
        cargo.arg("--test-threads").arg(test_threads().to_string());
        cargo.arg("--cargo-metadata").arg(metadata);
        cargo.arg("--binaries-metadata").arg(binaries);
    } else {
        cargo
            .args(["test", "--no-fail-fast"])
            .args(TARGETS)
            .args(WHOLE);
    }
    let temporary = context.target.join("ci-tests/tmp");
    empty_folder(&temporary)?;
    cargo.env("TMPDIR", &temporary);
    let is_passed = context.passes(cargo.envs(context.effort.variables()))?;
    let left = names_in(&temporary).with_context(|| temporary.display().to_string())?;
    for name in &left {
        context.say(format_args!("left in the temporary folder: {name}"));
    }
    Ok(is_passed && left.is_empty())
}

/// The names of the files and folders in a folder, in order.
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

/// Builds what cargo-nextest runs, and returns the files that tell it so. With them it needs no Cargo, and
/// so does not wait for a Cargo that compiles something else meanwhile. `None` if the build fails.
fn build(context: &Context) -> Result<Option<[PathBuf; 2]>> {
    let start = Instant::now();
    let mut metadata = context.cargo();
    metadata.args(["metadata", "--locked", "--format-version", "1"]);
    let mut binaries = context.cargo();
    binaries.args(["nextest", "list", "--list-type", "binaries-only"]);
    binaries
        .args(["--message-format", "json"])
        .args(TARGETS)
        .args(WHOLE);
    let folder = context.target.join("ci-tests");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let files = ["metadata.json", "binaries.json"].map(|name| folder.join(name));
    for (mut command, file) in [metadata, binaries].into_iter().zip(&files) {
        let output = File::create(file).with_context(|| file.display().to_string())?;
        if !context.passes(command.stdout(output))? {
            return Ok(None);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    context.say(format_args!("    built in {seconds:.1} s"));
    Ok(Some(files))
}

/// Runs the examples in the documentation, which cargo-nextest does not, and makes the documentation.
pub(super) fn check_documentation(context: &Context) -> Result<bool> {
    let mut cargo = context.cargo_in_background();
    cargo.args(["test", "--doc", "--no-fail-fast"]).args(WHOLE);
    cargo.env("RUSTDOC", context.root.join("xtask/src/ci/rustdoc.sh"));
    context.passes(cargo.env("DOCUMENTATION", context.target.join("doc")))
}

/// Feeds every fuzz target many more changed inputs, in a release build.
pub(super) fn fuzz(context: &Context) -> Result<bool> {
    let mut cargo = context.cargo();
    cargo.args([
        "test",
        "--locked",
        "--release",
        "--package",
        "dragontooth-fuzz",
    ]);
    if std::env::var_os(FUZZ_TIMES).is_none() {
        cargo.env(FUZZ_TIMES, "100");
    }
    if std::env::var_os(FUZZ_SEED).is_none() {
        // Other changes each night. What does not hold is printed with its seed.
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        cargo.env(FUZZ_SEED, now.as_secs().to_string());
    }
    context.passes(&mut cargo)
}

/// Multiplies the changed inputs.
const FUZZ_TIMES: &str = "FUZZ_TIMES";

/// Selects the changes.
const FUZZ_SEED: &str = "FUZZ_SEED";

/// Three tests for each processor: most of them wait for programs and timeouts.
fn test_threads() -> usize {
    3 * thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn has_nextest(context: &Context) -> bool {
    let mut nextest = context.cargo();
    let output = nextest.args(["nextest", "--version"]).output();
    output.is_ok_and(|output| output.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_was_left() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("deep/tmp");
        for left in ["logs", "run"] {
            empty_folder(&folder).unwrap();
            assert_eq!(names_in(&folder).unwrap(), [""; 0]);
            fs::create_dir(folder.join(left)).unwrap();
            fs::write(folder.join(left).join("file"), "text").unwrap();
            assert_eq!(names_in(&folder).unwrap(), [left]);
        }
    }
}
