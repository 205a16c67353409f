use std::num::NonZeroUsize;
use std::path::PathBuf;

use dragontooth_games::catalogue::{self, Game, SetupError};
use dragontooth_runner_tournament::{InvalidRules, MAX_PLIES, MatchRules, Name};
use dragontooth_service_vocabulary::TimeControl;

use super::adjudicate;
use super::field::Field;
use super::format::{self, FormatSection};
use super::opening_choice::{self, OpeningKeys};
use super::section::Section;
use super::time_control;
use crate::draw_secret::DrawSecret;

/// The seed of an event whose file names none.
pub const DEFAULT_SEED: u64 = 1;
/// The points of the matches of an event whose file names none, in a variant with several targets.
pub const DEFAULT_TARGET: u32 = 3;
/// The highest cube of games for money whose event names none.
pub const DEFAULT_MAX_CUBE: u32 = 1024;
/// The highest cube of all.
pub const HIGHEST_CUBE: u32 = 32_768;
/// The most matches that are played at the same time.
pub const MAX_CONCURRENCY: usize = 1024;

/// The table `[event]`; each part is present only if it is valid.
pub(super) struct EventSection<'a> {
    pub(super) name: Option<Name>,
    pub(super) seed: Option<u64>,
    #[expect(
        clippy::option_option,
        reason = "what is wrong and what is not there are two things"
    )]
    pub(super) draw_secret: Option<Option<DrawSecret>>,
    pub(super) rules: Option<MatchRules>,
    pub(super) format: FormatSection<'a>,
    #[expect(
        clippy::option_option,
        reason = "what is wrong and what is not there are two things"
    )]
    pub(super) openings: Option<Option<OpeningKeys<'a>>>,
    #[expect(
        clippy::option_option,
        reason = "what is wrong and what is not there are two things"
    )]
    pub(super) time_control: Option<Option<TimeControl>>,
    pub(super) adjudicate: Option<Field<'a>>,
    pub(super) concurrency: Option<NonZeroUsize>,
    pub(super) affinity: Option<Field<'a>>,
    pub(super) folder: Option<PathBuf>,
}

pub(super) fn read<'a>(section: &Section<'a>) -> EventSection<'a> {
    let name = section.require("name");
    let seed = section.get("seed");
    let draw_secret = section.get("draw_secret");
    let game = section.require("game");
    let variant = section.get("variant");
    let max_cube = section.get("max_cube");
    let target = section.get("target");
    let max_plies = section.get("max_plies");
    let adjudicate = section.get("adjudicate");
    let format = format::read(section);
    let openings = section.get("openings");
    let concurrency = section.get("concurrency");
    let affinity = section.get("affinity");
    let time_control = section.get("time_control");
    let folder = section.get("folder");
    section.refuse_others();

    EventSection {
        name: name.and_then(|field| field.check(Name::new(field.text()?))),
        seed: seed.map_or(Some(DEFAULT_SEED), |field| {
            field.integer(0..=i64::MAX as u64)
        }),
        draw_secret: draw_secret.map_or(Some(None), |field| {
            field.check(field.text()?.parse()).map(Some)
        }),
        rules: adjudicate::read(
            adjudicate.as_ref(),
            read_rules(
                game.as_ref(),
                variant.as_ref(),
                max_cube.as_ref(),
                target.as_ref(),
                max_plies.as_ref(),
            ),
        ),
        adjudicate,
        format,
        openings: openings
            .as_ref()
            .map_or(Some(None), |field| opening_choice::read(field).map(Some)),
        time_control: time_control.as_ref().map_or(Some(None), time_control::read),
        concurrency: concurrency.and_then(|field| read_concurrency(&field)),
        affinity,
        folder: folder.and_then(|field| read_folder(&field)),
    }
}

/// Reads the rules of every match: game, variant with its highest cube, target and limit on plies.
fn read_rules(
    game: Option<&Field<'_>>,
    variant: Option<&Field<'_>>,
    max_cube: Option<&Field<'_>>,
    target: Option<&Field<'_>>,
    max_plies: Option<&Field<'_>>,
) -> Option<MatchRules> {
    let name = game.and_then(Field::text);
    let variant_name = variant.map(Field::text);
    let points = target.map(Field::capped);
    let max_plies = max_plies.map(|field| field.count(1..=MAX_PLIES));
    let (game, name) = (game?, name?);
    let variant_name = match variant_name {
        Some(name) => Some(name?),
        None => None,
    };
    let (variant_name, usual) = match catalogue::find(name) {
        Ok(game) => {
            let capped = limit_cube(game, variant_name, max_cube)?;
            (capped, game.default_target(capped, DEFAULT_TARGET))
        }
        Err(_) => (variant_name, DEFAULT_TARGET),
    };
    let points = points.unwrap_or(Some(usual))?;
    let rules = MatchRules::new(name, variant_name, points);
    if let (Err(InvalidRules::Variant(_)), Some(field)) = (&rules, target)
        && let Err(error @ InvalidRules::Target(_)) = MatchRules::new(name, None, points)
    {
        // So is the target, whatever the variant.
        report_rules(field, &error);
    }
    let rules = rules.map_err(|error| {
        let guilty = match &error {
            InvalidRules::Game(_) => None,
            InvalidRules::Variant(_) => variant,
            InvalidRules::Target(_) => target,
        };
        report_rules(guilty.unwrap_or(game), &error);
    });
    let max_plies = match max_plies {
        Some(most) => Some(most?),
        None => None,
    };
    Some(rules.ok()?.limited_to(max_plies))
}

/// Reports rules that a game does not have, with a target as it is written.
fn report_rules(field: &Field<'_>, error: &InvalidRules) {
    if let InvalidRules::Target(SetupError::BadTarget {
        game,
        variant,
        allowed,
        ..
    }) = error
        && let Some(points) = field.shown()
    {
        field.report(format!(
            "{game} ({variant}) is played to {allowed}, not {points}"
        ));
    } else {
        field.report(error);
    }
}

/// The variant with the highest cube of the event, or with the default one if its cube has no limit by name.
#[expect(
    clippy::option_option,
    reason = "what is wrong and what is not there are two things"
)]
fn limit_cube<'a>(
    game: &Game,
    variant: Option<&'a str>,
    max_cube: Option<&Field<'_>>,
) -> Option<Option<&'a str>> {
    let known = game.variants();
    let name = variant.unwrap_or(known[0].name);
    let is_listed = known.iter().any(|known| known.name == name);
    let Some(field) = max_cube else {
        let usual = game.capped(name, DEFAULT_MAX_CUBE).filter(|_| is_listed);
        return Some(usual.or(variant));
    };
    let cube = field.count(1..=HIGHEST_CUBE)?;
    let problem = match game.capped(name, cube) {
        Some(capped) if is_listed => return Some(Some(capped)),
        Some(_) => format!("the variant {name:?} names the highest cube itself"),
        None if game.capped(name, HIGHEST_CUBE).is_some() => {
            format!("must be a power of two, not {cube}")
        }
        None => format!("{} ({name}) has no cube to limit", game.name),
    };
    field.report(problem);
    None
}

fn read_concurrency(field: &Field<'_>) -> Option<NonZeroUsize> {
    let count = field.integer(1..=MAX_CONCURRENCY as u64)?;
    usize::try_from(count).ok().and_then(NonZeroUsize::new)
}

fn read_folder(field: &Field<'_>) -> Option<PathBuf> {
    let text = field.text()?;
    if text.is_empty() {
        field.report("must name a folder");
        return None;
    }
    Some(PathBuf::from(text))
}
