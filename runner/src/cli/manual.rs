use clap::CommandFactory;
use dragontooth_cli::{Completions, Man};

use super::{Cli, Failure, cannot_run, print_bytes};
use crate::exit_code::RunnerExit;

/// Prints the script that completes commands in a shell.
pub(super) fn completions(arguments: Completions) -> Result<RunnerExit, Failure> {
    let mut script = Vec::new();
    arguments
        .write(Cli::command(), &mut script)
        .map_err(cannot_run)?;
    print_bytes(&script)?;
    Ok(RunnerExit::Success)
}

/// Prints the man page, or writes all pages into a folder.
pub(super) fn man(arguments: &Man) -> Result<RunnerExit, Failure> {
    let mut page = Vec::new();
    arguments
        .write(Cli::command(), &mut page)
        .map_err(cannot_run)?;
    print_bytes(&page)?;
    Ok(RunnerExit::Success)
}
