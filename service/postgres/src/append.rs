//! The statement that appends, and the answers to it.

use std::collections::HashMap;

use dragontooth_service_store::StreamId;
use dragontooth_service_vocabulary::Sequence;
use tokio_postgres::{Client, Error, Statement, types::Type};
use uuid::Uuid;

use crate::{batch::Pending, session::Session};

/// Appends to many streams, each if it has the head that is expected, and gives the streams that have another.
///
/// The streams come in the order of their ids and are locked in it before any is changed. Lookups in the tables are
/// written so that only an index can serve them, whatever is known of the sizes of the tables.
const APPEND: &str = "
WITH want AS MATERIALIZED (
    SELECT id, expected, head FROM unnest($1::uuid[], $2::int8[], $3::int8[]) AS w (id, expected, head)
), fresh AS (
    INSERT INTO dragontooth.stream (id, head) SELECT id, head FROM want WHERE expected = 0
    ON CONFLICT (id) DO NOTHING RETURNING id
), held AS MATERIALIZED (
    SELECT w.id, w.head FROM want w CROSS JOIN LATERAL (
        SELECT FROM dragontooth.stream s WHERE s.id = w.id AND s.head = w.expected FOR NO KEY UPDATE
    ) s WHERE w.expected > 0
), moved AS (
    UPDATE dragontooth.stream s SET head = held.head FROM held WHERE s.id = held.id RETURNING s.id
), done AS MATERIALIZED (
    SELECT id FROM fresh UNION ALL SELECT id FROM moved
), written AS (
    INSERT INTO dragontooth.event (stream, seq, record)
    SELECT stream, seq, record FROM unnest($4::uuid[], $5::int8[], $6::bytea[]) AS e (stream, seq, record)
    WHERE (stream IN (SELECT id FROM done)) IS TRUE
)
SELECT id FROM want WHERE (id IN (SELECT id FROM done)) IS NOT TRUE";

const HEADS: &str = "SELECT id, head FROM dragontooth.stream WHERE id = ANY($1)";

const RECORDS: &str = "SELECT record FROM dragontooth.event WHERE stream = $1 AND seq > $2 AND seq <= $3 ORDER BY seq";

const BARRIER: &str = "UPDATE dragontooth.log SET barrier = barrier + 1";

/// The settings of a session that writes: no statement of it is cut short, and its plans use the indexes.
pub(crate) const SETTINGS: &str = "SET statement_timeout = 0; SET idle_session_timeout = 0; \
    SET default_transaction_isolation = 'read committed'; SET plan_cache_mode = force_generic_plan; \
    SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off; \
    SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3";

/// The prepared statements of a session that writes.
#[derive(Debug)]
pub(crate) struct Statements {
    append: Statement,
    heads: Statement,
    records: Statement,
    barrier: Statement,
}

/// The fate of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is in the log and durable.
    Appended,
    /// The stream has this head.
    Conflict(Sequence),
    /// The stream reached the expected head only after the look at it.
    TooEarly,
}

impl Statements {
    pub(crate) async fn prepare(client: &Client) -> Result<Self, Error> {
        let types = [
            Type::UUID_ARRAY,
            Type::INT8_ARRAY,
            Type::INT8_ARRAY,
            Type::UUID_ARRAY,
            Type::INT8_ARRAY,
            Type::BYTEA_ARRAY,
        ];
        Ok(Self {
            append: client.prepare_typed(APPEND, &types).await?,
            heads: client.prepare(HEADS).await?,
            records: client.prepare(RECORDS).await?,
            barrier: client.prepare(BARRIER).await?,
        })
    }

    /// Writes a batch and gives the fate of each append, in their order.
    ///
    /// If it `is_repeated`, it may have been written before, in whole or in part: an append whose records are there is
    /// then in the log. All that is given as appended is durable.
    ///
    /// # Errors
    ///
    /// Nothing of this call is in the log if the database says so; otherwise nothing is known.
    pub(crate) async fn write(
        &self,
        session: &Session,
        batch: &[Pending],
        is_repeated: bool,
    ) -> Result<Vec<Fate>, Error> {
        session.take_warning();
        let refused = self.append(session, batch).await?;
        let mut needs_barrier = session.take_warning();
        let mut fates = vec![Fate::Appended; batch.len()];
        let asks = |(at, pending): &(usize, &Pending)| {
            let id = Uuid::from_bytes(pending.stream.0);
            let is_asked = pending.is_question() || refused.binary_search(&id).is_ok();
            is_asked.then_some((*at, id))
        };
        let asked: Vec<_> = batch
            .iter()
            .enumerate()
            .filter_map(|each| asks(&each))
            .collect();
        if !asked.is_empty() {
            let heads = self.heads(session, asked.iter().map(|(_, id)| *id)).await?;
            for (at, _) in asked {
                let pending = &batch[at];
                let head = heads.get(&pending.stream).copied().unwrap_or_default();
                fates[at] = if pending.is_question() {
                    if head == pending.expected {
                        Fate::Appended
                    } else {
                        Fate::Conflict(head)
                    }
                } else if head == pending.expected {
                    Fate::TooEarly
                } else if is_repeated && self.has(session, pending, head).await? {
                    needs_barrier = true;
                    Fate::Appended
                } else {
                    Fate::Conflict(head)
                };
            }
        }
        // A commit is durable, on a standby too, only after all before it are. A warning may mean that the wait for the
        // standby was cancelled, and what was read may wait for it still.
        if needs_barrier {
            session.execute(&self.barrier, &[]).await?;
        }
        Ok(fates)
    }

    /// Returns the streams whose head was not the expected one, in order.
    async fn append(&self, session: &Session, batch: &[Pending]) -> Result<Vec<Uuid>, Error> {
        let written = || batch.iter().filter(|pending| !pending.is_question());
        let count = batch.len();
        let (mut ids, mut expected, mut heads) = (
            Vec::with_capacity(count),
            Vec::with_capacity(count),
            Vec::with_capacity(count),
        );
        let records = written().map(|pending| pending.records.len()).sum();
        let (mut of, mut sequences, mut bytes) = (
            Vec::with_capacity(records),
            Vec::with_capacity(records),
            Vec::<&[u8]>::with_capacity(records),
        );
        for pending in written() {
            let id = Uuid::from_bytes(pending.stream.0);
            let before = pending.expected.0.cast_signed();
            ids.push(id);
            expected.push(before);
            heads.push(pending.head().0.cast_signed());
            for (sequence, record) in (before + 1..).zip(&pending.records) {
                of.push(id);
                sequences.push(sequence);
                bytes.push(record);
            }
        }
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let rows = session
            .query(
                &self.append,
                &[&ids, &expected, &heads, &of, &sequences, &bytes],
            )
            .await?;
        let mut refused = Vec::with_capacity(rows.len());
        for row in rows {
            refused.push(row.try_get(0)?);
        }
        refused.sort_unstable();
        Ok(refused)
    }

    async fn heads(
        &self,
        session: &Session,
        ids: impl Iterator<Item = Uuid>,
    ) -> Result<HashMap<StreamId, Sequence>, Error> {
        let ids: Vec<_> = ids.collect();
        let mut heads = HashMap::with_capacity(ids.len());
        for row in session.query(&self.heads, &[&ids]).await? {
            let id: Uuid = row.try_get(0)?;
            let head: i64 = row.try_get(1)?;
            heads.insert(StreamId(id.into_bytes()), Sequence(head.cast_unsigned()));
        }
        Ok(heads)
    }

    /// Returns true if a stream with this head has the records of an append where that would have put them.
    async fn has(
        &self,
        session: &Session,
        pending: &Pending,
        head: Sequence,
    ) -> Result<bool, Error> {
        if head < pending.head() {
            return Ok(false);
        }
        let id = Uuid::from_bytes(pending.stream.0);
        let (after, to) = (
            pending.expected.0.cast_signed(),
            pending.head().0.cast_signed(),
        );
        let rows = session.query(&self.records, &[&id, &after, &to]).await?;
        let mut found = Vec::with_capacity(rows.len());
        for row in &rows {
            found.push(row.try_get::<_, &[u8]>(0)?);
        }
        Ok(found.iter().eq(&pending.records))
    }
}
