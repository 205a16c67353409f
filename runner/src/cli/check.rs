use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::{Failure, cannot_run, print, say, usage};
use crate::config::RunConfig;
use crate::drive::{self, PreflightVerdict};
use crate::exit_code::RunnerExit;

#[derive(Debug, Args)]
pub(super) struct Check {
    /// The file that describes the event.
    file: PathBuf,
    /// The number of matches that each bot plays at the same time.
    #[arg(long, default_value = "4", value_parser = super::concurrency)]
    matches: NonZeroUsize,
    /// The folder for the output of programs, instead of the run directory's name with `.check`
    /// appended.
    #[arg(long)]
    logs: Option<PathBuf>,
}

pub(super) fn run(what: &Check) -> Result<RunnerExit, Failure> {
    let config = RunConfig::load(&what.file).map_err(usage)?;
    config.opening_notes().iter().for_each(|text| say(text));
    let usual = || {
        let mut folder = config.run_folder().into_os_string();
        folder.push(".check");
        folder.into()
    };
    let logs = what.logs.clone().unwrap_or_else(usual);
    let runtime = tokio::runtime::Runtime::new().map_err(cannot_run)?;
    let stop = runtime.block_on(async { super::stop_signal() });
    let stop = stop.map_err(cannot_run)?;
    let mut told = Ok(());
    let tell = |verdict: &PreflightVerdict| {
        let printed = print(&format!("{verdict}\n"));
        if told.is_ok() {
            told = printed;
        }
    };
    let checked = runtime.block_on(async {
        tokio::select! {
            checked = drive::check(&config, &logs, what.matches, tell) => Some(checked),
            () = stop => None,
        }
    });
    runtime.shutdown_background();
    told?;
    match checked.transpose().map_err(cannot_run)? {
        None => Ok(RunnerExit::Interrupted),
        Some(true) => Ok(RunnerExit::Success),
        Some(false) => {
            if logs.is_dir() {
                let place = logs.display();
                print(&format!("what the programs wrote is in {place}\n"))?;
            }
            Ok(RunnerExit::Faults)
        }
    }
}
