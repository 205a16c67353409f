use std::sync::OnceLock;

use tokio::sync::watch;

use crate::StorageError;

/// Whether the storage has failed, and how: set once and never taken back.
#[derive(Debug)]
pub(super) struct Failure {
    error: OnceLock<StorageError>,
    // Holds the fact and not a moment: who asks later sees it too.
    told: watch::Sender<bool>,
}

impl Failure {
    pub(super) fn new() -> Self {
        Self {
            error: OnceLock::new(),
            told: watch::Sender::new(false),
        }
    }

    pub(super) fn get(&self) -> Option<&StorageError> {
        self.error.get()
    }

    /// Sets it; the first one counts.
    pub(super) fn set(&self, error: StorageError) {
        let _ = self.error.set(error);
        self.told.send_replace(true);
    }

    /// Ready once it is set.
    pub(super) async fn wait(&self) {
        // The sender lives as long as this.
        let _ = self.told.subscribe().wait_for(|failed| *failed).await;
    }
}
