use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use dragontooth_service_client::Client;

use super::service_location::{ConnectError, ServiceLocation};

/// The location of the event log: a folder, or a running service.
#[derive(Debug, Args)]
pub(super) struct LogLocation {
    /// The data folder of a service that does not run.
    #[arg(long, value_name = "FOLDER", conflicts_with = "server")]
    pub(super) data: Option<PathBuf>,
    #[command(flatten)]
    service: ServiceLocation,
}

impl LogLocation {
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
pub(super) fn may_hold_log(folder: &Path) -> bool {
    folder.is_dir() && fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_some())
}
