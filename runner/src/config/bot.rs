use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;

use dragontooth_bots::MatchInfo;
use dragontooth_bots::builtin::{BotSpec, SpecError};
use dragontooth_games::Seat;
use dragontooth_runner_programs::{ProgramCommand, Protocol};
use dragontooth_runner_tournament::{MAX_RATING, MatchRules, Name, bot_seed};
use dragontooth_service_vocabulary::{PlayerId, TimeControl};

use super::field::Field;
use super::program::{ProgramKeys, all_of};
use super::section::Section;
use super::time_control;
use super::token::{self, TokenSource};

/// A bot of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct BotConfig {
    /// Its name in this event.
    pub name: Name,
    /// The player behind it.
    pub player: Player,
    /// Its agreement on time in every match, that of the event if it has none of its own; none for no clock.
    pub time_control: Option<TimeControl>,
    /// Its issued token; none for one that the runner makes up.
    pub token: Option<TokenSource>,
    /// Its frozen rating in Elo as an anchor of an arena; none in other events.
    pub rating: Option<f64>,
}

/// The player behind a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Player {
    /// A built-in bot, in the runner's process.
    Builtin {
        /// Which one, with its options. If its seed was not set, it is
        /// [`bot_seed`](dragontooth_runner_tournament::bot_seed).
        spec: BotSpec,
    },
    /// A program that connects to the service by itself.
    Program(ProgramCommand),
    /// Somebody who connects to the service by itself and is nothing that the runner starts.
    Remote(PlayerId),
}

/// The conditions of the event for its bots, as far as they are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// The event's seed.
    pub(super) seed: u64,
    /// The game, variant and target of every match.
    pub(super) rules: Option<MatchRules>,
    /// The agreement on time of a bot that has none of its own.
    pub(super) time_control: Option<TimeControl>,
    /// True if no bot can need an issued token: the service is the runner's own, or there is none.
    pub(super) own_tokens: bool,
    /// True if the bots are the anchors of an arena; `None` if something is wrong with the format.
    pub(super) are_anchors: Option<bool>,
    /// True in direct mode, without a service to which a program could connect.
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
        let section = Section::of(&item);
        match section.and_then(|section| read(&section, task, path, &mut names)) {
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
    let own_time = section.get("time_control");
    let rating = section.get("rating");
    let program = ProgramKeys::get(section);
    let token = token::fields(section);
    section.refuse_others();
    if task.own_tokens {
        for field in token.iter().flatten() {
            field.report("is for a service elsewhere, with an address");
        }
    }
    let time_control = own_time
        .as_ref()
        .map_or(Some(task.time_control), time_control::read);
    let seed = name.as_ref().map_or(0, |name| bot_seed(task.seed, name));
    let player = match (builtin, command, remote) {
        (Some(kind), None, None) => {
            program.refuse();
            builtin_player(&kind, options.as_ref(), seed, task.rules)
        }
        (None, Some(command), None) => {
            let read = program.read(&command, options.as_ref(), seed, path);
            let unread = !program.has_protocol();
            let connects = read.as_ref();
            let connects = connects.map_or(unread, |read| read.protocol == Protocol::Grpc);
            if task.direct && connects {
                command.report(
                    "a program that connects to a service cannot play in direct mode, which has none: only built-in bots \
                     and engines (protocol = \"stdio\", or stdio:PROGRAM on the command line) can",
                );
            }
            read.map(Player::Program)
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
    let token = token::source(&token);
    if let (Some(field), Some(true)) = (&own_time, task.are_anchors) {
        field.report("the matches of an arena have one time control, event.time_control");
    }
    let rating = match (&rating, task.are_anchors) {
        (Some(field), Some(true)) => Some(read_rating(field)?),
        (Some(field), Some(false)) => {
            field.report("is for an anchor of an arena, with format = \"arena\"");
            None
        }
        (None, Some(true)) => {
            section.report("an anchor of an arena needs its rating = … in Elo");
            return None;
        }
        (_, None) | (None, Some(false)) => None,
    };
    Some(BotConfig {
        name: name?,
        player: player?,
        time_control: time_control?,
        token,
        rating,
    })
}

fn read_rating(field: &Field<'_>) -> Option<f64> {
    let rating = field.number()?;
    if rating.abs() > MAX_RATING {
        field.report(format!("must be from -{MAX_RATING} to {MAX_RATING}"));
        return None;
    }
    Some(rating)
}

fn unique_name(field: &Field<'_>, names: &mut HashSet<Name>) -> Option<Name> {
    let name = field.check(Name::new(field.text()?))?;
    if !names.insert(name.clone()) {
        field.report(format!("another bot is called \"{name}\" already"));
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
    let name = kind.text();
    let options = match options {
        Some(field) => Section::of(field).map(|section| section.all()),
        None => Some(Vec::new()),
    };
    // Each option by itself: what is wrong with one hides nothing of the others.
    let texts = options.map(|options| {
        let texts = options.into_iter().map(|(option, field)| {
            let text = field.scalar()?;
            let alone = BTreeMap::from([(option.to_owned(), text.clone())]);
            let is_wrong = match BotSpec::new(name?, &alone) {
                Ok(_) | Err(SpecError::UnknownBot(_)) => false,
                Err(error) => {
                    field.report(error);
                    true
                }
            };
            (!is_wrong).then(|| (option.to_owned(), text))
        });
        all_of::<_, BTreeMap<_, _>>(texts)
    });
    let bare = kind.check(BotSpec::new(name?, &BTreeMap::new()))?;
    if let Some(rules) = rules {
        kind.check(bare.make(&trial(rules)))?;
    }
    let mut texts = texts??;
    let seed = texts.entry("seed".to_owned());
    seed.or_insert_with(|| usual_seed.to_string());
    let spec = kind.check(BotSpec::new(name?, &texts))?;
    Some(Player::Builtin { spec })
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
        time_controls: [None; 2],
    }
}
