//! The state of the log.

use dragontooth_service_store::{AppendError, StorageError};

/// The state of the log, for all who use it.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// The database takes appends. Since a service was connected to it, it has acknowledged a commit.
    Here,
    /// It is away for a while.
    Away(StorageError),
    /// It belongs to someone else now.
    Failed(StorageError),
}

impl Condition {
    /// The answer to an append that is not begun.
    pub(crate) fn check(&self) -> Result<(), AppendError> {
        match self {
            Self::Here => Ok(()),
            Self::Away(error) => Err(AppendError::Unavailable(error.clone())),
            Self::Failed(error) => Err(AppendError::Failed(error.clone())),
        }
    }

    /// The answer to a read that is not begun.
    pub(crate) fn check_to_read(&self) -> Result<(), StorageError> {
        match self {
            Self::Here => Ok(()),
            Self::Away(error) | Self::Failed(error) => Err(error.clone()),
        }
    }
}
