use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;

use dragontooth_bots::MatchInfo;
use dragontooth_bots::builtin::{BotSpec, SpecError};
use dragontooth_games::Seat;
use dragontooth_service_client::PlayerId;

use super::field::Field;
use super::program::{Command, ProgramKeys};
use super::section::Section;
use super::token::{self, TokenSource};
use crate::tournament::{MatchRules, Name, bot_seed};

/// A bot of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotConfig {
    /// What it is called in this event.
    pub name: Name,
    /// What plays.
    pub player: Player,
    /// Its issued token; none for one that the runner makes up.
    pub token: Option<TokenSource>,
}

/// What plays for a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Player {
    /// A built-in bot, in the runner's process.
    Builtin {
        /// Which one, with its options. If its seed was not set, it is
        /// [`bot_seed`](crate::tournament::bot_seed).
        spec: BotSpec,
    },
    /// A program that connects to the service by itself.
    Program(Command),
    /// Somebody who connects to the service by itself and is nothing that the runner starts.
    Remote(PlayerId),
}

/// What the bots of an event have to play, as far as that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// The event's seed.
    pub(super) seed: u64,
    /// What every match is.
    pub(super) rules: Option<MatchRules>,
    /// Whether there is no service elsewhere, on which somebody could need an issued token.
    pub(super) own_tokens: bool,
    /// Whether there is no service at all, to which a program could connect.
    pub(super) direct: bool,
}

/// Reads every `[[bot]]`; programs without a slash are sought in the folders of `path`.
pub(super) fn read_all(
    field: &Field<'_>,
    task: Task,
    path: Option<&OsStr>,
) -> Option<Vec<BotConfig>> {
    let mut names = HashSet::new();
    let mut bots = Vec::new();
    let mut complete = true;
    for item in field.list()? {
        match item
            .section()
            .and_then(|section| read(&section, task, path, &mut names))
        {
            Some(bot) => bots.push(bot),
            None => complete = false,
        }
    }
    complete.then_some(bots)
}

fn read(
    section: &Section<'_>,
    task: Task,
    path: Option<&OsStr>,
    names: &mut HashSet<Name>,
) -> Option<BotConfig> {
    let name = section
        .require("name")
        .and_then(|field| unique_name(&field, names));
    let builtin = section.get("builtin");
    let options = section.get("options");
    let command = section.get("command");
    let remote = section.get("player");
    let program = ProgramKeys::get(section);
    let token = token::fields(section);
    section.refuse_others();
    if task.own_tokens {
        for field in token.iter().flatten() {
            field.report("is for a service elsewhere, with an address");
        }
    }
    let seed = name.as_ref().map_or(0, |name| bot_seed(task.seed, name));
    let player = match (builtin, command, remote) {
        (Some(kind), None, None) => {
            program.refuse();
            builtin_player(&kind, options.as_ref(), seed, task.rules)
        }
        (None, Some(command), None) => {
            if task.direct {
                command.report("plays on a service: with direct = true all bots are built-in");
            }
            let options = options.as_ref();
            program
                .read(&command, options, seed, path)
                .map(Player::Program)
        }
        (None, None, Some(id)) => {
            program.refuse();
            for field in options.iter().chain(token.iter().flatten()) {
                field.report("is for a bot that the runner starts");
            }
            if task.own_tokens {
                id.report("connects to a service elsewhere, with an address");
            }
            id.check(id.text()?.parse()).map(Player::Remote)
        }
        (None, None, None) => {
            section.report("a bot needs builtin = \"…\", command = [\"…\"] or player = \"…\"");
            None
        }
        (builtin, command, remote) => {
            for field in [builtin, command, remote].iter().flatten().skip(1) {
                field.report("a bot is built-in, a program or a player elsewhere, not two of them");
            }
            None
        }
    };
    Some(BotConfig {
        name: name?,
        player: player?,
        token: token::source(&token),
    })
}

fn unique_name(field: &Field<'_>, names: &mut HashSet<Name>) -> Option<Name> {
    let name = field.check(Name::new(field.text()?))?;
    if !names.insert(name.clone()) {
        field.report(format!("another bot is called {name} already"));
        return None;
    }
    Some(name)
}

fn builtin_player(
    kind: &Field<'_>,
    options: Option<&Field<'_>>,
    usual_seed: u64,
    rules: Option<MatchRules>,
) -> Option<Player> {
    let name = kind.text()?;
    let mut fields = BTreeMap::new();
    let mut texts = BTreeMap::new();
    if let Some(options) = options {
        for (option, field) in options.section()?.all() {
            texts.insert(option.to_owned(), field.scalar()?);
            fields.insert(option, field);
        }
    }
    let seed = texts.entry("seed".to_owned());
    seed.or_insert_with(|| usual_seed.to_string());
    let spec = BotSpec::new(name, &texts)
        .map_err(|error| guilty(&error, &fields).unwrap_or(kind).report(&error))
        .ok()?;
    if let Some(rules) = rules {
        kind.check(spec.make(&trial(rules)))?;
    }
    Some(Player::Builtin { spec })
}

/// The option at which the error lies, if it is one.
fn guilty<'f, 'a>(
    error: &SpecError,
    fields: &'f BTreeMap<&str, Field<'a>>,
) -> Option<&'f Field<'a>> {
    match error {
        SpecError::UnknownOption { option, .. } | SpecError::SetTwice(option) => {
            fields.get(option.as_str())
        }
        SpecError::BadValue { option, .. } => fields.get(option.name),
        SpecError::UnknownBot(_) | SpecError::NoSetting(_) => None,
    }
}

/// A match in which to try whether there is such a bot for the game.
fn trial(rules: MatchRules) -> MatchInfo {
    MatchInfo {
        id: String::new(),
        title: String::new(),
        game: rules.game().to_owned(),
        variant: rules.variant().to_owned(),
        target: rules.target(),
        seat: Seat::First,
    }
}
