use std::path::PathBuf;

use clap::{Args, ValueEnum};
use dragontooth_runner_report::{JsonTables, csv, openings_csv};

use super::{Failure, cannot_run, past_run, print, verdict};
use crate::exit_code::RunnerExit;
use crate::record::Cover;
use crate::reports::read_thinking;

#[derive(Debug, Args)]
pub(super) struct Table {
    /// The folder of the run.
    folder: PathBuf,
    /// In what form they are printed.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the faults as JUnit XML into this file, too.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// The form of tables.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// One JSON object.
    Json,
    /// Comma-separated values: a line a bot.
    Csv,
    /// Comma-separated values: a line an opening.
    OpeningsCsv,
    /// A page in Markdown.
    Markdown,
}

/// Prints the tables of a run.
pub(super) fn run(arguments: &Table) -> Result<RunnerExit, Failure> {
    let past = past_run(&arguments.folder, Cover::ALL)?;
    let document = || past.document();
    let text = match arguments.format {
        Format::Text => document().text() + &past.programs_text(),
        Format::Markdown => document().markdown(),
        Format::Json => {
            let matches = Cover::ALL.results;
            let thinking = read_thinking(&arguments.folder, matches).map_err(cannot_run)?;
            let overview = past.overview();
            JsonTables::new(
                &overview,
                &thinking,
                past.session.map(Into::into),
                past.programs.clone(),
            )
            .text()
        }
        Format::Csv => csv(&past.overview()),
        Format::OpeningsCsv => openings_csv(&past.overview()),
    };
    if let Some(file) = &arguments.junit {
        past.write_junit(file).map_err(cannot_run)?;
    }
    print(&text)?;
    Ok(verdict(&past.schedule, &past.results))
}
