use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgGroup, Args};
use dragontooth_service_client::Client;
use dragontooth_service_postgres::{PostgresError, PostgresLog, PostgresOptions};
use dragontooth_service_store::{EventLog, OpenError, SledLog, is_empty_folder};

use super::database::Database;
use super::service_location::{ConnectError, ServiceLocation};

/// The location of the event log: a folder, a database, or a running service.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("place").args(["data", "address", "server"])))]
pub(super) struct LogLocation {
    /// The data folder of a service that does not run.
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    service: ServiceLocation,
}

/// The event log of a service that does not run.
#[derive(Debug)]
pub(super) enum OfflineLog {
    Folder(PathBuf),
    Postgres(PostgresOptions),
}

/// The event log of a service that does not run cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum OfflineLogError {
    #[error("there is no event log in {}", .0.display())]
    Missing(PathBuf),
    #[error("cannot open the event log")]
    Folder(#[from] OpenError),
    #[error("cannot open the event log")]
    Postgres(#[from] PostgresError),
}

impl OfflineLog {
    /// A folder, or the database if one is named.
    pub(super) fn of(folder: Option<&Path>, database: &Database) -> Option<Self> {
        let database = database.options().map(Self::Postgres);
        database.or_else(|| folder.map(|folder| Self::Folder(folder.to_owned())))
    }

    /// Opens a log that is there.
    pub(super) async fn open(&self) -> Result<Arc<dyn EventLog>, OfflineLogError> {
        Ok(match self {
            Self::Folder(folder) if !may_hold_log(folder) => {
                return Err(OfflineLogError::Missing(folder.clone()));
            }
            Self::Folder(folder) => Arc::new(SledLog::open(folder)?),
            Self::Postgres(options) => Arc::new(PostgresLog::open_existing(options).await?),
        })
    }
}

impl LogLocation {
    /// The log, unless it is that of a running service.
    pub(super) fn offline(&self) -> Option<OfflineLog> {
        OfflineLog::of(self.data.as_deref(), &self.database)
    }

    /// Connects to the service.
    pub(super) async fn connect(&self) -> Result<Client, ConnectError> {
        let connected = self.service.connect().await;
        if matches!(connected, Err(ConnectError::NoService)) {
            return Err(ConnectError::NoPlace);
        }
        connected
    }
}

/// Returns true if a folder may hold an event log: it exists and is not empty. Opening an empty one would begin
/// a log there, and a disk that is not mounted would look sound.
fn may_hold_log(folder: &Path) -> bool {
    folder.is_dir() && !is_empty_folder(folder).unwrap_or(false)
}
