mod book;
mod clocks;
mod continuation;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::num::NonZeroU32;
use std::path::Path;

use dragontooth_games::catalogue;
use dragontooth_runner_programs::Protocol;
use dragontooth_runner_tournament::{Event, Format, MatchRules, Name};
use dragontooth_service_client::random_request_id;
use dragontooth_service_vocabulary::TimeControl;
use serde::{Deserialize, Serialize};

use self::book::Book;
pub use self::book::BookCopy;
use self::clocks::{Clocks, NoClock, OwnClocks};
pub(super) use self::continuation::Continuation;
use super::adjudicate_line::AdjudicateLine;
use super::bot_table::{STDIO, builtin_table, command_table, engine_table, quoted};
use super::format_line::FormatLine;
use super::manifest_error::{FORMAT, ManifestError, ManifestFault};
use super::run_file_error::{unreadable, unwritable};
use super::whole_file::{self, Readers};
use crate::config::{BotConfig, HIGHEST_CUBE, Player, RunConfig};
use crate::draw_secret::DrawSecret;
use crate::openings::OpeningChoice;

/// The most bytes of `event.json`.
const MAX_MANIFEST_BYTES: u64 = 16 << 20;

/// The manifest of a run, `event.json`: everything on which the results depend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    format: u32,
    /// The id of the run directory. Directories of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    event: String,
    seed: u64,
    game: String,
    variant: String,
    target: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_plies: Option<u32>,
    /// Not there for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    adjudicate: Option<AdjudicateLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cycles: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tournament: Option<FormatLine>,
    time_control: Option<Clocks>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    openings: Option<Book>,
    /// Not there for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    illegal_actions: Option<NonZeroU32>,
    bots: Vec<Bot>,
    /// The secret of the draws, if the event's file names it. It is not in the manifest.
    #[serde(skip)]
    draw_secret: Option<DrawSecret>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bot {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    builtin: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<Vec<String>>,
    /// The program's protocol, if not gRPC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    protocol: Option<String>,
    /// Those of a program; a built-in bot's are in its text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    options: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    player: Option<String>,
    /// Not there for a bot with the agreement on time of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time_control: Option<OwnClocks>,
}

/// Something in which a file and a folder are not of the same event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key.
    pub key: String,
    /// The value in the run directory.
    pub folder: String,
    /// The value in the file.
    pub file: String,
}

impl Manifest {
    /// The manifest of a run of `config`.
    #[must_use]
    pub fn new(config: &RunConfig) -> Self {
        let event = &config.event;
        let (cycles, tournament) = FormatLine::of(event.format());
        Self {
            format: FORMAT,
            id: None,
            event: event.name().to_string(),
            seed: event.seed(),
            game: event.rules().game().to_owned(),
            variant: event.rules().variant().to_owned(),
            target: event.rules().target(),
            max_plies: event.rules().max_plies(),
            adjudicate: (event.rules().adjudication())
                .as_ref()
                .map(AdjudicateLine::new),
            cycles,
            tournament,
            time_control: config.time_control.map(Clocks::new),
            openings: config.openings.as_deref().map(Book::new),
            illegal_actions: (config.limits.illegal_actions)
                .and_then(|limit| NonZeroU32::new(limit.get())),
            bots: config
                .bots
                .iter()
                .map(|bot| Bot::new(bot, config.time_control))
                .collect(),
            draw_secret: config.draw_secret,
        }
    }

    /// Reads a manifest; `None` if the file does not exist.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or this runner did not write it.
    pub fn read(path: &Path) -> Result<Option<Self>, ManifestError> {
        let unreadable = |source| unreadable(path, source);
        let file = match File::open(path) {
            Ok(file) => file,
            // The second if a file is given in place of the folder.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            Err(source) => return Err(unreadable(source).into()),
        };
        let mut bytes = Vec::new();
        file.take(MAX_MANIFEST_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        parse(&bytes)
            .map(Some)
            .map_err(|fault| ManifestError::Malformed {
                path: path.to_owned(),
                fault,
            })
    }

    /// The event.
    ///
    /// # Errors
    ///
    /// The event is invalid: the file was edited.
    pub fn event(&self) -> Result<Event, ManifestFault> {
        let bots = self
            .bots
            .iter()
            .map(|bot| Name::new(&bot.name))
            .collect::<Result<_, _>>()?;
        let rules = MatchRules::new(&self.game, Some(&self.variant), self.target)?;
        let adjudication = match &self.adjudicate {
            Some(line) => Some(line.terms().ok_or(ManifestFault::Adjudicate)?),
            None => None,
        };
        let rules = rules.limited_to(self.max_plies).adjudicated(adjudication);
        let format = match (&self.tournament, self.cycles) {
            (Some(line), _) => line.format()?,
            (None, Some(cycles)) => Format::RoundRobin { cycles },
            (None, None) => return Err(ManifestFault::NoFormat),
        };
        let name = Name::new(&self.event)?;
        Ok(Event::new(name, self.seed, rules, bots, format)?)
    }

    /// The hash of the book of openings, and the choice of those that are played; `None` without openings.
    #[must_use]
    pub fn openings(&self) -> Option<(&str, OpeningChoice)> {
        let book = self.openings.as_ref()?;
        let choice = OpeningChoice {
            shuffled: book.random_seed,
            start: book.start,
            plies: book.plies,
        };
        Some((&book.sha256, choice))
    }

    /// The copy of the book of openings in the run directory; `None` without openings, and in directories of
    /// earlier versions.
    #[must_use]
    pub fn book_copy(&self) -> Option<&BookCopy> {
        self.openings.as_ref()?.copy.as_ref()
    }

    /// The id of the run directory; `None` in directories of earlier versions.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// This manifest for a new run directory.
    pub(super) fn with_new_id(&self) -> Self {
        Self {
            id: Some(random_request_id().to_string()),
            ..self.clone()
        }
    }

    /// This manifest with the id of `folder`, and with the copy of the book that it names, if both have openings.
    pub(super) fn kept_in(&self, folder: &Self) -> Self {
        let mut with = self.clone();
        with.id.clone_from(&folder.id);
        if let (Some(book), Some(there)) = (&mut with.openings, &folder.openings) {
            book.copy.clone_from(&there.copy);
        }
        with
    }

    /// The secret of the draws, if the event's file names it.
    pub(super) const fn named_draw_secret(&self) -> Option<DrawSecret> {
        self.draw_secret
    }

    /// The differences between this run and the event of `file`.
    #[must_use]
    pub fn differences(&self, file: &Self) -> Vec<Difference> {
        let (here, there) = (self.lines(), file.lines());
        let value = |lines: &[(String, String)], key: &str| {
            let line = lines.iter().find(|(each, _)| each == key);
            line.map_or_else(|| "not set".to_owned(), |(_, value)| value.clone())
        };
        let only_there = there
            .iter()
            .filter(|(key, _)| !here.iter().any(|(each, _)| each == key));
        let keys = here.iter().chain(only_there).map(|(key, _)| key.clone());
        let compared = keys.map(|key| Difference {
            folder: value(&here, &key),
            file: value(&there, &key),
            key,
        });
        compared.filter(|each| each.folder != each.file).collect()
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("numbers and texts can all be written");
        text.push('\n');
        text
    }

    /// A file of an event of two bots, in TOML, by which a match of this one is played again. `bots` are
    /// their tables: see [`bot_table`](Self::bot_table).
    #[must_use]
    pub fn file_of(&self, bots: &[String; 2]) -> String {
        let quoted = |text: &str| quoted(text);
        let clocks = self.time_control.as_ref();
        let clocks = clocks.map_or(quoted("none"), Clocks::to_string);
        // Without the key, a file would give the cube a limit.
        let is_unlimited = catalogue::find(&self.game).is_ok_and(|game| {
            game.capped(&self.variant, HIGHEST_CUBE) == Some(self.variant.as_str())
        });
        let max_cube = if is_unlimited {
            format!("max_cube = {HIGHEST_CUBE}\n")
        } else {
            String::new()
        };
        format!(
            "[event]\nname = {}\nseed = {}\ngame = {}\nvariant = {}\n{max_cube}target = {}\ntime_control = {clocks}\n\
             [limits]\nillegal_actions = {}\n{}{}",
            quoted(&self.event),
            self.seed,
            quoted(&self.game),
            quoted(&self.variant),
            self.target,
            self.illegal_actions(),
            bots[0],
            bots[1],
        )
    }

    /// The table of a bot in an event's file; `None` if the bot is unknown or remote.
    #[must_use]
    pub fn bot_table(&self, name: &str) -> Option<String> {
        let bot = self.bots.iter().find(|bot| bot.name == name)?;
        let options = bot.options.iter();
        let options = options.map(|(option, value)| format!("{option} = {}", quoted(value)));
        let options: Vec<String> = options.collect();
        match (&bot.builtin, &bot.command) {
            (Some(builtin), _) => Some(builtin_table(name, builtin)),
            (None, Some(command)) => {
                let words = command.iter().map(String::as_str);
                let table = match &bot.protocol {
                    Some(_) => engine_table(name, words),
                    None => command_table(name, words),
                };
                Some(format!("{table}options = {{ {} }}\n", options.join(", ")))
            }
            (None, None) => None,
        }
    }

    /// The line of a bot's table with its time control; empty if it has that of the event.
    #[must_use]
    pub fn time_line(&self, name: &str) -> String {
        let bot = self.bots.iter().find(|bot| bot.name == name);
        let own = bot.and_then(|bot| bot.time_control.as_ref());
        own.map_or_else(String::new, |own| format!("time_control = {own}\n"))
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), ManifestError> {
        let text = self.text();
        let written = whole_file::write(path, text.as_bytes(), Readers::Usual);
        written.map_err(|source| unwritable(path, source).into())
    }

    /// The value in the file: 0 means no limit.
    fn illegal_actions(&self) -> u32 {
        self.illegal_actions.map_or(0, NonZeroU32::get)
    }

    /// All that it says, as keys of the configuration and values.
    fn lines(&self) -> Vec<(String, String)> {
        let clocks = self.time_control.as_ref();
        let mut lines = vec![
            ("event.name".to_owned(), self.event.clone()),
            ("event.seed".to_owned(), self.seed.to_string()),
            ("event.game".to_owned(), self.game.clone()),
            ("event.variant".to_owned(), self.variant.clone()),
            ("event.target".to_owned(), self.target.to_string()),
            (
                "event.max_plies".to_owned(),
                self.max_plies
                    .map_or("none".to_owned(), |most| most.to_string()),
            ),
        ];
        lines.extend(
            (self.adjudicate.as_ref())
                .map(|line| ("event.adjudicate".to_owned(), line.to_string())),
        );
        let format = match &self.tournament {
            Some(line) => line.lines(),
            None => vec![
                ("format", "round_robin".to_owned()),
                ("cycles", self.cycles.unwrap_or_default().to_string()),
            ],
        };
        let format = format.into_iter();
        lines.extend(format.map(|(key, value)| (format!("event.{key}"), value)));
        let clocks = clocks.map_or("none".to_owned(), Clocks::to_string);
        lines.push(("event.time_control".to_owned(), clocks));
        lines.extend(
            (self.openings.as_ref()).map(|book| ("event.openings".to_owned(), book.to_string())),
        );
        let limit = self.illegal_actions();
        lines.push(("limits.illegal_actions".to_owned(), limit.to_string()));
        let bots = self.bots.iter().enumerate();
        lines.extend(bots.map(|(at, bot)| (format!("bot[{}]", at + 1), bot.to_string())));
        let ratings = (self.tournament.iter()).flat_map(FormatLine::ratings);
        let ratings = (1..).zip(ratings);
        lines.extend(ratings.map(|(number, elo)| (format!("bot[{number}].rating"), elo.clone())));
        lines
    }
}

impl Bot {
    /// A bot of an event with this agreement on time.
    fn new(bot: &BotConfig, of_event: Option<TimeControl>) -> Self {
        let own = bot
            .time_control
            .map_or(OwnClocks::Word(NoClock::None), |own| {
                OwnClocks::Clocks(Clocks::new(own))
            });
        let plain = Self {
            name: bot.name.to_string(),
            builtin: None,
            command: None,
            protocol: None,
            options: BTreeMap::new(),
            player: None,
            time_control: (bot.time_control != of_event).then_some(own),
        };
        match &bot.player {
            Player::Builtin { spec } => Self {
                builtin: Some(spec.to_string()),
                ..plain
            },
            Player::Program(command) => Self {
                command: Some(command.words.clone()),
                protocol: match command.protocol {
                    Protocol::Grpc => None,
                    Protocol::Stdio => Some(STDIO.to_owned()),
                },
                options: command.options.clone(),
                ..plain
            },
            Player::Remote(id) => Self {
                player: Some(id.to_string()),
                ..plain
            },
        }
    }
}

impl fmt::Display for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if let Some(builtin) = &self.builtin {
            write!(f, ", builtin {builtin}")?;
        }
        if let Some(command) = &self.command {
            write!(f, ", command {command:?}")?;
        }
        if let Some(protocol) = &self.protocol {
            write!(f, ", protocol {protocol}")?;
        }
        if let Some(player) = &self.player {
            write!(f, ", player {player}")?;
        }
        for (option, value) in &self.options {
            write!(f, ", {option}={value}")?;
        }
        if let Some(own) = &self.time_control {
            write!(f, ", time_control {own}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is {} in the folder and {} in the file",
            self.key, self.folder, self.file
        )
    }
}

/// The version of the format alone; other fields are ignored.
#[derive(Deserialize)]
struct Stamp {
    format: u32,
}

fn parse(bytes: &[u8]) -> Result<Manifest, ManifestFault> {
    if bytes.len() as u64 > MAX_MANIFEST_BYTES {
        return Err(ManifestFault::TooLarge);
    }
    let stamp: Stamp = serde_json::from_slice(bytes)?;
    if stamp.format != FORMAT {
        return Err(ManifestFault::Format(stamp.format));
    }
    Ok(serde_json::from_slice(bytes)?)
}
