use std::path::PathBuf;

use clap::Args;
use dragontooth_runner_report::{JsonTables, csv, openings_csv};

use super::table_format::TableFormat;
use super::{Failure, arena, cannot_run, past_run, past_run_with_luck, print, usage, verdict};
use crate::exit_code::RunnerExit;
use crate::record::Cover;
use crate::reports::read_thinking;

#[derive(Debug, Args)]
pub(super) struct Table {
    /// The folder of the run.
    folder: PathBuf,
    /// The output format.
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    format: TableFormat,
    /// Compute the results of a Backgammon event without the luck in the dice, in a few milliseconds per game, also for more
    /// than 50000 actions.
    #[arg(long)]
    luck: bool,
    /// Of an arena, the table after its first N matches.
    #[arg(long, value_name = "N", value_parser = whole_number)]
    at: Option<u64>,
    /// Also write the faults as JUnit XML to this file.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// Prints the tables of a run.
pub(super) fn run(arguments: &Table) -> Result<RunnerExit, Failure> {
    if let Some(event) = arena::event_in(&arguments.folder) {
        if arguments.luck {
            return Err(usage(NotOfAnArena("--luck")));
        }
        if arguments.junit.is_some() {
            return Err(usage(NotOfAnArena("--junit")));
        }
        return arena::table(&arguments.folder, &event, arguments.format, arguments.at);
    }
    if arguments.at.is_some() || arguments.format == TableFormat::Pgn {
        return Err(usage(OfAnArena));
    }
    let past = match arguments.format {
        TableFormat::OpeningsCsv if arguments.luck => return Err(usage(NoPlaceForLuck)),
        TableFormat::OpeningsCsv => past_run(&arguments.folder, Cover::ALL)?,
        TableFormat::Text
        | TableFormat::Json
        | TableFormat::Csv
        | TableFormat::Markdown
        | TableFormat::Pgn => past_run_with_luck(&arguments.folder, Cover::ALL, arguments.luck)?,
    };
    let text = match arguments.format {
        TableFormat::Text => past.document().text() + &past.programs_text(),
        TableFormat::Markdown => past.document().markdown(),
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
            tables.with_luck(&overview, &past.luck).text()
        }
        TableFormat::Csv => csv(&past.overview(), &past.luck),
        TableFormat::OpeningsCsv => openings_csv(&past.overview()),
        TableFormat::Pgn => return Err(usage(OfAnArena)),
    };
    if let Some(file) = &arguments.junit {
        past.write_junit(file).map_err(cannot_run)?;
    }
    print(&text)?;
    Ok(verdict(&past.schedule, &past.results))
}

fn whole_number(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "must be a whole number")
}

/// The luck is wanted in a format that has no place for it.
#[derive(Debug, thiserror::Error)]
#[error("--luck is not for openings-csv")]
struct NoPlaceForLuck;

/// Something is wanted of a run that only an arena has.
#[derive(Debug, thiserror::Error)]
#[error("--at and --format pgn are for an arena")]
struct OfAnArena;

/// Something is wanted of an arena that it does not have.
#[derive(Debug, thiserror::Error)]
#[error("{0} is for events with a schedule, not for an arena")]
struct NotOfAnArena(&'static str);
