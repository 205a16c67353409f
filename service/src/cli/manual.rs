use std::io;
use std::process::ExitCode;

use clap::CommandFactory;
use dragontooth_cli::{Completions, Man};

use super::output::{fail, print};
use super::{Cli, EXIT_NOT_STARTED};

/// Prints the script that completes commands in a shell.
pub(super) fn completions(arguments: Completions) -> ExitCode {
    let mut script = Vec::new();
    let written = arguments.write(Cli::command(), &mut script);
    finish(written, &script)
}

/// Prints the man page, or writes all pages into a folder.
pub(super) fn man(arguments: &Man) -> ExitCode {
    let mut page = Vec::new();
    let written = arguments.write(Cli::command(), &mut page);
    finish(written, &page)
}

fn finish(written: io::Result<()>, text: &[u8]) -> ExitCode {
    match written {
        Ok(()) => print(&String::from_utf8_lossy(text)),
        Err(error) => fail(EXIT_NOT_STARTED, &error),
    }
}
