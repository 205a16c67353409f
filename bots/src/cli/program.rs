use std::process::ExitCode;

use clap::CommandFactory;

use super::arguments::{Arguments, Command};
use super::failure::Failure;
use super::{Exit, analyze, bots, explain, openings, output, perft, play, record, stdio, whoami};

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let Arguments { command } = dragontooth_cli::parse().unwrap_or_else(|error| error.exit());
    output::start_logging();
    match run(command) {
        Ok(exit) => exit.into(),
        Err(Failure { exit, message }) => {
            complain(&message);
            exit.into()
        }
    }
}

fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Play(arguments) => play::run(&arguments),
        Command::Stdio(arguments) => stdio::run(&arguments),
        Command::Supervise(arguments) => stdio::supervise(&arguments),
        Command::Analyze => analyze::run(),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Openings(arguments) => openings::run(&arguments),
        Command::Bots => bots::run(),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Record(arguments) => record::run(arguments),
        Command::Whoami(service) => whoami::run(&service),
        Command::Completions(arguments) => {
            output::write(|output| arguments.write(Arguments::command(), output))
        }
        Command::Man(arguments) => {
            output::write(|output| arguments.write(Arguments::command(), output))
        }
    }
}

fn complain(message: &str) {
    output::note(&format!("dragontooth-bot: {message}"));
}
