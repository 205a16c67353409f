use std::path::PathBuf;

use clap::{Args, ValueEnum};
use dragontooth_runner_report::{Document, JsonTables, csv};

use super::past_run::PastRun;
use super::report::read_played;
use super::{Failure, print, verdict};
use crate::exit_code::Exit;

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
    /// A page in Markdown.
    Markdown,
}

/// Prints the tables of a run.
pub(super) fn run(arguments: &Table) -> Result<Exit, Failure> {
    let past = PastRun::read(&arguments.folder)?;
    let document = || Document::new(&past.schedule, &past.results);
    let text = match arguments.format {
        Format::Text => document().text() + &past.programs()?,
        Format::Markdown => document().markdown(),
        Format::Json => {
            let (_, thinking) = read_played(&arguments.folder, &[])?;
            let overview = past.overview();
            JsonTables::new(
                &overview,
                &thinking,
                past.session.map(Into::into),
                past.program_totals()?,
            )
            .text()
        }
        Format::Csv => csv(&past.overview()),
    };
    if let Some(file) = &arguments.junit {
        past.write_junit(file)?;
    }
    print(&text)?;
    Ok(verdict(&past.schedule, &past.results))
}
