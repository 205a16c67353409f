use clap::Command;
use dragontooth_cli::{Completions, Man};

use super::failure::Failure;
use super::{Exit, output};

/// Prints the script that completes the arguments of `program` in a shell.
pub(super) fn completions(arguments: Completions, program: Command) -> Result<Exit, Failure> {
    output::write(|output| arguments.write(program, output))
}

/// Prints the man page of `program`, or writes one for each command.
pub(super) fn man(arguments: &Man, program: Command) -> Result<Exit, Failure> {
    output::write(|output| arguments.write(program, output))
}
