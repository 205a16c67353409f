use std::env;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use dragontooth_bots::builtin::BotSpec;
use dragontooth_games::catalogue::{self, GAMES, Game};
use dragontooth_games::suggestion::did_you_mean;
use dragontooth_runner_conformance::{
    ANSWER_LIMIT, CHECKS, Check, CheckOutcome, CheckVerdict, Examination, ExaminedBot, Patience,
    examine, head, row, tail, to_json,
};
use dragontooth_runner_programs::Protocol;
use dragontooth_runner_tournament::Name;

use super::{Failure, cannot_run, print, usage};
use crate::config::{Player, RunConfig};
use crate::drive;
use crate::exit_code::RunnerExit;
use crate::record::{builtin_table, command_table, try_whole, write_whole};

/// Number of checks played at the same time per processor: they mostly wait.
const CHECKS_FOR_A_PROCESSOR: usize = 2;

#[derive(Debug, Args)]
#[command(
    group = clap::ArgGroup::new("which").required(true),
    override_usage = "dragontooth-runner conformance [OPTIONS] -- COMMAND [ARGUMENTS...]\n       \
        dragontooth-runner conformance [OPTIONS] FILE --bot NAME\n       \
        dragontooth-runner conformance [OPTIONS] --builtin BOT"
)]
pub(super) struct Conformance {
    /// An event file, of which the bot `--bot` is tested.
    #[arg(requires = "bot", group = "which")]
    file: Option<PathBuf>,
    /// A bot of the file.
    #[arg(long, value_name = "NAME", requires = "file", value_parser = name)]
    bot: Option<Name>,
    /// A built-in bot with its options: `alphabeta:nodes=1000`.
    #[arg(long, value_name = "BOT", group = "which")]
    builtin: Option<BotSpec>,
    /// A game that the bot claims to play; may be given several times. Without it, the game of the
    /// file, or all.
    #[arg(long = "game", value_name = "GAME", value_parser = game)]
    games: Vec<&'static Game>,
    /// A check to make, instead of all; may be given several times.
    #[arg(long = "check", value_name = "NAME", value_parser = check)]
    checks: Vec<&'static Check>,
    /// Also write the verdicts as JSON to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Time for a decision in a match without clocks, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = default_answer_ms(), value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    answer_ms: u64,
    /// Number of checks played at the same time; two per processor by default.
    #[arg(long, value_name = "N", value_parser = super::concurrency)]
    concurrency: Option<NonZeroUsize>,
    /// The folder for the output of programs, instead of a temporary one.
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,
    /// The program of the bot and its arguments.
    #[arg(last = true, value_name = "COMMAND", group = "which")]
    command: Vec<String>,
}

/// The reason why there is no bot to be tried.
#[derive(Debug, thiserror::Error)]
enum NoBot {
    #[error("the file has no bot {0}")]
    NotInFile(Name),
    #[error("the bot {0} is a player elsewhere: the kit has to start what it tries")]
    Elsewhere(Name),
    #[error(
        "the bot {bot} is an engine, which the runner talks with itself; what is tried is the bridge with it: \
         dragontooth-runner conformance --game {game} -- dragontooth-bot stdio --processes 3 -- {engine}"
    )]
    Engine {
        bot: Name,
        game: &'static str,
        engine: String,
    },
    #[error("the bot cannot be started: {0}")]
    Unusable(String),
    #[error("{bot} does not play {game}")]
    NotItsGame {
        bot: &'static str,
        game: &'static str,
    },
    #[error("no check named applies to {0}: docs/conformance.md has the games of each")]
    NoCheck(String),
}

/// Tests a bot.
pub(super) fn run(what: &Conformance) -> Result<RunnerExit, Failure> {
    let examination = examination(what)?;
    let logs = examination.logs.clone();
    let bot = examination.bot.to_string();
    if let Some(file) = &what.json {
        try_whole(file).map_err(cannot_run)?;
    }
    let runtime = tokio::runtime::Runtime::new().map_err(cannot_run)?;
    let stop = runtime.block_on(async { super::stop_signal() });
    let stop = stop.map_err(cannot_run)?;
    let mut told = print(&head());
    let tell = |verdict: &CheckVerdict| {
        let printed = print(&row(verdict));
        if told.is_ok() {
            told = printed;
        }
    };
    let verdicts = runtime.block_on(async {
        tokio::select! {
            verdicts = examine(examination, tell) => Some(verdicts),
            () = stop => None,
        }
    });
    runtime.shutdown_background();
    told?;
    let Some(verdicts) = verdicts.transpose().map_err(cannot_run)? else {
        remove_unnamed(what, &logs);
        return Ok(RunnerExit::Interrupted);
    };
    if let Some(file) = &what.json {
        write_whole(file, &to_json(&bot, &verdicts)).map_err(cannot_run)?;
    }
    print(&tail(&verdicts))?;
    conclude(what, &logs, &verdicts)
}

fn conclude(
    what: &Conformance,
    logs: &Path,
    verdicts: &[CheckVerdict],
) -> Result<RunnerExit, Failure> {
    let any = |outcome| verdicts.iter().any(|verdict| verdict.outcome == outcome);
    let (failed, unknown) = (any(CheckOutcome::Failed), any(CheckOutcome::Unknown));
    if !failed && !unknown {
        remove_unnamed(what, logs);
    }
    if logs.is_dir() {
        print(&format!("what the bot wrote is in {}\n", logs.display()))?;
    }
    Ok(if unknown {
        RunnerExit::CannotRun
    } else if failed {
        RunnerExit::Faults
    } else {
        RunnerExit::Success
    })
}

/// Removes the logs unless their folder was named: without a fault they are of no use.
fn remove_unnamed(what: &Conformance, logs: &Path) {
    if what.logs.is_none() {
        let _ = std::fs::remove_dir_all(logs);
    }
}

fn examination(what: &Conformance) -> Result<Examination, Failure> {
    let (bot, candidate, usual) = subject(what)?;
    let games = if what.games.is_empty() {
        usual
    } else {
        what.games.clone()
    };
    if let ExaminedBot::Builtin(spec) = &candidate
        && let Some(game) = games.iter().find(|game| !spec.plays(game.name))
    {
        return Err(usage(NoBot::NotItsGame {
            bot: spec.info().name,
            game: game.name,
        }));
    }
    let checks: Vec<&Check> = if what.checks.is_empty() {
        CHECKS.iter().collect()
    } else {
        let asked = |check: &&Check| what.checks.contains(check);
        CHECKS.iter().filter(asked).collect()
    };
    let applies = |check: &&Check| games.iter().any(|game| check.applies_to(game.name));
    if !checks.iter().any(applies) {
        let games: Vec<&str> = games.iter().map(|game| game.name).collect();
        return Err(usage(NoBot::NoCheck(games.join(", "))));
    }
    let usual_logs = || {
        let name = format!("dragontooth-conformance-{}", std::process::id());
        env::temp_dir().join(name)
    };
    let at_once = what.concurrency.map(NonZeroUsize::get);
    Ok(Examination {
        bot,
        candidate,
        games,
        checks,
        logs: what.logs.clone().unwrap_or_else(usual_logs),
        patience: Patience {
            answer: Duration::from_millis(what.answer_ms),
            ..Patience::USUAL
        },
        at_once: at_once.unwrap_or(drive::processors().get() * CHECKS_FOR_A_PROCESSOR),
    })
}

/// The bot, what plays, and the games that it claims if nothing else is said.
fn subject(what: &Conformance) -> Result<(Name, ExaminedBot, Vec<&'static Game>), Failure> {
    let (Some(file), Some(name)) = (&what.file, &what.bot) else {
        return alone(what);
    };
    let config = RunConfig::load(file).map_err(usage)?;
    let bot = config.bots.iter().find(|bot| bot.name == *name);
    let bot = bot.ok_or_else(|| usage(NoBot::NotInFile(name.clone())))?;
    let game = catalogue::find(config.event.rules().game()).map_err(usage)?;
    let candidate = match bot.player.clone() {
        Player::Remote(_) => return Err(usage(NoBot::Elsewhere(name.clone()))),
        Player::Program(command) if command.protocol == Protocol::Stdio => {
            return Err(usage(NoBot::Engine {
                bot: name.clone(),
                game: game.name,
                engine: command.words.join(" "),
            }));
        }
        Player::Program(command) => ExaminedBot::Program(command),
        Player::Builtin { spec } => ExaminedBot::Builtin(spec),
    };
    Ok((bot.name.clone(), candidate, vec![game]))
}

/// A bot that stands on the command line.
fn alone(what: &Conformance) -> Result<(Name, ExaminedBot, Vec<&'static Game>), Failure> {
    const BOT: &str = "bot";
    let table = match &what.builtin {
        Some(spec) => builtin_table(BOT, &spec.to_string()),
        None => command_table(BOT, what.command.iter().map(String::as_str)),
    };
    let plays = |game: &&Game| {
        let of_builtin = |spec: &BotSpec| spec.plays(game.name);
        what.builtin.as_ref().is_none_or(of_builtin)
    };
    let games: Vec<&'static Game> = GAMES.iter().filter(plays).collect();
    let game = games.first().map_or("", |game| game.name);
    let head = format!("[event]\nname = \"conformance\"\ngame = \"{game}\"\ntarget = 1\n");
    let text = format!("{head}{table}{}", builtin_table("other", "random"));
    let path = env::var_os("PATH");
    let parsed = RunConfig::parse(&text, Path::new(""), path.as_deref());
    let config = parsed.map_err(|problems| {
        // There is no file in which it could be looked for.
        let messages = problems.into_iter().map(|problem| problem.message);
        usage(NoBot::Unusable(messages.collect::<Vec<_>>().join("; ")))
    })?;
    let bot = config.bots.into_iter().next();
    let bot = bot.expect("an event has two bots at least");
    let candidate = match bot.player {
        Player::Builtin { spec } => ExaminedBot::Builtin(spec),
        Player::Program(command) => ExaminedBot::Program(command),
        Player::Remote(_) => return Err(usage(NoBot::Elsewhere(bot.name))),
    };
    Ok((bot.name, candidate, games))
}

fn name(text: &str) -> Result<Name, String> {
    Name::new(text).map_err(|error| error.to_string())
}

fn game(text: &str) -> Result<&'static Game, String> {
    catalogue::find(text).map_err(|error| error.to_string())
}

fn check(text: &str) -> Result<&'static Check, String> {
    let found = CHECKS.iter().find(|check| check.name == text);
    found.ok_or_else(|| {
        let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
        let hint = did_you_mean(text, names.iter().copied());
        format!("unknown check; expected one of {}{hint}", names.join(", "))
    })
}

fn default_answer_ms() -> u64 {
    u64::try_from(ANSWER_LIMIT.as_millis()).unwrap_or(u64::MAX)
}
