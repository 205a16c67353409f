//! The queries of a log, besides its appends and its catalogue.

use std::collections::HashMap;

use dragontooth_service_store::{
    MAX_READ_RECORDS, MAX_READ_STREAMS, NumberedRecords, ReadError, RecordsOfStreams, StorageError,
    StreamId, VisitedStream,
};
use dragontooth_service_vocabulary::{Sequence, Timestamp};
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::{
    reader::Reader,
    rows::{clamped, sequence, stream, unfit, uuid},
};

/// The streams that are visited by one query: far fewer than its time limit allows.
const VISITED_AT_ONCE: i64 = 10_000;

impl Reader {
    pub(crate) async fn records(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> Result<NumberedRecords, ReadError> {
        let Ok(from) = i64::try_from(after.0) else {
            return Ok(Vec::new());
        };
        let (id, limit) = (uuid(stream), clamped(limit, MAX_READ_RECORDS));
        let rows = self.query(
                "SELECT seq, record FROM dragontooth.event WHERE stream = $1 AND seq > $2 ORDER BY seq LIMIT $3",
                &[(&id, Type::UUID), (&from, Type::INT8), (&limit, Type::INT8)],
            )
            .await
            .map_err(ReadError::Storage)?;
        let mut expected = after;
        let mut records = Vec::with_capacity(rows.len());
        for row in rows {
            let sequence = sequence(&row, 0)?;
            expected = expected.next();
            if sequence != expected {
                return Err(ReadError::Gap {
                    stream,
                    expected,
                    found: sequence,
                });
            }
            records.push((sequence, row.try_get(1).map_err(unfit)?));
        }
        Ok(records)
    }

    pub(crate) async fn records_of(
        &self,
        after: Vec<(StreamId, Sequence)>,
        limit: usize,
    ) -> Result<RecordsOfStreams, ReadError> {
        let ids: Vec<_> = after.iter().map(|(stream, _)| uuid(*stream)).collect();
        let from: Vec<_> = after.iter().map(|(_, from)| from.0.cast_signed()).collect();
        let limit = clamped(limit, MAX_READ_RECORDS);
        let rows = self.query(
                "SELECT e.stream, e.seq, e.record FROM unnest($1, $2) AS w (id, after) CROSS JOIN LATERAL \
                    (SELECT stream, seq, record FROM dragontooth.event WHERE stream = w.id AND seq > w.after \
                        ORDER BY seq LIMIT $3) e",
                &[
                    (&ids, Type::UUID_ARRAY),
                    (&from, Type::INT8_ARRAY),
                    (&limit, Type::INT8),
                ],
            )
            .await
            .map_err(ReadError::Storage)?;
        let mut last: HashMap<_, _> = after.into_iter().collect();
        let mut records = RecordsOfStreams::with_capacity(last.len());
        for row in rows {
            let (stream, found) = (stream(&row, 0)?, sequence(&row, 1)?);
            let last = last.entry(stream).or_default();
            let expected = last.next();
            let of_stream = records.entry(stream).or_insert_with(|| Ok(Vec::new()));
            match of_stream {
                Ok(records) if found == expected => {
                    *last = found;
                    records.push((found, row.try_get(2).map_err(unfit)?));
                }
                Ok(_) => {
                    *of_stream = Err(ReadError::Gap {
                        stream,
                        expected,
                        found,
                    });
                }
                Err(_) => {}
            }
        }
        Ok(records)
    }

    pub(crate) async fn head(&self, stream: StreamId) -> Result<Sequence, ReadError> {
        let id = uuid(stream);
        let rows = self
            .query(
                "SELECT head FROM dragontooth.stream WHERE id = $1",
                &[(&id, Type::UUID)],
            )
            .await
            .map_err(ReadError::Storage)?;
        rows.first()
            .map_or(Ok(Sequence::START), |row| sequence(row, 0))
    }

    pub(crate) async fn heads(
        &self,
        streams: Vec<StreamId>,
    ) -> Result<HashMap<StreamId, Sequence>, ReadError> {
        let ids: Vec<_> = streams.into_iter().map(uuid).collect();
        let text = "SELECT s.id, s.head FROM unnest($1) AS w (id) CROSS JOIN LATERAL \
            (SELECT id, head FROM dragontooth.stream WHERE id = w.id) s";
        let rows = self.query(text, &[(&ids, Type::UUID_ARRAY)]).await;
        let mut heads = HashMap::with_capacity(ids.len());
        for row in rows.map_err(ReadError::Storage)? {
            heads.insert(stream(&row, 0)?, sequence(&row, 1)?);
        }
        Ok(heads)
    }

    pub(crate) async fn summaries(
        &self,
        streams: Vec<StreamId>,
    ) -> Result<HashMap<StreamId, Vec<u8>>, ReadError> {
        let ids: Vec<_> = streams.into_iter().map(uuid).collect();
        let text = "SELECT s.stream, s.summary FROM unnest($1) AS w (id) CROSS JOIN LATERAL \
            (SELECT stream, summary FROM dragontooth.summary WHERE stream = w.id AND summary IS NOT NULL) s";
        let rows = self.query(text, &[(&ids, Type::UUID_ARRAY)]).await;
        let mut summaries = HashMap::with_capacity(ids.len());
        for row in rows.map_err(ReadError::Storage)? {
            summaries.insert(stream(&row, 0)?, row.try_get(1).map_err(unfit)?);
        }
        Ok(summaries)
    }

    pub(crate) async fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> Result<Vec<(StreamId, Sequence)>, ReadError> {
        let (after, limit) = (after.map(uuid), clamped(limit, MAX_READ_STREAMS));
        let limit = (&limit as _, Type::INT8);
        let rows = if let Some(after) = &after {
            let text = "SELECT id, head FROM dragontooth.stream WHERE id > $2 ORDER BY id LIMIT $1";
            self.query(text, &[limit, (after, Type::UUID)]).await
        } else {
            let text = "SELECT id, head FROM dragontooth.stream ORDER BY id LIMIT $1";
            self.query(text, &[limit]).await
        };
        let mut streams = Vec::new();
        for row in rows.map_err(ReadError::Storage)? {
            streams.push((stream(&row, 0)?, sequence(&row, 1)?));
        }
        Ok(streams)
    }

    pub(crate) async fn summary(&self, stream: StreamId) -> Result<Option<Vec<u8>>, ReadError> {
        let id = uuid(stream);
        let rows = self
            .query(
                "SELECT summary FROM dragontooth.summary WHERE stream = $1",
                &[(&id, Type::UUID)],
            )
            .await
            .map_err(ReadError::Storage)?;
        rows.first()
            .map_or(Ok(None), |row| row.try_get(0).map_err(unfit))
    }

    pub(crate) async fn keep_summary(
        &self,
        stream: StreamId,
        summary: Option<Vec<u8>>,
    ) -> Result<(), StorageError> {
        let id = uuid(stream);
        let id = (&id as _, Type::UUID);
        let written = if let Some(summary) = &summary {
            let text = "INSERT INTO dragontooth.summary (stream, summary) VALUES ($1, $2) \
                ON CONFLICT (stream) DO UPDATE SET summary = excluded.summary";
            self.query(text, &[id, (summary, Type::BYTEA)]).await
        } else {
            // The match is examined again at the next start.
            let text = "WITH gone AS (DELETE FROM dragontooth.summary WHERE stream = $1) \
                UPDATE dragontooth.stream SET stage = 0 WHERE id = $1 AND stage = 3";
            self.query(text, &[id]).await
        };
        written.map(drop)
    }

    /// Only those that the catalogue does not know: after a restore, and after the step to the format that has it.
    pub(crate) async fn visit_unlisted(
        &self,
        each: &mut (dyn FnMut(VisitedStream<'_>) + Send),
    ) -> Result<(), ReadError> {
        let mut next = Some(Uuid::nil());
        while let Some(from) = next {
            let rows = self.query(
                    "SELECT id, head FROM dragontooth.stream WHERE stage = 0 AND id >= $1 ORDER BY id LIMIT $2",
                    &[(&from, Type::UUID), (&VISITED_AT_ONCE, Type::INT8)],
                )
                .await
                .map_err(ReadError::Storage)?;
            next = None;
            for row in rows {
                let (stream, head) = (stream(&row, 0)?, sequence(&row, 1)?);
                next = uuid(stream).as_u128().checked_add(1).map(Uuid::from_u128);
                let brief = None;
                each(VisitedStream {
                    stream,
                    head,
                    brief,
                });
            }
        }
        Ok(())
    }

    pub(crate) async fn reserve(
        &self,
        name: &[u8],
        fresh: StreamId,
    ) -> Result<StreamId, StorageError> {
        let fresh = uuid(fresh);
        // It is durable when it is returned: an append to the stream that is repeated after a crash must not outlive its name.
        let text = "INSERT INTO dragontooth.name AS n (name, stream) SELECT $1, $2 \
            WHERE set_config('synchronous_commit', 'on', true) = 'on' ON CONFLICT (name) DO UPDATE SET stream = n.stream RETURNING stream";
        let parameters = [(&name as _, Type::BYTEA), (&fresh as _, Type::UUID)];
        let rows = self.query(text, &parameters).await?;
        Ok(stream_of_name(&rows)?.unwrap_or(StreamId(fresh.into_bytes())))
    }

    pub(crate) async fn reserved(&self, name: &[u8]) -> Result<Option<StreamId>, StorageError> {
        let text = "SELECT stream FROM dragontooth.name WHERE name = $1";
        let rows = self.query(text, &[(&name as _, Type::BYTEA)]).await?;
        stream_of_name(&rows)
    }

    pub(crate) async fn secret_key(&self, fresh: [u8; 32]) -> Result<[u8; 32], StorageError> {
        let fresh = &fresh[..];
        let rows = self
            .query(
                // As a name, it is durable when it is returned.
                "UPDATE dragontooth.log SET secret_key = coalesce(secret_key, $1) \
                    WHERE set_config('synchronous_commit', 'on', true) = 'on' RETURNING secret_key",
                &[(&fresh, Type::BYTEA)],
            )
            .await?;
        let key = rows.first().map(|row| row.try_get::<_, &[u8]>(0));
        let key = key
            .transpose()
            .map_err(|error| StorageError::new("read the secret key", error))?;
        let key = key.and_then(|key| key.try_into().ok());
        key.ok_or_else(|| {
            let missing = std::io::Error::from(std::io::ErrorKind::InvalidData);
            StorageError::new("read the secret key", missing)
        })
    }
    pub(crate) async fn time(&self) -> Result<Option<Timestamp>, StorageError> {
        let text = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8";
        let rows = self.query(text, &[]).await?;
        let micros = rows.first().map(|row| row.try_get::<_, i64>(0)).transpose();
        let micros = micros.map_err(|error| StorageError::new("read the time", error))?;
        Ok(micros.map(|micros| Timestamp::from_micros(micros.unsigned_abs())))
    }
}

/// The stream in the row of a name; `None` without a row.
fn stream_of_name(rows: &[Row]) -> Result<Option<StreamId>, StorageError> {
    let stream = rows.first().map(|row| row.try_get::<_, Uuid>(0));
    let stream = stream
        .transpose()
        .map_err(|error| StorageError::new("read the stream of a name", error))?;
    Ok(stream.map(|stream| StreamId(stream.into_bytes())))
}
