use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgGroup, Args};
use dragontooth_service_postgres::{PostgresRestoreError, restore_to_postgres};
use dragontooth_service_store::{BackupCounts, StreamId, restore};
use dragontooth_service_vocabulary::Sequence;

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
    /// The folder of the new event log: empty, or not there. Not used if `--log` is given.
    #[arg(long, env = "DRAGONTOOTH_DATA")]
    data: Option<PathBuf>,
    #[command(flatten)]
    database: Database,
}

/// The backup was not restored.
#[derive(Debug, thiserror::Error)]
#[error("cannot restore {}", file.display())]
struct NotRestored {
    file: PathBuf,
    source: PostgresRestoreError,
}

pub(super) fn run(arguments: &Restore) -> ExitCode {
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(EXIT_NOT_STARTED, &error),
    };
    match runtime.block_on(restore_all(arguments)) {
        Ok((counts, damaged)) => report("restored", counts, &damaged),
        Err(source) => {
            let file = arguments.from.clone();
            fail(EXIT_NOT_STARTED, &NotRestored { file, source })
        }
    }
}

/// Restores what is sound, and returns its counts and what is damaged.
async fn restore_all(
    arguments: &Restore,
) -> Result<(BackupCounts, Vec<(StreamId, Sequence)>), PostgresRestoreError> {
    let offline = OfflineLog::of(arguments.data.as_deref(), &arguments.database);
    Ok(match offline.expect("the command line has one of them") {
        OfflineLog::Folder(folder) => restore(&arguments.from, &folder).await?,
        OfflineLog::Postgres(options) => restore_to_postgres(&arguments.from, &options).await?,
    })
}
