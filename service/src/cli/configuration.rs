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
    /// Say whether `serve` would take the settings: nothing and 0, or what is wrong and 2.
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
    settings::resolve(flags)?.values.into_config()?;
    Ok(String::new())
}
