//! Values in the rows that the database sends.

use dragontooth_service_store::{ReadError, StorageError, StreamId};
use dragontooth_service_vocabulary::Sequence;
use tokio_postgres::{Error, Row};
use uuid::Uuid;

pub(crate) fn uuid(stream: StreamId) -> Uuid {
    Uuid::from_bytes(stream.0)
}

pub(crate) fn stream(row: &Row, at: usize) -> Result<StreamId, ReadError> {
    let id: Uuid = row.try_get(at).map_err(unfit)?;
    Ok(StreamId(id.into_bytes()))
}

pub(crate) fn sequence(row: &Row, at: usize) -> Result<Sequence, ReadError> {
    let sequence: i64 = row.try_get(at).map_err(unfit)?;
    Ok(Sequence(sequence.cast_unsigned()))
}

/// A count, which is never negative.
pub(crate) fn count(row: &Row, at: usize) -> Result<usize, ReadError> {
    let count: i64 = row.try_get(at).map_err(unfit)?;
    Ok(usize::try_from(count).unwrap_or_default())
}

pub(crate) fn clamped(limit: usize, most: usize) -> i64 {
    i64::try_from(limit.min(most)).unwrap_or(i64::MAX)
}

pub(crate) fn unfit(error: Error) -> ReadError {
    ReadError::Storage(StorageError::new("read what the database has sent", error))
}
