//! The catalogue of the matches, in the tables.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use dragontooth_service_store::{
    Catalogue, EntryChange, LogAnswer, MatchEntry, MatchGroup, MatchKind, PlayerCounts, ReadError,
    SeedUse, Shelf, StorageError, StreamId,
};
use dragontooth_service_vocabulary::{ListOrder, MatchId, PlayerId, Stage, Timestamp};
use futures::FutureExt;
use tokio_postgres::{
    Row,
    types::{ToSql, Type},
};
use uuid::Uuid;

use crate::{
    reader::Reader,
    rows::{clamped, count, unfit},
};

/// The kind of the shelves that have invitations.
const INVITATIONS: i16 = -1;

/// A match that is over or live, of which the catalogue does not know yet. Its names are kept too: it may be older than they are.
const ENTER: &str = "
WITH entered AS (
    UPDATE dragontooth.stream SET stage = $2, creator = $3, seed_mark = $4, deadline = $5
    WHERE id = $1 AND stage = 0 RETURNING id
), put AS (
    INSERT INTO dragontooth.shelf (stream, played_by, shown_to, kind)
    SELECT * FROM unnest($6::uuid[], $7::uuid[], $8::uuid[], $9::int2[]) AS p (stream, played_by, shown_to, kind)
    WHERE EXISTS (SELECT FROM entered) ON CONFLICT DO NOTHING
)
INSERT INTO dragontooth.name (name, stream) SELECT $10, id FROM entered WHERE $10::bytea IS NOT NULL
ON CONFLICT DO NOTHING";

const LIST_NEWEST_FIRST: &str = "
SELECT f.stream FROM unnest($1::uuid[], $2::uuid[], $3::int2[]) AS w (played_by, shown_to, kind) CROSS JOIN LATERAL (
    SELECT stream FROM dragontooth.shelf s
    WHERE s.played_by = w.played_by AND s.shown_to = w.shown_to AND s.kind = w.kind AND s.stream < $4
    ORDER BY stream DESC LIMIT $5
) f ORDER BY f.stream DESC LIMIT $5";

const LIST_OLDEST_FIRST: &str = "
SELECT f.stream FROM unnest($1::uuid[], $2::uuid[], $3::int2[]) AS w (played_by, shown_to, kind) CROSS JOIN LATERAL (
    SELECT stream FROM dragontooth.shelf s
    WHERE s.played_by = w.played_by AND s.shown_to = w.shown_to AND s.kind = w.kind AND s.stream > $4
    ORDER BY stream LIMIT $5
) f ORDER BY f.stream LIMIT $5";

const MATCHES_OF: &str = "
SELECT DISTINCT f.stream FROM unnest($1::uuid[]) AS w (player) CROSS JOIN unnest($2::uuid[]) AS a (shown_to)
CROSS JOIN unnest($3::int2[]) AS k (kind) CROSS JOIN LATERAL (
    SELECT stream FROM dragontooth.shelf s WHERE s.played_by = w.player AND s.shown_to = a.shown_to AND s.kind = k.kind
) f ORDER BY f.stream";

const LIVE: &str = "SELECT count(*) FROM dragontooth.stream WHERE stage IN (1, 2)";

const COUNTS: &str = "
SELECT (SELECT count(*) FROM dragontooth.stream WHERE creator = $1 AND stage IN (1, 2)),
    (SELECT count(*) FROM dragontooth.shelf WHERE shown_to = $1 AND kind < 0),
    (SELECT count(*) FROM dragontooth.shelf WHERE played_by = $2 AND kind < 0),
    (SELECT count(*) FROM dragontooth.shelf WHERE played_by = $3 AND kind < 0),
    (SELECT count(*) FROM dragontooth.shelf WHERE played_by = $2 AND shown_to = $1 AND kind = -1),
    (SELECT count(*) FROM dragontooth.shelf WHERE played_by = $3 AND shown_to = $1 AND kind = -1)";

const SPENT_SEEDS: &str = "
SELECT w.place FROM unnest($1::uuid[], $2::bytea[], $3::uuid[], $4::int8[]) WITH ORDINALITY AS w (creator, mark, id, announced, place)
CROSS JOIN LATERAL (
    SELECT count(*) AS created, count(*) FILTER (WHERE stage <> 3 AND s.id <> w.id) AS live FROM dragontooth.stream s
    WHERE s.creator = w.creator AND s.seed_mark = w.mark
) s WHERE s.created >= w.announced AND s.live = 0";

const TAKE_OVERDUE: &str = "
UPDATE dragontooth.stream SET deadline = $2 WHERE id IN (
    SELECT id FROM dragontooth.stream WHERE stage IN (1, 2) AND deadline < $1
    ORDER BY creator LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
) RETURNING id";

/// The catalogue in a database.
#[derive(Debug)]
pub(crate) struct PostgresCatalogue(Arc<Reader>);

/// Matches on shelves, as the columns of a table.
#[derive(Debug, Default)]
pub(crate) struct Places {
    streams: Vec<Uuid>,
    played_by: Vec<Uuid>,
    shown_to: Vec<Uuid>,
    kinds: Vec<i16>,
}

/// A stage as a number; 0 stands for one that is not known.
pub(crate) const fn stage(stage: Stage) -> i16 {
    match stage {
        Stage::Open => 1,
        Stage::Active => 2,
        Stage::Ended => 3,
    }
}

/// A time as the database keeps it.
pub(crate) fn micros(time: Timestamp) -> i64 {
    time.micros().cast_signed()
}

impl Places {
    /// Adds the places of a match that it leaves by a change.
    pub(crate) fn add_left(&mut self, stream: StreamId, change: &EntryChange) {
        let before = change.before.as_ref().map(places).unwrap_or_default();
        let after = places(&change.after);
        self.add(stream, before.difference(&after));
    }

    /// Adds those that it has only after a change.
    pub(crate) fn add_new(&mut self, stream: StreamId, change: &EntryChange) {
        let before = change.before.as_ref().map(places).unwrap_or_default();
        let after = places(&change.after);
        self.add(stream, after.difference(&before));
    }

    fn add<'a>(&mut self, stream: StreamId, places: impl IntoIterator<Item = &'a Place>) {
        for (played_by, shown_to, kind) in places {
            self.streams.push(Uuid::from_bytes(stream.0));
            self.played_by.push(*played_by);
            self.shown_to.push(*shown_to);
            self.kinds.push(*kind);
        }
    }

    pub(crate) fn parameters(&self) -> [&(dyn ToSql + Sync); 4] {
        [&self.streams, &self.played_by, &self.shown_to, &self.kinds]
    }
}

/// A place on a shelf: who plays, to whom it is shown, and the kind.
type Place = (Uuid, Uuid, i16);

fn places(entry: &MatchEntry) -> BTreeSet<Place> {
    let shelves = entry.shelves();
    let shelves = shelves.iter().filter_map(place);
    let inviter = uuid(entry.brief.creator);
    let invitations = entry.invitations();
    shelves
        .chain(invitations.map(|to| (uuid(to), inviter, INVITATIONS)))
        .collect()
}

/// The column `played_by` has the keys of all groups. `None` for a player that somebody has made up.
fn place(shelf: &Shelf) -> Option<Place> {
    let keys = (shelf.of.key()?, shelf.shown_to.key()?);
    let (of, shown_to) = (Uuid::from_bytes(keys.0), Uuid::from_bytes(keys.1));
    Some((of, shown_to, shelf.kind.number()))
}

fn uuid(player: PlayerId) -> Uuid {
    Uuid::from_bytes(player.bytes())
}

fn matches(rows: &[Row]) -> Result<Vec<MatchId>, ReadError> {
    let ids = rows.iter().map(|row| {
        let id: Uuid = row.try_get(0).map_err(unfit)?;
        Ok(MatchId::from_bytes(id.into_bytes()))
    });
    ids.collect()
}

impl PostgresCatalogue {
    pub(crate) const fn new(reader: Arc<Reader>) -> Self {
        Self(reader)
    }

    async fn rows(
        &self,
        text: &'static str,
        parameters: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Row>, ReadError> {
        let rows = self.0.query(text, parameters).await;
        rows.map_err(ReadError::Storage)
    }

    async fn enter_match(
        &self,
        id: MatchId,
        entry: &MatchEntry,
        deadline: Option<Timestamp>,
    ) -> Result<(), StorageError> {
        let stream = Uuid::from_bytes(id.bytes());
        let (stage, creator) = (stage(entry.stage), uuid(entry.brief.creator));
        let mark = entry.brief.seed_mark.as_ref().map(|mark| &mark[..]);
        let deadline = deadline.map(micros);
        let mut put = Places::default();
        put.add(StreamId(id.bytes()), &places(entry));
        let name = entry.brief.creation_name();
        let parameters: [(&(dyn ToSql + Sync), Type); 10] = [
            (&stream, Type::UUID),
            (&stage, Type::INT2),
            (&creator, Type::UUID),
            (&mark, Type::BYTEA),
            (&deadline, Type::INT8),
            (&put.streams, Type::UUID_ARRAY),
            (&put.played_by, Type::UUID_ARRAY),
            (&put.shown_to, Type::UUID_ARRAY),
            (&put.kinds, Type::INT2_ARRAY),
            (&name, Type::BYTEA),
        ];
        self.0.query(ENTER, &parameters).await.map(drop)
    }

    async fn page(
        &self,
        shelves: Vec<Shelf>,
        order: ListOrder,
        last: Option<MatchId>,
        limit: usize,
    ) -> Result<(Vec<MatchId>, bool), ReadError> {
        let mut wanted = Places::default();
        for (of, shown_to, kind) in shelves.iter().filter_map(place) {
            wanted.played_by.push(of);
            wanted.shown_to.push(shown_to);
            wanted.kinds.push(kind);
        }
        // No match has the greatest id, or the least.
        let (statement, end) = match order {
            ListOrder::NewestFirst => (LIST_NEWEST_FIRST, Uuid::max()),
            ListOrder::OldestFirst => (LIST_OLDEST_FIRST, Uuid::nil()),
        };
        let last = last.map_or(end, |id| Uuid::from_bytes(id.bytes()));
        let most = clamped(limit.saturating_add(1), usize::MAX);
        let rows = self
            .rows(
                statement,
                &[
                    (&wanted.played_by, Type::UUID_ARRAY),
                    (&wanted.shown_to, Type::UUID_ARRAY),
                    (&wanted.kinds, Type::INT2_ARRAY),
                    (&last, Type::UUID),
                    (&most, Type::INT8),
                ],
            )
            .await;
        let mut found = matches(&rows?)?;
        let has_more = found.len() > limit;
        found.truncate(limit);
        Ok((found, has_more))
    }

    async fn live_matches_of(&self, players: Vec<PlayerId>) -> Result<Vec<MatchId>, ReadError> {
        let keys = players.into_iter().map(MatchGroup::PlayedBy);
        let keys = keys.filter_map(MatchGroup::key);
        let players: Vec<_> = keys.map(Uuid::from_bytes).collect();
        // A public match is on a shelf for anyone to see, a private one on one for operators.
        let shown_to = vec![Uuid::nil(), Uuid::max()];
        let live = MatchKind::all().filter(|kind| kind.stage != Stage::Ended);
        let kinds: Vec<_> = live.map(MatchKind::number).collect();
        let rows = self
            .rows(
                MATCHES_OF,
                &[
                    (&players, Type::UUID_ARRAY),
                    (&shown_to, Type::UUID_ARRAY),
                    (&kinds, Type::INT2_ARRAY),
                ],
            )
            .await;
        matches(&rows?)
    }

    async fn count_live(&self) -> Result<usize, ReadError> {
        let rows = self.rows(LIVE, &[]).await?;
        rows.first().map_or(Ok(0), |row| count(row, 0))
    }

    async fn counts_of_player(
        &self,
        player: PlayerId,
        invited: [Option<PlayerId>; 2],
    ) -> Result<PlayerCounts, ReadError> {
        let player = uuid(player);
        let [first, second] = invited.map(|player| player.map(uuid));
        let rows = self
            .rows(
                COUNTS,
                &[
                    (&player, Type::UUID),
                    (&first, Type::UUID),
                    (&second, Type::UUID),
                ],
            )
            .await;
        let rows = rows?;
        let Some(row) = rows.first() else {
            return Ok(PlayerCounts::default());
        };
        Ok(PlayerCounts {
            matches: count(row, 0)?,
            invitations: count(row, 1)?,
            of_invited: [count(row, 2)?, count(row, 3)?],
            of_pairs: [count(row, 4)?, count(row, 5)?],
        })
    }

    async fn spent(&self, uses: Vec<SeedUse>) -> Result<HashSet<SeedUse>, ReadError> {
        let creators: Vec<_> = uses.iter().map(|used| uuid(used.creator)).collect();
        let marks: Vec<_> = uses.iter().map(|used| &used.mark[..]).collect();
        let ids = uses.iter().map(|used| Uuid::from_bytes(used.id.bytes()));
        let ids: Vec<_> = ids.collect();
        let announced: Vec<_> = uses.iter().map(|used| i64::from(used.announced)).collect();
        let rows = self
            .rows(
                SPENT_SEEDS,
                &[
                    (&creators, Type::UUID_ARRAY),
                    (&marks, Type::BYTEA_ARRAY),
                    (&ids, Type::UUID_ARRAY),
                    (&announced, Type::INT8_ARRAY),
                ],
            )
            .await;
        let mut spent = HashSet::new();
        for row in rows? {
            // Counted from 1.
            let place = count(&row, 0)?;
            spent.extend(place.checked_sub(1).and_then(|place| uses.get(place)));
        }
        Ok(spent)
    }

    async fn take(
        &self,
        time: Timestamp,
        next: Timestamp,
        limit: usize,
    ) -> Result<Vec<MatchId>, ReadError> {
        let (time, next, limit) = (micros(time), micros(next), clamped(limit, usize::MAX));
        let rows = self
            .rows(
                TAKE_OVERDUE,
                &[
                    (&time, Type::INT8),
                    (&next, Type::INT8),
                    (&limit, Type::INT8),
                ],
            )
            .await;
        matches(&rows?)
    }
}

impl Catalogue for PostgresCatalogue {
    fn enter<'a>(
        &'a self,
        id: MatchId,
        entry: &'a MatchEntry,
        deadline: Option<Timestamp>,
    ) -> LogAnswer<'a, Result<(), StorageError>> {
        self.enter_match(id, entry, deadline).boxed().right_future()
    }

    fn list(
        &self,
        shelves: Vec<Shelf>,
        order: ListOrder,
        last: Option<MatchId>,
        limit: usize,
    ) -> LogAnswer<'_, Result<(Vec<MatchId>, bool), ReadError>> {
        self.page(shelves, order, last, limit)
            .boxed()
            .right_future()
    }

    fn matches_of(&self, players: Vec<PlayerId>) -> LogAnswer<'_, Result<Vec<MatchId>, ReadError>> {
        self.live_matches_of(players).boxed().right_future()
    }

    fn live(&self) -> LogAnswer<'_, Result<usize, ReadError>> {
        self.count_live().boxed().right_future()
    }

    fn counts_of(
        &self,
        player: PlayerId,
        invited: [Option<PlayerId>; 2],
    ) -> LogAnswer<'_, Result<PlayerCounts, ReadError>> {
        self.counts_of_player(player, invited)
            .boxed()
            .right_future()
    }

    fn spent_seeds(
        &self,
        uses: Vec<SeedUse>,
    ) -> LogAnswer<'_, Result<HashSet<SeedUse>, ReadError>> {
        self.spent(uses).boxed().right_future()
    }

    fn take_overdue(
        &self,
        time: Timestamp,
        next: Timestamp,
        limit: usize,
    ) -> LogAnswer<'_, Result<Vec<MatchId>, ReadError>> {
        self.take(time, next, limit).boxed().right_future()
    }
}
