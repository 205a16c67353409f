//! The program `dragontooth-gnubg`: plays matches of Backgammon with GNU Backgammon.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use dragontooth_games::{MatchPlay as _, Seat, backgammon};
use dragontooth_service_client::{Client, Joined, MatchId, MatchState};

use super::arguments::Service;
use super::failure::Failure;
use super::output::say;
use super::{Exit, logging, play, report, service};
use crate::gnubg::{EngineOptions, GnuBackgammon, PLIES_MAX};
use crate::session::{MATCHES_AT_ONCE, Session, SessionOptions, ThinkingPool, Until};

/// Plays matches of Backgammon on a Dragontooth service with GNU Backgammon, which it starts.
///
/// Without --match it waits for invitations and accepts those to Backgammon.
#[derive(Parser)]
#[command(name = "dragontooth-gnubg", version, about, after_help = Exit::HELP)]
struct Arguments {
    #[command(flatten)]
    service: Service,
    /// GNU Backgammon; a name without a slash is sought in PATH.
    #[arg(long, value_name = "PROGRAM", default_value = "gnubg")]
    gnubg: PathBuf,
    /// The plies that it looks ahead: 0 takes milliseconds a decision, 2 about a second.
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u8).range(0..=i64::from(PLIES_MAX)))]
    plies: u8,
    /// The player's name in the matches.
    #[arg(long, default_value = "gnubg")]
    name: String,
    /// What you add to the random choices of a match, dice among them; at most 64 bytes.
    #[arg(long, value_name = "TEXT")]
    draw_seed: Option<String>,
    /// Join this match, and end when it is over.
    #[arg(long = "match", value_name = "ID", conflicts_with = "matches")]
    match_id: Option<MatchId>,
    /// The seat to take in that match: first or second.
    #[arg(long, requires = "match_id")]
    seat: Option<Seat>,
    /// End after so many matches.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    matches: Option<u32>,
    /// How long to try again after a lost connection.
    #[arg(long, value_name = "TIME", default_value = "10m",
          value_parser = humantime::parse_duration)]
    patience: Duration,
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    logging::start();
    match run(arguments) {
        Ok(exit) => exit.into(),
        Err(Failure { exit, message }) => {
            complain(&message);
            exit.into()
        }
    }
}

fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let bot = GnuBackgammon::new(EngineOptions {
        program: arguments.gnubg.clone(),
        plies: arguments.plies,
    });
    let bot = bot.map_err(|error| Failure::system(with_causes(&error)))?;
    // There is one program to ask.
    let pool = ThinkingPool::new(NonZeroUsize::MIN)?;
    service::runtime()?.block_on(join(arguments, bot, pool))
}

async fn join(
    arguments: Arguments,
    bot: GnuBackgammon,
    pool: ThinkingPool,
) -> Result<Exit, Failure> {
    let mut stop = pin!(play::stop_signal()?);
    let client = arguments.service.client()?;
    if let Some(match_id) = arguments.match_id {
        let joined = tokio::select! {
            () = stop.as_mut() => return Ok(Exit::Done),
            joined = take_seat(&arguments, &client, match_id) => joined?,
        };
        say(&report::joined(&joined.view, joined.seat));
        if joined.view.state == MatchState::Ended {
            say(&report::closed(&joined.view, Some(joined.seat)));
            return Ok(Exit::Done);
        }
    }
    let options = SessionOptions {
        name: arguments.name.clone(),
        draw_seed: arguments.draw_seed.clone(),
        seed: 0,
        until: match (arguments.match_id, arguments.matches) {
            (Some(match_id), _) => Until::Match(match_id),
            (None, Some(matches)) => Until::Matches(matches),
            (None, None) => Until::Stopped,
        },
        matches_at_once: MATCHES_AT_ONCE,
        first_patience: arguments.service.wait,
        patience: arguments.patience,
    };
    let session = Session::new(client, pool, options, move |_| Ok(Box::new(bot.clone())))
        .accept_if(|invitation| invitation.view.game == backgammon::Position::NAME)
        .on_notice(|notice| say(&report::notice(&notice)));
    Ok(play::end(&session.run(stop).await?))
}

/// Joins a match of Backgammon.
async fn take_seat(
    arguments: &Arguments,
    client: &Client,
    match_id: MatchId,
) -> Result<Joined, Failure> {
    let service = &arguments.service;
    let game = service.insist(|| client.get_match(match_id)).await?.game;
    if game != backgammon::Position::NAME {
        return Err(Failure::usage(format!("GNU Backgammon cannot play {game}")));
    }
    let (seat, seed) = (arguments.seat, &arguments.draw_seed);
    let join = || client.join_match(match_id, seat, &arguments.name, seed.clone());
    Ok(service.insist(join).await?)
}

/// An error and what it came from.
fn with_causes(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {}", with_causes(cause)),
        None => error.to_string(),
    }
}

#[expect(clippy::print_stderr, reason = "the last word of a program that fails")]
fn complain(message: &str) {
    eprintln!("dragontooth-gnubg: {message}");
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_well_defined() {
        Arguments::command().debug_assert();
    }
}
