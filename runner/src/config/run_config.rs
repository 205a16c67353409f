use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dragontooth_runner_tournament::{Event, Name};
use dragontooth_service_vocabulary::{PlayerId, TimeControl};

use super::bot::{self, BotConfig, Player, Task};
use super::field::Field;
use super::findings::Findings;
use super::section::Section;
use super::service::{self, ServiceConfig};
use super::sources::{Sources, read_bounded};
use super::{ConfigError, DEFAULT_SEED, Problem, RunLimits, event, run_limits};
use crate::draw_secret::DrawSecret;
use crate::openings::Openings;

/// A valid configuration: anything that can still go wrong is outside the file.
#[derive(Clone, Debug, PartialEq)]
pub struct RunConfig {
    /// The event.
    pub event: Event,
    /// The secret of the draws, if the file names it; otherwise each run has a random one.
    pub draw_secret: Option<DrawSecret>,
    /// The bots, in the order of the event's.
    pub bots: Vec<BotConfig>,
    /// The agreement on time of bots that have none of their own; none for no clocks.
    pub time_control: Option<TimeControl>,
    /// The openings of the encounters; none for the usual start.
    pub openings: Option<Arc<Openings>>,
    /// The matches played at the same time; none for the runner's choice.
    pub concurrency: Option<NonZeroUsize>,
    /// Each match has a processor of its own, to which the runner and the engines keep that play it.
    pub affinity: bool,
    /// The folder of the run; none for `runs/` and the event's name.
    pub folder: Option<PathBuf>,
    /// The place of the matches.
    pub service: ServiceConfig,
    /// The limits of bots.
    pub limits: RunLimits,
    /// The players that may take part in an arena; none for all that are present and accept its game.
    pub players: Option<Vec<PlayerId>>,
    /// The text of an event that is in no file, to be kept in the folder of the run.
    pub unsaved_text: Option<String>,
}

impl RunConfig {
    /// Reads a file. Programs are sought from its folder and in `PATH`.
    ///
    /// # Errors
    ///
    /// It cannot be read, or something in it is wrong.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let bytes = read_bounded(path)?;
        let invalid = |problems| ConfigError::Invalid {
            path: path.to_owned(),
            problems,
        };
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let start = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            let message = "the text is not UTF-8".to_owned();
            invalid(vec![Problem::at(&start, valid, String::new(), message)])
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let sources = Sources::gather(&text, folder, Some(path)).map_err(invalid)?;
        Self::from_sources(&sources, env::var_os("PATH").as_deref()).map_err(invalid)
    }

    /// Reads the text of a file that stands in `folder`. Programs without a slash in their name
    /// are sought in the folders of `path`.
    ///
    /// # Errors
    ///
    /// All that is wrong in it, in the order of the text.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use dragontooth_runner::config::RunConfig;
    ///
    /// let file = r#"
    ///     [event]
    ///     name = "demo"
    ///     game = "linja"
    ///     [[bot]]
    ///     name = "a"
    ///     builtin = "greedy"
    ///     [[bot]]
    ///     name = "b"
    ///     builtin = "random"
    /// "#;
    /// let config = RunConfig::parse(file, Path::new(""), None).expect("a valid file");
    /// assert_eq!(config.bots.len(), 2);
    /// ```
    pub fn parse(text: &str, folder: &Path, path: Option<&OsStr>) -> Result<Self, Vec<Problem>> {
        Self::from_sources(&Sources::gather(text, folder, None)?, path)
    }

    fn from_sources(sources: &Sources, path: Option<&OsStr>) -> Result<Self, Vec<Problem>> {
        let table = sources.merged();
        let findings = Findings::new(sources);
        let root = Section::new(&findings, "", 0, &table);
        let config = read(&root, path);
        drop(root);
        let problems = findings.into_problems();
        match config {
            Some(config) if problems.is_empty() => Ok(config),
            Some(_) | None => Err(problems),
        }
    }

    /// The folder of the run: the one named in the file, or `runs/` and the event's name.
    #[must_use]
    pub fn run_folder(&self) -> PathBuf {
        let usual = || Path::new("runs").join(self.event.name().as_str());
        self.folder.clone().unwrap_or_else(usual)
    }

    /// Notes on the openings for the user, before the event begins: see [`Openings::notes`].
    #[must_use]
    pub fn opening_notes(&self) -> Vec<String> {
        // An arena has no end, so it repeats every book.
        let encounters = if self.event.format().is_arena() {
            0
        } else {
            self.event.most_matches().div_ceil(2)
        };
        let notes = (self.openings.as_deref()).map(|openings| openings.notes(encounters));
        notes.unwrap_or_default()
    }

    /// The agreement on time of each of these bots, in their order; that of the event for one that it does
    /// not have. None for no clock.
    #[must_use]
    pub fn time_controls(&self, bots: &[Name]) -> Vec<Option<TimeControl>> {
        let by_name: HashMap<&Name, _> = self
            .bots
            .iter()
            .map(|bot| (&bot.name, bot.time_control))
            .collect();
        let of = |name: &Name| by_name.get(name).copied();
        bots.iter()
            .map(|name| of(name).unwrap_or(self.time_control))
            .collect()
    }
}

/// The problem of limits where nothing is limited.
const NOTHING_TO_LIMIT: &str = "is for matches on a service and for engines: with direct = true and built-in bots \
                                nothing of it counts; leave the section out";

fn is_builtin(bot: &BotConfig) -> bool {
    match bot.player {
        Player::Builtin { .. } => true,
        Player::Program(_) | Player::Remote(_) => false,
    }
}

fn read(root: &Section<'_>, path: Option<&OsStr>) -> Option<RunConfig> {
    let event_field = root.require("event");
    let service_field = root.get("service");
    let limits_field = root.get("limits");
    let bot_field = root.require("bot");
    root.refuse_others();

    let service = service::read(service_field.as_ref());
    let direct = service == Some(ServiceConfig::Direct);
    let limits = run_limits::read(limits_field.as_ref(), direct);
    let event = event_field
        .and_then(|field| Section::of(&field))
        .map(|section| event::read(&section));
    let task = Task {
        seed: event
            .as_ref()
            .and_then(|event| event.seed)
            .unwrap_or(DEFAULT_SEED),
        rules: event.as_ref().and_then(|event| event.rules),
        time_control: event
            .as_ref()
            .and_then(|event| event.time_control.flatten()),
        own_tokens: matches!(
            service,
            Some(ServiceConfig::Embedded(_) | ServiceConfig::Direct)
        ),
        are_anchors: event
            .as_ref()
            .and_then(|event| event.format.is_arena_if_known()),
        direct,
    };
    let bots = bot_field
        .as_ref()
        .and_then(|field| bot::read_all(field, task, path));

    if let (Some(field), Some(ServiceConfig::Direct)) = (&limits_field, &service)
        && bots
            .as_ref()
            .is_some_and(|bots| bots.iter().all(is_builtin))
    {
        field.report(NOTHING_TO_LIMIT);
    }
    let (event, bots, bot_field) = (event?, bots?, bot_field?);
    let affinity = event.affinity.as_ref().map_or(Some(false), Field::boolean);
    if let (Some(field), Some(true), false) = (&event.affinity, affinity, direct) {
        field.report(
            "is for matches without a service: leave it out, or set direct = true in [service]",
        );
        return None;
    }
    let names: Vec<Name> = bots.iter().map(|bot| bot.name.clone()).collect();
    let names_bots = event.format.names_of(&names);
    let ratings = bots.iter().filter_map(|bot| bot.rating).collect();
    let format = event
        .format
        .format(&names, ratings)
        .filter(|_| names_bots)?;
    if let (true, Some(field)) = (event.format.is_arena(), &event.adjudicate) {
        field.report("is for events with a schedule, not for an arena");
        return None;
    }
    if event.format.is_arena() && !matches!(service, Some(ServiceConfig::Remote(_)) | None) {
        let field = service_field.as_ref().unwrap_or(&bot_field);
        field.report(
            "the players of an arena connect to a service elsewhere: name its address in [service]",
        );
        return None;
    }
    let whole = Event::new(event.name?, event.seed?, event.rules?, names, format);
    let whole = whole
        .map_err(|error| {
            let guilty = event.format.guilty(&error);
            guilty.unwrap_or(&bot_field).report(&error);
        })
        .ok()?;
    let openings = match event.openings.as_ref()? {
        Some(keys) => {
            let encounters = if event.format.is_arena() {
                u64::MAX
            } else {
                whole.most_matches().div_ceil(2)
            };
            let openings = keys.openings(whole.rules(), whole.seed(), encounters)?;
            Some(Arc::new(openings))
        }
        None => None,
    };
    Some(RunConfig {
        openings,
        event: whole,
        draw_secret: event.draw_secret?,
        bots,
        time_control: event.time_control?,
        concurrency: event.concurrency,
        affinity: affinity?,
        folder: event.folder,
        service: service?,
        limits: limits?,
        players: event.format.players(),
        unsaved_text: None,
    })
}
