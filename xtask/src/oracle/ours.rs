use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::exec::{Context, programs};

/// The output of `games/examples/backgammon_plays.rs` for these words and this input.
///
/// # Errors
///
/// It cannot be built or run, or fails.
pub(super) fn plays(context: &Context, words: &[&str], input: &str) -> Result<String> {
    example(context, "backgammon_plays", words, input)
}

/// The output of an example of the games for these words and this input.
///
/// # Errors
///
/// It cannot be built or run, or fails.
pub(super) fn example(
    context: &Context,
    name: &str,
    words: &[&str],
    input: &str,
) -> Result<String> {
    let program = programs(context)?.join("examples").join(name);
    let output = feed(context.command(program).args(words), input)?;
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
        // A program that ends early reports it by its exit code.
        scope.spawn(move || pipe.write_all(input.as_bytes()).is_ok());
        child.wait_with_output().context("the program's output")
    })
}
