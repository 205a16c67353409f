use std::path::PathBuf;

use clap::Args;
use dragontooth_bots::builtin::backgammon::LuckError;
use dragontooth_runner_report::{JsonTables, csv, openings_csv};
use dragontooth_runner_tournament::{LuckAdjusted, luck_adjusted};

use super::table_format::TableFormat;
use super::{Failure, arena, cannot_run, past_run, print, usage, verdict};
use crate::exit_code::RunnerExit;
use crate::record::Cover;
use crate::reports::{PastRun, UnknownLuck, read_luck, read_thinking};

#[derive(Debug, Args)]
pub(super) struct Table {
    /// The folder of the run.
    folder: PathBuf,
    /// The output format.
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    format: TableFormat,
    /// Add the results of a Backgammon event without the luck in the dice, computed from the records in some
    /// milliseconds a game.
    #[arg(long)]
    luck: bool,
    /// Of an arena, the table after its first N matches.
    #[arg(long, value_name = "N")]
    at: Option<u64>,
    /// Also write the faults as JUnit XML to this file.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// Prints the tables of a run.
pub(super) fn run(arguments: &Table) -> Result<RunnerExit, Failure> {
    if let Some(event) = arena::event_in(&arguments.folder) {
        if arguments.luck || arguments.junit.is_some() {
            return Err(usage(NotOfAnArena));
        }
        let most = arguments.at.unwrap_or(u64::MAX);
        return arena::table(&arguments.folder, &event, arguments.format, most);
    }
    if arguments.at.is_some() || arguments.format == TableFormat::Pgn {
        return Err(usage(OfAnArena));
    }
    let past = past_run(&arguments.folder, Cover::ALL)?;
    let luck = luck(arguments, &past)?;
    let document = || match &luck {
        Some(luck) => past
            .document()
            .with_luck(&past.schedule, &past.results, luck),
        None => past.document(),
    };
    let text = match arguments.format {
        TableFormat::Text => document().text() + &past.programs_text(),
        TableFormat::Markdown => document().markdown(),
        TableFormat::Json => {
            let matches = Cover::ALL.results;
            let thinking = read_thinking(&arguments.folder, matches).map_err(cannot_run)?;
            let overview = past.overview();
            let tables = JsonTables::new(
                &overview,
                &thinking,
                past.session.map(Into::into),
                past.programs.clone(),
            );
            match &luck {
                Some(luck) => tables.with_luck(&overview, luck).text(),
                None => tables.text(),
            }
        }
        TableFormat::Csv => csv(&past.overview()),
        TableFormat::OpeningsCsv => openings_csv(&past.overview()),
        TableFormat::Pgn => return Err(usage(OfAnArena)),
    };
    if let Some(file) = &arguments.junit {
        past.write_junit(file).map_err(cannot_run)?;
    }
    print(&text)?;
    Ok(verdict(&past.schedule, &past.results))
}

/// The results without the luck in the dice, if they are wanted.
fn luck(arguments: &Table, past: &PastRun) -> Result<Option<Vec<Option<LuckAdjusted>>>, Failure> {
    if !arguments.luck {
        return Ok(None);
    }
    match arguments.format {
        TableFormat::Text | TableFormat::Json | TableFormat::Markdown => {}
        TableFormat::Csv | TableFormat::OpeningsCsv | TableFormat::Pgn => {
            return Err(usage(LuckAsValues));
        }
    }
    let luck = read_luck(&arguments.folder, past).map_err(|error| match error {
        UnknownLuck::Match {
            source: LuckError::Game(_),
            ..
        } => usage(error),
        UnknownLuck::Match {
            source: LuckError::Record { .. },
            ..
        }
        | UnknownLuck::Report(_)
        | UnknownLuck::NoRecord(_) => cannot_run(error),
    })?;
    Ok(Some(luck_adjusted(&past.schedule, &past.results, &luck)))
}

/// The luck is wanted in a format that has no place for it.
#[derive(Debug, thiserror::Error)]
#[error("--luck is for text, json and markdown")]
struct LuckAsValues;

/// Something is wanted of a run that only an arena has.
#[derive(Debug, thiserror::Error)]
#[error("--at and --format pgn are for an arena")]
struct OfAnArena;

/// Something is wanted of an arena that it does not have.
#[derive(Debug, thiserror::Error)]
#[error("--luck and --junit are for events with a schedule, not for an arena")]
struct NotOfAnArena;
