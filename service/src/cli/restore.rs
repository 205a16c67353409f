use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgGroup, Args};
use dragontooth_service_postgres::{PostgresRestoreError, restore_to_postgres};
use dragontooth_service_store::{check_backup, restore};

use super::EXIT_NOT_STARTED;
use super::backup::report;
use super::database::Database;
use super::log_location::OfflineLog;
use super::output::fail;

/// The arguments of `restore`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("log").required(true).multiple(true).args(["data", "address"]))]
pub(super) struct Restore {
    /// The backup.
    #[arg(long)]
    from: PathBuf,
    /// The folder of the new event log: empty, or not there. A database that is named goes before it.
    #[arg(long, env = "DRAGONTOOTH_DATA")]
    data: Option<PathBuf>,
    #[command(flatten)]
    database: Database,
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
    let offline = OfflineLog::of(arguments.data.as_deref(), &arguments.database);
    let restored = match offline.expect("the command line has one of them") {
        OfflineLog::Folder(folder) => runtime
            .block_on(restore(&arguments.from, &folder))
            .map_err(PostgresRestoreError::from),
        OfflineLog::Postgres(options) => {
            runtime.block_on(restore_to_postgres(&arguments.from, &options))
        }
    };
    match restored {
        Ok(counts) => report("restored", counts, &damaged),
        Err(error) => fail(EXIT_NOT_STARTED, &error),
    }
}
