//! The command line of `dragontooth-service`.

mod backup;
mod configuration;
mod database;
mod exit_code;
mod healthcheck;
mod log_location;
mod logging;
mod manual;
mod match_command;
mod migrate;
mod output;
mod restore;
mod serve;
mod service_location;
mod service_manager;
mod token;
mod tracing_export;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use dragontooth_cli::{Completions, Man};

pub use exit_code::{
    EXIT_DAMAGED, EXIT_LOG_FAILED, EXIT_NOT_STARTED, EXIT_REFUSED, EXIT_SECOND_SIGNAL,
    EXIT_STOPPED, EXIT_TOO_SLOW, EXIT_UNHEALTHY, EXIT_USAGE,
};

use crate::settings::Flags;

/// The service runs matches of two-player board games between bots, over gRPC.
#[derive(Debug, Parser)]
#[command(name = "dragontooth-service", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve until SIGINT, SIGTERM or SIGHUP.
    Serve(Flags),
    /// Ask a service on this machine whether it is ready: 0 if it is, 1 if not.
    Healthcheck(healthcheck::Healthcheck),
    /// See the settings of `serve`.
    #[command(subcommand)]
    Config(configuration::Command),
    /// Issue, list and revoke tokens: of a service that runs, in a database, or in the folder of a service that does not run.
    #[command(subcommand)]
    Token(token::Command),
    /// Abort matches of a service that runs.
    #[command(subcommand)]
    Match(match_command::Command),
    /// Check every match in a data folder or a database: its chain of hashes, its rules and its draws. No service may
    /// run on the folder; any number may on the database.
    Verify(verify::Verify),
    /// Write all matches and tokens to one file, from a data folder, a database or a service that runs. Services may run on the database.
    Backup(backup::Backup),
    /// Restore such a file into a new data folder or an empty database.
    Restore(restore::Restore),
    /// Make the tables of an event log in a database, or bring older ones to the format of this program. A service does the same when it
    /// starts.
    Migrate(migrate::Migrate),
    /// Print a script that completes the commands of this program in a shell.
    Completions(Completions),
    /// Print the man page of this program, or write one for each command.
    Man(Man),
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let parsed = dragontooth_cli::parse();
    let Cli { command } = parsed.unwrap_or_else(|error| database::without_address(error).exit());
    match command {
        Command::Serve(flags) => serve::run(&flags),
        Command::Healthcheck(check) => healthcheck::run(&check),
        Command::Config(command) => configuration::run(&command),
        Command::Token(command) => token::run(&command),
        Command::Match(command) => match_command::run(&command),
        Command::Verify(verify) => verify::run(&verify),
        Command::Backup(backup) => backup::run(&backup),
        Command::Restore(restore) => restore::run(&restore),
        Command::Migrate(migrate) => migrate::run(&migrate),
        Command::Completions(completions) => manual::completions(completions),
        Command::Man(man) => manual::man(&man),
    }
}
