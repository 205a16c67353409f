#![expect(clippy::print_stdout, reason = "the command's report is its product")]

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::command::{command, shown};
use super::programs::programs;
use super::tools::Missing;

/// What builds the example; its only argument is the program to make.
const BUILD: &str = "bots/go/build.sh";

/// How it ends if there is nothing to build with.
const NOTHING_TO_BUILD_WITH: i32 = 3;

/// Builds the bot in Go and has the conformance kit judge it. Where there is nothing to build it with, that is
/// told and is well: it is an example, and no Go is wanted of those who work on something else.
///
/// # Errors
///
/// The programs cannot be built, or a command cannot be run.
pub(crate) fn check_example(root: &Path, target: &Path) -> Result<Result<bool, Missing>> {
    let folder = target.join("go");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut build = command(root.join(BUILD), root);
    build.arg(folder.join("bot"));
    println!("    $ {}", shown(&build, root));
    let status = build.status().context(BUILD)?;
    if status.code() == Some(NOTHING_TO_BUILD_WITH) {
        println!("the bot in Go is not built here");
        return Ok(Ok(true));
    }
    if !status.success() {
        return Ok(Ok(false));
    }
    let mut judge = command(programs(root, target)?.join("dragontooth-runner"), root);
    judge
        .args(["conformance", "--", "./bot"])
        .current_dir(&folder);
    println!("    $ {}", shown(&judge, root));
    let status = judge.status().context("dragontooth-runner conformance")?;
    Ok(Ok(status.success()))
}
