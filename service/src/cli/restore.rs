use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use dragontooth_service_store::{check_backup, restore};

use super::EXIT_NOT_STARTED;
use super::backup::report;
use super::output::fail;

/// The arguments of `restore`.
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// The backup.
    #[arg(long)]
    from: PathBuf,
    /// The folder of the new event log: empty, or not there.
    #[arg(long, env = "DRAGONTOOTH_DATA")]
    data: PathBuf,
}

pub(super) fn run(arguments: &Restore) -> ExitCode {
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(EXIT_NOT_STARTED, &error),
    };
    let damaged = match check_backup(&arguments.from) {
        Ok((_, damaged)) => damaged,
        Err(error) => return fail(EXIT_NOT_STARTED, &error),
    };
    match runtime.block_on(restore(&arguments.from, &arguments.data)) {
        Ok(counts) => report("restored", counts, &damaged),
        Err(error) => fail(EXIT_NOT_STARTED, &error),
    }
}
