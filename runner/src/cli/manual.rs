use clap::CommandFactory;
use dragontooth_cli::{Completions, Man};

use super::{Cli, Failure, cannot_run, print_bytes};
use crate::exit_code::Exit;

/// Prints the script that completes commands in a shell.
pub(super) fn completions(arguments: Completions) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    arguments
        .write(Cli::command(), &mut script)
        .map_err(cannot_run)?;
    print_bytes(&script)?;
    Ok(Exit::Success)
}

/// Prints the man page, or writes all pages into a folder.
pub(super) fn man(arguments: &Man) -> Result<Exit, Failure> {
    let mut page = Vec::new();
    arguments
        .write(Cli::command(), &mut page)
        .map_err(cannot_run)?;
    print_bytes(&page)?;
    Ok(Exit::Success)
}
