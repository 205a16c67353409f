use std::path::{Path, PathBuf};

use clap::Args;

use super::past_run::PastRun;
use super::{Failure, cannot_run};
use crate::exit_code::Exit;
use crate::record::write_whole;
use crate::report::{MatchPages, Sources, report_page};

#[derive(Debug, Args)]
pub(super) struct Report {
    /// The folder of the run.
    folder: PathBuf,
    /// The file of the report, instead of `report.html` in the folder.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the report of a run.
pub(super) fn run(arguments: &Report) -> Result<Exit, Failure> {
    let past = PastRun::read(&arguments.folder)?;
    let in_folder = || arguments.folder.join("report.html");
    let file = arguments.output.clone().unwrap_or_else(in_folder);
    write(&past, &file)?;
    Ok(Exit::Success)
}

/// Writes the report of a run into a file.
pub(super) fn write(past: &PastRun, file: &Path) -> Result<(), Failure> {
    let overview = past.overview();
    let page = report_page(&Sources {
        overview: &overview,
        accounts: &past.accounts,
        manifest: &past.manifest.text(),
        pages: &MatchPages::default(),
    });
    write_whole(file, &page).map_err(cannot_run)
}
