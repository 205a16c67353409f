use std::path::{Path, PathBuf};

use clap::Args;
use dragontooth_runner_report::{DEFAULT_PAGES, MAX_PAGES};

use super::{Failure, arena, cannot_run, look, past_run_with_luck, say, usage};
use crate::exit_code::RunnerExit;
use crate::record::{Cover, Seal, try_whole};
use crate::reports::{Covered, PAGE, PastRun, ReportsLock, publish, render_page, write_file};

#[derive(Debug, Args)]
pub(super) struct Report {
    /// The folder of the run.
    folder: PathBuf,
    /// The file of the report, instead of `report.html` in the folder. Its folder must exist.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Compute the results of a Backgammon event without the luck in the dice, in a few milliseconds per game, also for more
    /// than 50000 actions.
    #[arg(long)]
    luck: bool,
    #[command(flatten)]
    pages: Pages,
}

/// The luck of an arena is wanted.
#[derive(Debug, thiserror::Error)]
#[error("--luck is for events with a schedule, not for an arena")]
struct NotOfAnArena;

#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Pages {
    /// Number of matches with a page of their own in the report, those with faults first; at most
    /// 10000.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PAGES, value_parser = pages, allow_negative_numbers = true)]
    pages: usize,
}

/// Writes the reports of a run.
pub(super) fn run(arguments: &Report) -> Result<RunnerExit, Failure> {
    let folder = &arguments.folder;
    let exit = write(arguments)?;
    let usual = folder.join(PAGE);
    let written = arguments.output.as_ref().unwrap_or(&usual);
    say(&format!("wrote {}", written.display()));
    Ok(exit)
}

fn write(arguments: &Report) -> Result<RunnerExit, Failure> {
    let folder = &arguments.folder;
    if let Some(file) = &arguments.output {
        // Before the pages of matches, whose folder would be blamed.
        try_whole(file).map_err(cannot_run)?;
    }
    if let Some(event) = arena::event_in(folder) {
        if arguments.luck {
            return Err(usage(NotOfAnArena));
        }
        return arena::report(folder, &event, arguments.output.as_deref());
    }
    look(folder)?;
    let Some(file) = &arguments.output else {
        // Before the files are read, so that the last reports are those of the most lines.
        let lock = ReportsLock::to_write(folder).map_err(cannot_run)?;
        let (past, covered) = read(arguments)?;
        publish(&lock, &past, &covered).map_err(cannot_run)?;
        return Ok(RunnerExit::Success);
    };
    let (past, covered) = read(arguments)?;
    let beside = file.parent().unwrap_or(Path::new(""));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let written = render_page(folder, &past, &covered, &name, &mut |place, text| {
        write_file(&beside.join(place), text)
    });
    written.map_err(cannot_run)?;
    Ok(RunnerExit::Success)
}

/// Reads the run as it is now, and tells what of it a report covers.
fn read(arguments: &Report) -> Result<(PastRun, Covered), Failure> {
    let folder = &arguments.folder;
    // A run in progress adds lines meanwhile.
    let lines = Seal::of(folder, Cover::ALL).map_err(cannot_run)?.cover();
    let covered = arguments.pages.covered(lines).with_luck(arguments.luck);
    Ok((past_run_with_luck(folder, lines, arguments.luck)?, covered))
}

impl Pages {
    /// The cover of reports with this number of pages.
    pub(super) fn covered(self, lines: Cover) -> Covered {
        Covered::new(lines, self.pages)
    }
}

fn pages(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number <= MAX_PAGES);
    number.ok_or_else(|| format!("must be from 0 to {MAX_PAGES}"))
}
