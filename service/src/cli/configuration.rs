use std::process::ExitCode;

use clap::Subcommand;

use super::EXIT_USAGE;
use super::output::{fail, print};
use crate::settings::{self, Flags, SettingsError};

/// What can be done with settings without serving.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print every setting of `serve`: its value, its unit, and where the value comes from.
    Print(Flags),
    /// Say whether `serve` would take the settings: 0, or what is wrong and 2. Variables that set
    /// nothing and look as if they should are named.
    Check(Flags),
    /// Print a file of settings with every one in it, explained and commented out.
    Example,
}

pub(super) fn run(command: &Command) -> ExitCode {
    let done = match command {
        Command::Print(flags) => {
            settings::resolve(flags).map(|resolved| settings::print(&resolved))
        }
        Command::Check(flags) => check(flags),
        Command::Example => Ok(settings::example()),
    };
    match done {
        Ok(text) => print(&text),
        Err(error) => fail(EXIT_USAGE, &error),
    }
}

fn check(flags: &Flags) -> Result<String, SettingsError> {
    let resolved = settings::resolve(flags)?;
    resolved.values.into_config()?;
    let lines = resolved.misspelt.iter().map(|each| {
        format!(
            "{}: there is no such setting; the nearest is {}\n",
            each.name, each.meant
        )
    });
    Ok(lines.collect())
}
