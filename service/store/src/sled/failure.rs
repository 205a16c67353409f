use std::sync::OnceLock;

use tokio::sync::watch;

use crate::StorageError;

/// The first failure of the storage, if there was one: set once and never cleared.
#[derive(Debug)]
pub(super) struct Failure {
    error: OnceLock<StorageError>,
    // A `watch` keeps the state, so a caller that subscribes later sees it too.
    has_failed: watch::Sender<bool>,
}

impl Failure {
    pub(super) fn new() -> Self {
        Self {
            error: OnceLock::new(),
            has_failed: watch::Sender::new(false),
        }
    }

    pub(super) fn get(&self) -> Option<&StorageError> {
        self.error.get()
    }

    /// Sets and logs it; later failures are ignored.
    pub(super) fn set(&self, error: StorageError) {
        if self.error.set(error).is_ok() {
            tracing::error!(
                error = self.get().map(|error| error as &dyn std::error::Error),
                "the event log has failed and accepts nothing more"
            );
        }
        self.has_failed.send_replace(true);
    }

    /// Ready once it is set.
    pub(super) async fn wait(&self) {
        // The sender lives as long as this.
        let _ = self.has_failed.subscribe().wait_for(|failed| *failed).await;
    }
}
