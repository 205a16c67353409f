//! The way of a backup into a database.

use std::{path::Path, sync::Arc};

use dragontooth_service_store::{
    BackupCounts, EventLog, RestoreError, StreamId, check_backup, copy_backup,
};
use dragontooth_service_vocabulary::Sequence;

use crate::{
    PostgresError, PostgresOptions, log::PostgresLog, session::Connector,
    writer_session::WriterSession,
};

const MARK: &str = "UPDATE dragontooth.log SET restoring = true";
const UNMARK: &str = "UPDATE dragontooth.log SET restoring = false";

/// A backup was not restored into a database.
#[derive(Debug, thiserror::Error)]
pub enum PostgresRestoreError {
    /// The database cannot be used.
    #[error("cannot open the event log")]
    Open(#[from] PostgresError),
    /// It has matches or tokens.
    #[error(
        "the database has an event log already; name another one, or drop its schema dragontooth"
    )]
    NotEmpty,
    /// The backup is not whole, or its records cannot be written.
    #[error(transparent)]
    Restore(#[from] RestoreError),
}

/// Restores the backup `file` into a database that has no event log, or an empty one.
///
/// The backup is read to its end before anything is written, and checked again while it is written. The log is marked
/// as unfinished until everything is durable, and does not open meanwhile. Returns what [`check_backup`] does.
///
/// # Errors
///
/// See [`PostgresRestoreError`]. What has been written stays there, marked.
pub async fn restore_to_postgres(
    file: &Path,
    options: &PostgresOptions,
) -> Result<(BackupCounts, Vec<(StreamId, Sequence)>), PostgresRestoreError> {
    let checked = check_backup(file).map_err(RestoreError::from)?;
    let connector = Arc::new(Connector::new(options)?);
    let opened = WriterSession::open_alone(&connector, options.requires_standby).await?;
    let has_any = opened
        .session()
        .query_one("SELECT EXISTS (SELECT FROM dragontooth.stream)", &[])
        .await
        .map_err(PostgresError::from)?;
    if has_any.try_get(0).map_err(PostgresError::from)? {
        return Err(PostgresRestoreError::NotEmpty);
    }
    let marked = opened.session().execute(MARK, &[]).await;
    marked.map_err(PostgresError::from)?;
    let log = PostgresLog::with(Arc::clone(&connector), opened, options, None);
    copy_backup(file, &log).await?;
    log.close().await;
    drop(log);
    // The mark is removed by a connection of its own: the log has closed that which wrote.
    let session = connector.connect().await?;
    session
        .execute(UNMARK, &[])
        .await
        .map_err(PostgresError::from)?;
    Ok(checked)
}
