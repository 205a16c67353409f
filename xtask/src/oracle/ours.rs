use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};

use crate::ci::command::{cargo_path, command};

/// What `games/examples/backgammon_plays.rs` prints for these words and this input.
///
/// # Errors
///
/// It cannot be built or run, or fails.
pub(super) fn plays(root: &Path, words: &[&str], input: &str) -> Result<String> {
    example(root, "backgammon_plays", words, input)
}

/// What an example of the games prints for these words and this input.
///
/// # Errors
///
/// It cannot be built or run, or fails.
pub(super) fn example(root: &Path, name: &str, words: &[&str], input: &str) -> Result<String> {
    let mut cargo = command(cargo_path(), root);
    cargo.args([
        "run",
        "--quiet",
        "--locked",
        "--package",
        "dragontooth-games",
    ]);
    cargo.args(["--example", name, "--"]).args(words);
    let output = feed(&mut cargo, input)?;
    ensure!(
        output.status.success(),
        "{name} {words:?} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command with this text as its input.
///
/// # Errors
///
/// It cannot be run.
pub(super) fn feed(command: &mut Command, input: &str) -> Result<Output> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{command:?}"))?;
    let mut pipe = child.stdin.take().context("the input is a pipe")?;
    std::thread::scope(|scope| {
        // A program that ends early tells so by its exit code.
        scope.spawn(move || pipe.write_all(input.as_bytes()).is_ok());
        child.wait_with_output().context("the program's output")
    })
}
