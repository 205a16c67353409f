//! The program `dragontooth-gnubg`: plays matches of Backgammon with GNU Backgammon.

use std::env;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use dragontooth_cli::{Completions, Man, with_negative_numbers};
use dragontooth_games::{MatchPlay as _, backgammon};

use super::arguments::{Playing, Supervise};
use super::failure::Failure;
use super::playing::Contender;
use super::{Exit, output, service, stdio};
use crate::error_chain;
use crate::gnubg::{GnuBackgammon, GnubgOptions, PLIES_MAX};
use crate::session::{MATCHES_AT_ONCE, ThinkingPool};

/// Plays matches of Backgammon on a Dragontooth service with GNU Backgammon, which it starts.
///
/// Without --match and --new it waits for invitations and accepts those to Backgammon.
#[derive(Parser)]
#[command(name = "dragontooth-gnubg", version, after_help = Exit::HELP)]
struct Arguments {
    #[command(flatten)]
    playing: Playing,
    /// The program GNU Backgammon; a name without a slash is searched in PATH.
    #[arg(long, value_name = "PROGRAM", default_value = "gnubg")]
    gnubg: PathBuf,
    /// Plies that it looks ahead: 0 takes milliseconds per decision, 2 about a second.
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u8).range(0..=i64::from(PLIES_MAX)))]
    plies: u8,
}

// Commands instead of playing. A doc comment here would replace the text of the whole help.
#[derive(Subcommand)]
enum Auxiliary {
    #[command(hide = true)]
    Supervise(Supervise),
    /// Print a script that completes commands in a shell.
    Completions(Completions),
    /// Print the man page, or write one for each command.
    Man(Man),
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    match run() {
        Ok(exit) => exit.into(),
        Err(Failure { exit, message }) => {
            complain(&message);
            exit.into()
        }
    }
}

/// The command line: the arguments for playing, or one of the auxiliary commands.
fn command_line() -> clap::Command {
    Auxiliary::augment_subcommands(Arguments::command())
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
}

fn run() -> Result<Exit, Failure> {
    let matches = with_negative_numbers(command_line()).get_matches();
    if matches.subcommand().is_none() {
        let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        output::start_logging();
        return start(&arguments);
    }
    match Auxiliary::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()) {
        Auxiliary::Supervise(arguments) => stdio::supervise(&arguments),
        Auxiliary::Completions(arguments) => {
            output::write(|output| arguments.write(command_line(), output))
        }
        Auxiliary::Man(arguments) => {
            output::write(|output| arguments.write(command_line(), output))
        }
    }
}

fn start(arguments: &Arguments) -> Result<Exit, Failure> {
    let bot = GnuBackgammon::new(GnubgOptions {
        supervisor: env::current_exe()?,
        program: arguments.gnubg.clone(),
        plies: arguments.plies,
    });
    let bot = bot.map_err(|error| Failure::system(error_chain(&error)))?;
    // One process of GNU Backgammon answers one question at a time.
    let pool = ThinkingPool::new(NonZeroUsize::MIN)?;
    service::run(play(&arguments.playing, bot, pool))
}

async fn play(playing: &Playing, bot: GnuBackgammon, pool: ThinkingPool) -> Result<Exit, Failure> {
    let contender = Contender {
        name: "gnubg",
        seed: 0,
        matches_at_once: MATCHES_AT_ONCE,
        makes_bots_early: false,
        pool,
        plays: &plays,
    };
    playing
        .run(
            playing.service.client()?,
            contender,
            move |_| Ok(Box::new(bot.clone())),
            |invitation| plays(&invitation.view.game).is_ok(),
        )
        .await
}

fn plays(game: &str) -> Result<(), Failure> {
    if game == backgammon::Position::NAME {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "GNU Backgammon does not play {game:?}"
    )))
}

fn complain(message: &str) {
    output::note(&format!("dragontooth-gnubg: {message}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_well_defined() {
        command_line().debug_assert();
    }
}
