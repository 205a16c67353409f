use std::process::ExitCode;

use clap::Subcommand;

use super::EXIT_USAGE;
use super::output::{fail_by_all, print};
use crate::settings::{self, Flags, Mistakes};

/// The subcommands of `config`.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print every setting of `serve`: its value, its unit, and where the value comes from.
    Print(Flags),
    /// Check the settings as `serve` does: print `ok` and end with 0, or print all mistakes and end with 2.
    /// Variables that set nothing and look as if they should are named.
    Check(Flags),
    /// Print a file of settings with every one in it, explained and commented out.
    Example,
}

pub(super) fn run(command: &Command) -> ExitCode {
    match command {
        Command::Print(flags) => {
            let resolved = settings::resolve(flags);
            finish(resolved.map(|resolved| settings::print(&resolved)))
        }
        Command::Check(flags) => {
            for each in settings::misspelt_variables() {
                print(&format!(
                    "{}: unknown setting; did you mean {:?}?\n",
                    each.name, each.meant
                ));
            }
            let config = settings::resolve(flags).and_then(|resolved| resolved.config());
            finish(config.map(|_| "ok: `serve` takes these settings\n".to_owned()))
        }
        Command::Example => print(&settings::example()),
    }
}

fn finish(done: Result<String, Mistakes>) -> ExitCode {
    match done {
        Ok(text) => print(&text),
        Err(mistakes) => fail_by_all(EXIT_USAGE, mistakes.iter()),
    }
}
