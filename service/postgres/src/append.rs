//! The statement that appends, and the answers to it.

use std::collections::HashMap;

use dragontooth_service_store::StreamId;
use dragontooth_service_vocabulary::Sequence;
use tokio_postgres::{
    Client, Error, Statement,
    types::{ToSql, Type},
};
use uuid::Uuid;

use crate::{
    batch::Pending,
    catalogue::{self, Places},
    session::Session,
};

/// Appends to many streams, each if it has the head that is expected, and gives the streams that have another.
///
/// The streams come in the order of their ids, and are locked in it as they are moved: with the session's [`SETTINGS`]
/// they are looked up by the index one after another, whatever is known of the sizes of the tables. Only while the
/// database takes the table for one of fewer than three streams does it read the whole index for each batch, in the same
/// order: until it is analysed again.
macro_rules! append {
    ($stage:literal, $($catalogue:literal)?) => {
        concat!("
WITH want AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::int8[], $3::int8[], $7::int8[]", $stage, "
), fresh AS (
    INSERT INTO dragontooth.stream (id, head, deadline, stage, creator, seed_mark)
    SELECT id, head, deadline, coalesce(stage, 0), creator, mark FROM want WHERE expected = 0
    ON CONFLICT (id) DO NOTHING RETURNING id
), moved AS (
    UPDATE dragontooth.stream s SET head = w.head, deadline = w.deadline, stage = coalesce(w.stage, s.stage)
    FROM want w WHERE w.expected > 0 AND s.id = w.id AND s.head = w.expected RETURNING s.id
), done AS MATERIALIZED (
    SELECT id FROM fresh UNION ALL SELECT id FROM moved
), written AS (
    INSERT INTO dragontooth.event (stream, seq, record)
    SELECT stream, seq, record FROM unnest($4::uuid[], $5::int8[], $6::bytea[]) AS e (stream, seq, record)
    WHERE (stream IN (SELECT id FROM done)) IS TRUE
)", $($catalogue,)? "
SELECT id FROM want WHERE (id IN (SELECT id FROM done)) IS NOT TRUE")
    };
}

/// Of streams whose place in the catalogue stays as it is.
const APPEND: &str = append!(
    ") AS w (id, expected, head, deadline) CROSS JOIN (SELECT NULL::int2, NULL::uuid, NULL::bytea) AS n (stage, creator, mark)",
);

/// The same, and moves those that are listed anew in the catalogue.
const APPEND_LISTED: &str = append!(
    ", $8::int2[], $9::uuid[], $10::bytea[]) AS w (id, expected, head, deadline, stage, creator, mark)",
    ", taken AS (
    DELETE FROM dragontooth.shelf s USING unnest($11::uuid[], $12::uuid[], $13::uuid[], $14::int2[]) AS t (stream, played_by, shown_to, kind)
    WHERE s.stream = t.stream AND s.played_by = t.played_by AND s.shown_to = t.shown_to AND s.kind = t.kind
    AND (t.stream IN (SELECT id FROM done)) IS TRUE
), put AS (
    INSERT INTO dragontooth.shelf (stream, played_by, shown_to, kind)
    SELECT * FROM unnest($15::uuid[], $16::uuid[], $17::uuid[], $18::int2[]) AS p (stream, played_by, shown_to, kind)
    WHERE (stream IN (SELECT id FROM done)) IS TRUE ON CONFLICT DO NOTHING
)"
);

const HEADS: &str = "SELECT id, head FROM dragontooth.stream WHERE id = ANY($1)";

const RECORDS: &str = "SELECT record FROM dragontooth.event WHERE stream = $1 AND seq > $2 AND seq <= $3 ORDER BY seq";

/// Meets what an append would meet, and leaves nothing.
const TRY: &str = "BEGIN; INSERT INTO dragontooth.event (stream, seq, record) \
    VALUES ('00000000-0000-0000-0000-000000000000', 1, ''); ROLLBACK";

const BARRIER: &str = "UPDATE dragontooth.log SET barrier = barrier + 1";

/// The settings of a session that writes: no statement of it is cut short, its plans use the indexes, and the server soon notices that
/// nothing gets through any more, also while an answer is under way. The level of commits that was checked outlasts a change of the server's.
pub(crate) const SETTINGS: &str = "SET statement_timeout = 0; SET idle_session_timeout = 0; \
    SET default_transaction_isolation = 'read committed'; SET plan_cache_mode = force_generic_plan; \
    SELECT set_config('synchronous_commit', current_setting('synchronous_commit'), false); \
    SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off; \
    SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3; \
    SET tcp_user_timeout = 10000";

/// The prepared statements of a session that writes.
#[derive(Debug)]
pub(crate) struct Statements {
    append: Statement,
    append_listed: Statement,
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

/// A batch came to nothing, or part of it is written.
#[derive(Debug)]
pub(crate) enum WriteError {
    /// Of the statement that appends. Nothing of this call is in the log if the database says so; otherwise nothing is known.
    Append(Error),
    /// Of one after its commit.
    Look(Error),
}

impl Statements {
    pub(crate) async fn prepare(client: &Client) -> Result<Self, Error> {
        let of_append = [
            Type::UUID_ARRAY,
            Type::INT8_ARRAY,
            Type::INT8_ARRAY,
            Type::UUID_ARRAY,
            Type::INT8_ARRAY,
            Type::BYTEA_ARRAY,
            Type::INT8_ARRAY,
        ];
        let of_places = [
            Type::UUID_ARRAY,
            Type::UUID_ARRAY,
            Type::UUID_ARRAY,
            Type::INT2_ARRAY,
        ];
        let of_listed = [Type::INT2_ARRAY, Type::UUID_ARRAY, Type::BYTEA_ARRAY];
        let of_listed = [&of_append[..], &of_listed, &of_places, &of_places].concat();
        Ok(Self {
            append: client.prepare_typed(APPEND, &of_append).await?,
            append_listed: client.prepare_typed(APPEND_LISTED, &of_listed).await?,
            heads: client.prepare(HEADS).await?,
            records: client.prepare(RECORDS).await?,
            barrier: client.prepare(BARRIER).await?,
        })
    }

    /// Writes a batch and gives the fate of each append, in their order. An empty one shows whether it would be written.
    ///
    /// If it `is_repeated`, it may have been written before, in whole or in part: an append whose records are there is
    /// then in the log. All that is given as appended is durable.
    ///
    /// # Errors
    ///
    /// See [`WriteError`].
    pub(crate) async fn write(
        &self,
        session: &Session,
        batch: &[Pending],
        is_repeated: bool,
    ) -> Result<Vec<Fate>, WriteError> {
        if batch.is_empty() {
            let tried = self.try_to_write(session).await;
            return tried.map(|()| Vec::new()).map_err(WriteError::Append);
        }
        session.take_warning();
        let refused = self.append(session, batch).await;
        let refused = refused.map_err(WriteError::Append)?;
        let fates = self.fates(session, batch, &refused, is_repeated).await;
        fates.map_err(WriteError::Look)
    }

    /// Writes an event and takes it back, and then commits something else.
    async fn try_to_write(&self, session: &Session) -> Result<(), Error> {
        let tried = session.batch_execute(TRY).await;
        if tried.is_err() && !session.is_closed() {
            session.batch_execute("ROLLBACK").await?;
        }
        tried?;
        self.pass_barrier(session).await
    }

    /// The fates of the appends of a batch that was written but for the streams that were `refused`.
    async fn fates(
        &self,
        session: &Session,
        batch: &[Pending],
        refused: &[Uuid],
        is_repeated: bool,
    ) -> Result<Vec<Fate>, Error> {
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
            self.pass_barrier(session).await?;
        }
        Ok(fates)
    }

    /// Commits a change after all that was committed before.
    pub(crate) async fn pass_barrier(&self, session: &Session) -> Result<(), Error> {
        session.execute(&self.barrier, &[]).await.map(drop)
    }

    /// Returns the streams whose head was not the expected one, in order.
    async fn append(&self, session: &Session, batch: &[Pending]) -> Result<Vec<Uuid>, Error> {
        let written = || batch.iter().filter(|pending| !pending.is_question());
        let count = batch.len();
        let (mut ids, mut expected, mut heads, mut deadlines) = (
            Vec::with_capacity(count),
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
            let deadline = pending.listing.deadline;
            deadlines.push(deadline.map(catalogue::micros));
            for (sequence, record) in (before + 1..).zip(&pending.records) {
                of.push(id);
                sequences.push(sequence);
                bytes.push(record);
            }
        }
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let appended: [&(dyn ToSql + Sync); 7] =
            [&ids, &expected, &heads, &of, &sequences, &bytes, &deadlines];
        let rows = if written().any(|pending| pending.listing.entry.is_some()) {
            let (mut stages, mut creators, mut marks) = (Vec::new(), Vec::new(), Vec::new());
            let (mut taken, mut put) = (Places::default(), Places::default());
            for pending in written() {
                let change = pending.listing.entry.as_deref();
                let brief = change.map(|change| &change.after.brief);
                stages.push(change.map(|change| catalogue::stage(change.after.stage)));
                creators.push(brief.map(|brief| Uuid::from_bytes(brief.creator.bytes())));
                marks.push(brief.and_then(|brief| brief.seed_mark.as_ref().map(|mark| &mark[..])));
                if let Some(change) = change {
                    taken.add_left(pending.stream, change);
                    put.add_new(pending.stream, change);
                }
            }
            let listed: [&(dyn ToSql + Sync); 3] = [&stages, &creators, &marks];
            let (taken, put) = (taken.parameters(), put.parameters());
            let parameters = [&appended[..], &listed, &taken, &put].concat();
            session.query(&self.append_listed, &parameters).await?
        } else {
            session.query(&self.append, &appended).await?
        };
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
