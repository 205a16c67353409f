use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use dragontooth_games::Seat;
use dragontooth_runner_report::{Divergence, replayed};
use dragontooth_runner_tournament::{Name, Schedule, ScheduledMatch};

use super::bot_argument::BotArgument;
use super::{Failure, arena, cannot_run, past_run, print, usage};
use crate::config::{Problem, RunConfig};
use crate::drive;
use crate::exit_code::RunnerExit;
use crate::openings::Openings;
use crate::record::{
    Cover, JournalError, Played, Records, RunFolder, Transcript, Transcripts, builtin_table,
};
use crate::reports::PastRun;

#[derive(Debug, Args)]
pub(super) struct Replay {
    /// The folder of the run.
    folder: PathBuf,
    /// The match: its title, or its id.
    title: String,
    /// A bot that replaces one of the match: `ann=alphabeta:nodes=1000`, a program and its arguments,
    /// separated by spaces: `ann=./ann --level 9`, or an engine: `ann=stdio:./ann`.
    #[arg(long, value_name = "NAME=BOT", value_parser = substitute)]
    bot: Vec<Substitute>,
    /// The event file, from which programs then get their working directory, environment and limits.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The folder for the output of programs, instead of `replay` in the run directory.
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,
}

/// A bot in the place of another.
#[derive(Clone, Debug)]
struct Substitute {
    name: Name,
    text: String,
    bot: BotArgument,
}

/// The reason why a match cannot be replayed.
#[derive(Debug, thiserror::Error)]
enum NoReplay {
    #[error(
        "the actions of an arena's matches are on its service alone: dragontooth-bot record export writes one out by its \
         match_id, and dragontooth-runner verify --file FILE compares all with the journal"
    )]
    Arena,
    #[error("the run has no match {0:?}")]
    NoMatch(String),
    #[error("{0} does not play in this match")]
    NotThere(Name),
    #[error("{0} played from elsewhere: put another bot in its place with --bot")]
    Elsewhere(Name),
    #[error("the file has no bot {0}")]
    NotInFile(Name),
    #[error(
        "the run is not over, and the secret of its draws can be read only by its owner, in draw_secret"
    )]
    SecretUnknown,
    #[error("{}", .0.join("\n"))]
    Bots(Vec<String>),
}

/// Plays a match of a run once more and reports where it diverges from the record.
pub(super) fn run(arguments: &Replay) -> Result<RunnerExit, Failure> {
    if arena::event_in(&arguments.folder).is_some() {
        return Err(usage(NoReplay::Arena));
    }
    let past = past_run(&arguments.folder, Cover::ALL)?;
    let planned = find(&arguments.folder, &past.schedule, &arguments.title)?;
    let replays = replays(&arguments.folder, &past.schedule.title(&planned))?;
    let mut config = config(arguments, &past, &planned)?;
    let recorded = recorded(&arguments.folder, &past.schedule.title(&planned))?;
    let before = recorded.as_ref().map(Transcript::read).transpose();
    let before = before.map_err(cannot_run)?.map(|(record, _)| record);
    config.openings = before
        .as_ref()
        .filter(|before| !before.opening.is_empty())
        .map(|before| {
            Arc::new(Openings::again(
                &before.opening,
                past.schedule.event().rules(),
            ))
        });
    let usual = || arguments.folder.join("replay");
    let logs = arguments.logs.clone().unwrap_or_else(usual);
    let runtime = tokio::runtime::Runtime::new().map_err(cannot_run)?;
    let draws = RunFolder::draws_in(&arguments.folder).map_err(cannot_run)?;
    let draws = draws.ok_or_else(|| cannot_run(NoReplay::SecretUnknown))?;
    let played = runtime
        .block_on(drive::replay(
            &past.schedule,
            &draws,
            (planned, replays),
            &config,
            &logs,
        ))
        .map_err(cannot_run)?;
    runtime.shutdown_background();
    let divergence = before
        .as_ref()
        .and_then(|before| Divergence::find(&before.games, &played.gameplay.games));
    let names = Seat::BOTH.map(|seat| past.schedule.event().bot(planned.bot(seat)).as_str());
    print(&format!(
        "{}: {} against {}\n{}{}{}\n",
        past.schedule.title(&planned),
        names[0],
        names[1],
        replayed(
            names,
            &played.gameplay.games,
            &played.gameplay.thinking,
            divergence.as_ref(),
        ),
        result(&played),
        verdict(before.is_some(), divergence.as_ref()),
    ))?;
    Ok(if divergence.is_some() {
        RunnerExit::Faults
    } else {
        RunnerExit::Success
    })
}

/// The match with this title or id.
fn find(folder: &Path, schedule: &Schedule, title: &str) -> Result<ScheduledMatch, Failure> {
    if let Some(found) = schedule.find(title) {
        return Ok(*found);
    }
    for record in Records::open(&RunFolder::results_in(folder)).map_err(cannot_run)? {
        let record = record.map_err(cannot_run)?;
        if record.match_id() == title
            && let Some(found) = schedule.find(record.title())
        {
            return Ok(*found);
        }
    }
    Err(usage(NoReplay::NoMatch(title.to_owned())))
}

/// Number of restarts of the match with this title; 0 if it has no result.
fn replays(folder: &Path, title: &str) -> Result<u32, Failure> {
    for record in Records::open(&RunFolder::results_in(folder)).map_err(cannot_run)? {
        let record = record.map_err(cannot_run)?;
        if record.title() == title {
            return Ok(record.replays());
        }
    }
    Ok(0)
}

/// The bots of the match, as the run had them or as the command line wants them.
fn config(
    arguments: &Replay,
    past: &PastRun,
    planned: &ScheduledMatch,
) -> Result<RunConfig, Failure> {
    let names = planned
        .bots
        .map(|bot| past.schedule.event().bot(bot).clone());
    let substitutes = arguments.bot.iter();
    let others: BTreeMap<&Name, &Substitute> =
        substitutes.map(|other| (&other.name, other)).collect();
    if let Some(stranger) = others.keys().find(|name| !names.contains(name)) {
        return Err(usage(NoReplay::NotThere((*stranger).clone())));
    }
    let file = arguments.file.as_deref().map(RunConfig::load).transpose();
    let file = file.map_err(usage)?;
    let table = |name: &Name| {
        let table = match others.get(name) {
            Some(other) => other.bot.table(name.as_str()),
            // What stands here is replaced by what the file has.
            None if file.is_some() => builtin_table(name.as_str(), "random"),
            None => {
                let table = past.manifest.bot_table(name.as_str());
                table.ok_or_else(|| usage(NoReplay::Elsewhere(name.clone())))?
            }
        };
        // Whoever plays in its place has its time.
        Ok(table + &past.manifest.time_line(name.as_str()))
    };
    let text = past
        .manifest
        .file_of(&[table(&names[0])?, table(&names[1])?]);
    let path = env::var_os("PATH");
    let parsed = RunConfig::parse(&text, Path::new(""), path.as_deref());
    let mut config = parsed.map_err(|problems| {
        let told = problems
            .iter()
            .map(|problem| told(problem, &names, &others));
        usage(NoReplay::Bots(told.collect()))
    })?;
    if let Some(file) = file {
        config.limits = file.limits;
        for bot in &mut config.bots {
            if !others.contains_key(&bot.name) {
                let there = file.bots.iter().find(|there| there.name == bot.name);
                let there = there.ok_or_else(|| usage(NoReplay::NotInFile(bot.name.clone())))?;
                bot.player = there.player.clone();
            }
        }
    }
    Ok(config)
}

/// Describes a problem of a substitute bot by its name: the user did not write the file with the
/// key.
fn told(problem: &Problem, names: &[Name; 2], others: &BTreeMap<&Name, &Substitute>) -> String {
    let Problem { key, message, .. } = problem;
    let bot = [1, 2].map(|number| key.starts_with(&format!("bot[{number}]")));
    let name = bot.iter().zip(names).find(|(is_it, _)| **is_it);
    let Some((_, name)) = name else {
        return format!("event.json: {key}: {message}");
    };
    match others.get(name) {
        Some(other) => format!("--bot {name}={}: {message}", other.text),
        None => format!(
            "{name}, as event.json tells: {message}; --file FILE takes the bots from the file of the event, \
             whose folder counts then"
        ),
    }
}

fn substitute(text: &str) -> Result<Substitute, String> {
    let (name, bot) = text.split_once('=').ok_or("must be NAME=BOT")?;
    let name = Name::new(name).map_err(|error| error.to_string())?;
    Ok(Substitute {
        name,
        text: bot.to_owned(),
        bot: BotArgument::parse(bot)?,
    })
}

fn recorded(folder: &Path, title: &str) -> Result<Option<Transcript>, Failure> {
    let transcripts = Transcripts::open(&RunFolder::games_in(folder)).map_err(cannot_run)?;
    for transcript in transcripts {
        match transcript {
            Ok(transcript) if transcript.title() == title => return Ok(Some(transcript)),
            // Damage elsewhere does not matter.
            Ok(_) | Err(JournalError::Transcript { .. }) => {}
            Err(error) => return Err(cannot_run(error)),
        }
    }
    Ok(None)
}

fn result(played: &Played) -> String {
    let winner = played
        .winner
        .map_or("nobody".to_owned(), |seat| seat.to_string());
    let [first, second] = played.score;
    let faults = played.faults.iter().map(|fault| {
        let seat = fault.seat;
        format!(
            "fault of the {seat} seat: {}: {}\n",
            fault.kind, fault.detail
        )
    });
    let faults: String = faults.collect();
    format!(
        "{winner} wins {first}-{second}, {}\n{faults}",
        played.termination
    )
}

fn verdict(is_recorded: bool, divergence: Option<&Divergence>) -> String {
    match divergence {
        None if is_recorded => "as recorded".to_owned(),
        None => "there is no record to compare it with".to_owned(),
        Some(divergence) => format!(
            "diverges from the record in game {} at step {}: {} instead of {}",
            divergence.game,
            divergence.step,
            divergence.now.as_deref().unwrap_or("nothing more"),
            divergence.before.as_deref().unwrap_or("nothing more"),
        ),
    }
}
