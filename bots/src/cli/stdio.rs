use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::thread::available_parallelism;
use std::time::Duration;

use dragontooth_bots_engines::stdio::{EngineHello, Engines, GRACE, Launch};
use dragontooth_bots_engines::supervise::{
    ResourceLimits, Terms, own_executable, supervise_restarts, supervisor,
};
use dragontooth_games::catalogue;
use dragontooth_service_vocabulary::PlayerName;
use tokio::time::timeout;

use super::arguments::{Stdio, Supervise};
use super::failure::Failure;
use super::output::say;
use super::playing::Contender;
use super::{Exit, service};
use crate::EnginePlayer;
use crate::session::ThinkingPool;

/// Plays matches on a service with an engine.
pub(super) fn run(arguments: &Stdio) -> Result<Exit, Failure> {
    let processes = arguments
        .processes
        .map_or_else(processors, NonZeroUsize::get);
    let engines = Engines::new(launch(arguments, processes));
    let unusable = |fault| Failure::engine(&fault);
    let about = engines.warm_up(1).map_err(unusable)?;
    let each = usize::try_from(about.matches).unwrap_or(1);
    let playing = &arguments.playing;
    let is_one = playing.match_id.is_some() || playing.new.game.is_some();
    let matches = if is_one { Some(1) } else { playing.matches };
    let needed = matches.and_then(|matches| usize::try_from(matches).ok());
    let needed = needed.map_or(processes, |matches| matches.div_ceil(each));
    engines.warm_up(needed).map_err(unusable)?;
    say(&introduction(&about));
    check_games(&about, playing.match_id.is_some())?;
    let matches_at_once = processes.saturating_mul(each);
    let threads = NonZeroUsize::new(matches_at_once).unwrap_or(NonZeroUsize::MIN);
    let pool = ThinkingPool::new(threads).map_err(|error| {
        Failure::system(format!(
            "cannot start the threads that wait for engines: {error}"
        ))
    })?;
    let runtime = service::runtime()?;
    let played = runtime.block_on(play(arguments, &about, &engines, pool, matches_at_once));
    // A blocked write to an engine must not keep the program from ending.
    runtime.shutdown_timeout(GRACE);
    engines.close();
    played
}

/// Supervises an engine or GNU Backgammon: the hidden command by which the programs start themselves.
pub(super) fn supervise(arguments: &Supervise) -> Result<Exit, Failure> {
    let Some((program, words)) = arguments.words.split_first() else {
        return Err(Failure::usage("there is no program"));
    };
    let terms = Terms {
        limits: ResourceLimits::default(),
        grace: Duration::from_millis(arguments.grace_ms),
        supervisor: None,
    };
    supervise_restarts(program, words, terms)?;
    Ok(Exit::Done)
}

fn processors() -> usize {
    available_parallelism().map_or(1, NonZeroUsize::get)
}

fn launch(arguments: &Stdio, processes_max: usize) -> Launch {
    let (words, variables) = (arguments.words.clone(), arguments.variables.clone());
    Launch {
        command: Box::new(move || {
            // This program supervises the engine.
            let mut command = supervisor(&own_executable()?, GRACE, &words);
            command.envs(variables.iter().map(|(name, value)| (name, value)));
            Ok(command)
        }),
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
            tracing::info!(status, cpu_ms, "an engine ended");
        }),
        idle: Mutex::default(),
    }
}

async fn play(
    arguments: &Stdio,
    about: &EngineHello,
    engines: &Engines,
    pool: ThinkingPool,
    matches_at_once: usize,
) -> Result<Exit, Failure> {
    let playing = &arguments.playing;
    let client = playing.service.client()?;
    // An engine may have a name that no player can have, which must not keep it from playing.
    let is_name = PlayerName::new(&about.name).is_ok();
    let contender = Contender {
        name: if is_name { &about.name } else { "" },
        seed: arguments.engine_seed,
        matches_at_once,
        makes_bots_early: true,
        pool,
        plays: &|game| plays(about, game),
    };
    let player = EnginePlayer::new(engines.clone());
    let (games, making) = (about.games.clone(), player.clone());
    let ended = playing
        .run(
            client,
            contender,
            move |info| Ok(Box::new(making.bot(info)) as Box<_>),
            move |invitation| games.contains(&invitation.view.game),
        )
        .await;
    // The engines still get the last events of their matches.
    let _ = timeout(GRACE * 2, player.settled()).await;
    ended
}

/// Warns of games that this program does not know. With `--match` the engine can play one of them on a service that knows it.
///
/// # Errors
///
/// It knows none of them, and would wait for ever.
fn check_games(about: &EngineHello, has_match: bool) -> Result<(), Failure> {
    let (known, unknown): (Vec<_>, Vec<_>) =
        (about.games.iter()).partition(|game| catalogue::find(game).is_ok());
    if !known.is_empty() || has_match {
        for game in unknown {
            tracing::warn!(
                game,
                "accepting no invitation to a game of the engine that this program does not know"
            );
        }
        return Ok(());
    }
    let names: Vec<&str> = catalogue::GAMES.iter().map(|game| game.name).collect();
    Err(Failure::usage(format!(
        "{} plays no game that this program knows; it knows {}",
        about.name,
        names.join(", ")
    )))
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
