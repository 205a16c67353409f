use std::env;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::process::Command;
use std::sync::Mutex;
use std::thread::available_parallelism;

use dragontooth_games::Seat;
use dragontooth_service_client::{Client, MatchState, MatchView};

use super::arguments::Stdio;
use super::failure::Failure;
use super::new_match::{new_match, own_seat};
use super::output::say;
use super::play::{end, stop_signal};
use super::{Exit, report, service};
use crate::session::{Session, SessionOptions, ThinkingPool, Until};
use crate::stdio::{EngineHello, EnginePlayer, Engines, GRACE, Launch};

/// Plays matches on a service with an engine.
pub(super) fn run(arguments: &Stdio) -> Result<Exit, Failure> {
    let processes = arguments
        .processes
        .map_or_else(processors, NonZeroUsize::get);
    let engines = Engines::new(launch(arguments, processes));
    let about = engines
        .warm_up(processes)
        .map_err(|fault| Failure::engine(&fault))?;
    say(&introduction(&about));
    let matches_at_once = processes.saturating_mul(usize::try_from(about.matches).unwrap_or(1));
    let threads = NonZeroUsize::new(matches_at_once).unwrap_or(NonZeroUsize::MIN);
    let pool = ThinkingPool::new(threads)
        .map_err(|error| Failure::system(format!("there are no threads to wait: {error}")))?;
    let runtime = service::runtime()?;
    let played = runtime.block_on(play(arguments, &about, &engines, pool, matches_at_once));
    // What is told at the end of matches is told in the background.
    runtime.shutdown_timeout(GRACE);
    engines.close();
    played
}

fn processors() -> usize {
    available_parallelism().map_or(1, NonZeroUsize::get)
}

fn launch(arguments: &Stdio, processes_max: usize) -> Launch {
    let words = arguments.words.clone();
    Launch {
        command: Box::new(move || supervisor(&words)),
        bridge: concat!("dragontooth-bot ", env!("CARGO_PKG_VERSION")).to_owned(),
        options: arguments.options.iter().cloned().collect(),
        seed: arguments.engine_seed,
        start_limit: arguments.start_limit,
        processes_max,
        restart: arguments.restart,
        ends_max: None,
        note: Box::new(|text| tracing::warn!("engine: {text}")),
        info: Box::new(|text| tracing::info!("engine says: {text}")),
        on_end: Box::new(|_, end| {
            let (status, cpu_ms) = (&end.status, end.usage.cpu_ms);
            tracing::info!(status, cpu_ms, "an engine has ended");
        }),
        idle: Mutex::default(),
    }
}

/// This very program as the supervisor of the engine, which gets no token.
fn supervisor(words: &[OsString]) -> std::io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.arg("supervise").arg("--grace-ms");
    command.arg(GRACE.as_millis().to_string()).arg("--");
    command.args(words).env_remove("DRAGONTOOTH_TOKEN");
    Ok(command)
}

async fn play(
    arguments: &Stdio,
    about: &EngineHello,
    engines: &Engines,
    pool: ThinkingPool,
    matches_at_once: usize,
) -> Result<Exit, Failure> {
    let mut stop = pin!(stop_signal()?);
    let client = arguments.service.client()?;
    let name = arguments.name.clone().unwrap_or_else(|| about.name.clone());
    let asked_for = tokio::select! {
        () = stop.as_mut() => return Ok(Exit::Done),
        asked_for = asked_for(arguments, &client, about, &name) => asked_for?,
    };
    if let Some((view, seat)) = &asked_for
        && view.state == MatchState::Ended
    {
        say(&report::closed(view, Some(*seat)));
        return Ok(Exit::Done);
    }
    let options = SessionOptions {
        name,
        draw_seed: arguments.draw_seed.clone(),
        seed: arguments.engine_seed,
        until: match (&asked_for, arguments.matches) {
            (Some((view, _)), _) => Until::Match(view.id),
            (None, Some(matches)) => Until::Matches(matches),
            (None, None) => Until::Stopped,
        },
        matches_at_once,
        first_patience: arguments.service.wait,
        patience: arguments.patience,
    };
    let player = EnginePlayer::new(engines.clone(), client.clone());
    let games = about.games.clone();
    let make = move |info: &_| Ok(Box::new(player.bot(info)) as Box<_>);
    let session = Session::new(client, pool, options, make)
        .accept_if(move |invitation| games.contains(&invitation.view.game))
        .on_notice(|notice| say(&report::notice(&notice)));
    Ok(end(&session.run(stop).await?))
}

/// The match that is to be played, with the seat that was taken in it; none if no special one is.
async fn asked_for(
    arguments: &Stdio,
    client: &Client,
    about: &EngineHello,
    name: &str,
) -> Result<Option<(MatchView, Seat)>, Failure> {
    let service = &arguments.service;
    let mut seat = arguments.seat;
    let own = own_seat(arguments.seat);
    let match_id = match (arguments.match_id, new_match(&arguments.new, own)) {
        (None, None) => return Ok(None),
        (Some(match_id), _) => {
            let view = service.insist(|| client.get_match(match_id)).await?;
            plays(about, &view.game)?;
            match_id
        }
        (None, Some(new)) => {
            plays(about, &new.game)?;
            let view = service.insist(|| client.create_match(new.clone())).await?;
            say(&report::created(&view));
            // The times of the seats are agreed, so it has to be this one.
            seat = Some(own);
            view.id
        }
    };
    let joined = service
        .insist(|| client.join_match(match_id, seat, name, arguments.draw_seed.clone()))
        .await?;
    say(&report::joined(&joined.view, joined.seat));
    Ok(Some((joined.view, joined.seat)))
}

fn plays(about: &EngineHello, game: &str) -> Result<(), Failure> {
    if about.games.iter().any(|plays| plays == game) {
        return Ok(());
    }
    let engine = &about.name;
    Err(Failure::usage(format!("{engine} does not play {game:?}")))
}

fn introduction(about: &EngineHello) -> String {
    let EngineHello {
        name,
        version,
        author,
        games,
        matches,
        ..
    } = about;
    let mut text = format!("engine {name}");
    for (before, part) in [(" ", version), (" by ", author)] {
        if !part.is_empty() {
            text.push_str(before);
            text.push_str(part);
        }
    }
    let games = games.join(", ");
    format!("{text}: plays {games}, {matches} at a time in a process")
}
