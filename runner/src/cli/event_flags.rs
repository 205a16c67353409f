use std::collections::HashMap;
use std::env;
use std::fmt::Write;
use std::path::{Path, absolute};

use clap::Args;
use dragontooth_bots::builtin::BOTS;
use dragontooth_games::catalogue;
use dragontooth_games::suggestion::did_you_mean;
use dragontooth_runner_tournament::Name;
use dragontooth_service_vocabulary::parse_time_control;

use super::bot_argument::BotArgument;
use super::{Failure, usage};
use crate::config::{FORMATS, Problem, RunConfig};
use crate::record::quoted;

/// The encounters after which a sequential test ends where none are set.
const DEFAULT_MAX_ENCOUNTERS: u32 = 10_000;
/// The bots that the usual name of an event names, at most.
const NAMED_BOTS_MAX: usize = 4;

/// An event without a file.
#[derive(Debug, Args)]
#[command(next_help_heading = "Without a file")]
pub(super) struct EventFlags {
    /// The game. Everything else has the default of the file's key.
    #[arg(long, value_name = "GAME", requires = "bot", conflicts_with = "file", value_parser = game)]
    game: Option<String>,
    /// A bot, given twice or more: a built-in one with its options (`alphabeta:nodes=1000`), a program and its
    /// arguments (`./mybot --level 9`) or an engine (`stdio:./engine.py`), with a name of its own if you like.
    #[arg(long, value_name = "[NAME=]BOT", requires = "game", conflicts_with = "file", value_parser = NamedBot::parse)]
    bot: Vec<NamedBot>,
    /// The name of the event, by default the game and the bots: `kamisado-greedy-mine`.
    #[arg(long, conflicts_with = "file", value_parser = name)]
    name: Option<Name>,
    /// The variant of the game.
    #[arg(long, conflicts_with = "file")]
    variant: Option<String>,
    /// The highest cube of games for money, a power of two up to 32768.
    #[arg(long, value_name = "CUBE", conflicts_with = "file")]
    max_cube: Option<u32>,
    /// The points that win a match.
    #[arg(long, value_name = "POINTS", conflicts_with = "file")]
    target: Option<u32>,
    /// 60+0.5 (seconds and increment), 60d0.5 (seconds and delay), 1s or 100ms (for each action) or none.
    #[arg(long, value_name = "TIME", conflicts_with = "file", value_parser = time_control)]
    time_control: Option<String>,
    /// The source of the ids of the matches and of the bots' own random choices.
    #[arg(long, value_name = "N", conflicts_with = "file")]
    seed: Option<u64>,
    /// The number of plies after which an unfinished match is adjudicated a draw.
    #[arg(long, value_name = "N", conflicts_with = "file")]
    max_plies: Option<u32>,
    /// Format: `round_robin`, `gauntlet` (the first bot against the others), `swiss`, `knockout`,
    /// `ladder` or `sprt`.
    #[arg(long, conflicts_with = "file", value_parser = format)]
    format: Option<String>,
    /// The number of times that each pairing is played, each time as two matches with the seats swapped.
    #[arg(long, value_name = "N", conflicts_with = "file")]
    cycles: Option<u32>,
    /// The number of rounds of a Swiss event or a ladder.
    #[arg(long, value_name = "N", conflicts_with = "file")]
    rounds: Option<u32>,
    /// The hypothesis of a sequential test that the first bot is no better, in normalised Elo.
    #[arg(long, value_name = "ELO", requires = "elo1")]
    elo0: Option<f64>,
    /// The hypothesis of a sequential test that it is better. With it the format is `sprt`.
    #[arg(long, value_name = "ELO", requires = "elo0", conflicts_with = "file")]
    elo1: Option<f64>,
    /// The number of encounters after which a sequential test ends without a decision, by default 10000.
    #[arg(long, value_name = "N", requires = "elo1")]
    max_encounters: Option<u32>,
    /// Play in the runner's own process, without a service. Only for built-in bots and engines.
    #[arg(long, conflicts_with = "file")]
    direct: bool,
}

/// A bot and the name that it was given.
#[derive(Clone, Debug)]
struct NamedBot {
    text: String,
    name: Option<Name>,
    bot: BotArgument,
}

/// Error for options that describe no event: one line for each mistake.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
struct NoEvent(Vec<String>);

impl EventFlags {
    /// The event that the options describe, kept in `folder` or where its file would have it kept.
    ///
    /// # Errors
    ///
    /// All mistakes, each with its option.
    pub(super) fn config(&self, folder: Option<&Path>) -> Result<RunConfig, Failure> {
        let names = self.bot_names();
        let text = self.text(&names, folder);
        let parsed = RunConfig::parse(&text, Path::new(""), env::var_os("PATH").as_deref());
        let config = parsed.map_err(|problems| {
            let lines = problems.iter().map(|problem| self.line(problem));
            usage(NoEvent(lines.collect()))
        })?;
        Ok(RunConfig {
            unsaved_text: Some(text),
            ..config
        })
    }

    /// The file of the event.
    fn text(&self, names: &[String], folder: Option<&Path>) -> String {
        let name = self.event_name(names);
        let usual = || Path::new("runs").join(&name);
        let folder = folder.map_or_else(usual, Path::to_owned);
        let folder = absolute(&folder).unwrap_or(folder);
        let mut text = "# Written by `dragontooth-runner run` without a file; `run` with this file continues.\n\n".to_owned();
        let mut line = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = writeln!(text, "{key} = {value}");
            }
        };
        let quoted = |value: &String| quoted(value);
        let number = |value: Option<u32>| value.map(|value| value.to_string());
        line("[event]\nname", Some(quoted(&name)));
        line("game", self.game.as_ref().map(quoted));
        line("variant", self.variant.as_ref().map(quoted));
        line("max_cube", number(self.max_cube));
        line("target", number(self.target));
        line("seed", self.seed.map(|seed| seed.to_string()));
        line("max_plies", number(self.max_plies));
        line("time_control", self.time_control.as_ref().map(quoted));
        let format = self.elo1.map(|_| "sprt".to_owned());
        let format = self.format.clone().or(format);
        line("format", format.as_ref().map(quoted));
        if format.as_deref() == Some("gauntlet") {
            let first = names.first().map(|name| format!("[{}]", quoted(name)));
            line("challengers", first);
        }
        line("cycles", number(self.cycles));
        line("rounds", number(self.rounds));
        let hypotheses = self.elo0.zip(self.elo1).map(|(elo0, elo1)| {
            let most = self.max_encounters.unwrap_or(DEFAULT_MAX_ENCOUNTERS);
            format!("{{ elo0 = {elo0:?}, elo1 = {elo1:?}, max_encounters = {most} }}")
        });
        line("sprt", hypotheses);
        line(
            "folder",
            folder.to_str().map(|folder| quoted(&folder.to_owned())),
        );
        if self.direct {
            text.push_str("\n[service]\ndirect = true\n");
        }
        for (name, bot) in names.iter().zip(&self.bot) {
            let bot = bot.bot.clone().anchored();
            let _ = write!(text, "\n{}{}", bot.table(name), bot.folder_line());
        }
        text
    }

    /// The names of the bots: those that were given, and for the others the usual ones, with a number where
    /// a name would come twice.
    fn bot_names(&self) -> Vec<String> {
        let mut counts: HashMap<String, u32> = HashMap::new();
        let names = self.bot.iter().map(|bot| {
            if let Some(name) = &bot.name {
                name.to_string()
            } else {
                let name = bot.bot.usual_name();
                let count = counts.entry(name.clone()).or_default();
                *count += 1;
                match count {
                    1 => name,
                    _ => format!("{name}-{count}"),
                }
            }
        });
        names.collect()
    }

    fn event_name(&self, names: &[String]) -> String {
        let game = self.game.clone().unwrap_or_default();
        let whole = format!("{game}-{}", names.join("-"));
        match &self.name {
            Some(name) => name.to_string(),
            None if names.len() <= NAMED_BOTS_MAX && Name::new(&whole).is_ok() => whole,
            None => format!("{game}-{}-bots", names.len()),
        }
    }

    /// A mistake, with the option that makes it.
    fn line(&self, problem: &Problem) -> String {
        let Problem { key, message, .. } = problem;
        let number = key
            .strip_prefix("bot[")
            .and_then(|rest| rest.split(']').next()?.parse::<usize>().ok());
        let bot = number.and_then(|number| self.bot.get(number.checked_sub(1)?));
        if let Some(bot) = bot {
            return format!("--bot {:?}: {message}{}", bot.text, bot.hint());
        }
        let option = match key.rsplit('.').next() {
            None | Some("" | "bot") => "bot",
            Some("challengers") => "format",
            Some("sprt") => "elo1",
            Some(key) => key,
        };
        format!("--{}: {message}", option.replace('_', "-"))
    }
}

impl NamedBot {
    fn parse(text: &str) -> Result<Self, String> {
        // Options of built-in bots and arguments of programs have an equals sign, too, but behind what is
        // not a name.
        let named = text.split_once('=');
        let named = named.and_then(|(name, bot)| Some((Name::new(name).ok()?, bot)));
        let (name, bot) = match named {
            Some((name, bot)) => (Some(name), bot),
            None => (None, text),
        };
        Ok(Self {
            text: text.to_owned(),
            name,
            bot: BotArgument::parse(bot)?,
        })
    }

    /// Returns true if the first word looks like a quoted path with spaces.
    fn has_spaced_path(&self) -> bool {
        let (BotArgument::Program(words) | BotArgument::Engine(words)) = &self.bot else {
            return false;
        };
        words.len() > 1 && (words[0].starts_with(['\'', '"']) || words[0].ends_with('\\'))
    }

    /// The remedy where a program is not found: the built-in bot that may have been meant, or a file.
    fn hint(&self) -> String {
        match &self.bot {
            BotArgument::Program(_) | BotArgument::Engine(_) if self.has_spaced_path() => {
                "; words are separated by spaces: a path with spaces needs an event file, with `command = […]`".to_owned()
            }
            BotArgument::Program(words) => {
                let kind = words[0].split(':').next().unwrap_or_default();
                did_you_mean(kind, BOTS.iter().map(|info| info.name))
            }
            BotArgument::Builtin(_) | BotArgument::Engine(_) => String::new(),
        }
    }
}

fn game(text: &str) -> Result<String, String> {
    let game = catalogue::find(text).map_err(|error| error.to_string())?;
    Ok(game.name.to_owned())
}

fn name(text: &str) -> Result<Name, String> {
    Name::new(text).map_err(|error| error.to_string())
}

fn time_control(text: &str) -> Result<String, String> {
    parse_time_control(text).map_err(|error| error.to_string())?;
    Ok(text.to_owned())
}

fn format(text: &str) -> Result<String, String> {
    if FORMATS.contains(&text) {
        return Ok(text.to_owned());
    }
    let hint = did_you_mean(text, FORMATS);
    Err(format!("expected one of {}{hint}", FORMATS.join(", ")))
}
