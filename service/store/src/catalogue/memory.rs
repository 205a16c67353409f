use std::collections::{BTreeSet, HashMap, HashSet};
use std::future;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dragontooth_service_vocabulary::{ListOrder, MatchId, PlayerId, Stage, Timestamp};
use futures::FutureExt;

use self::keys::{KeyNumber, Keys};
use self::seeds::Seeds;
use super::{Catalogue, MatchEntry, PlayerCounts, SeedUse, Shelf};
use crate::{LogAnswer, MatchBrief, ReadError, StorageError};

mod keys;
mod seeds;

/// The catalogue of a log in memory or in a folder. It ends with its process, and is built again at the start.
///
/// The matches of a shelf are in the order of their ids, which is that of creation, so that a page takes as many steps as it has
/// matches, whatever else there is. The lock, which those need too who play, is held for one page. An ended match takes
/// its id and four bytes on each of its shelves.
///
/// ```
/// use dragontooth_service_store::{Catalogue, MatchBrief, MatchGroup, MatchKind, MemoryCatalogue, Party, Shelf};
/// use dragontooth_service_vocabulary::{ListOrder, MatchId, PlayerId, Stage, Visibility};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), dragontooth_service_store::ReadError> {
/// let player = PlayerId::from_bytes([1; 16]);
/// let catalogue = MemoryCatalogue::default();
/// catalogue.put_ended(
///     MatchId::from_bytes([7; 16]),
///     &MatchBrief {
///         game: "kamisado".to_owned(),
///         variant: "standard".to_owned(),
///         players: [Some(player), None],
///         creator: player,
///         visibility: Visibility::Public,
///         seed_mark: None,
///         request_id: None,
///     },
/// );
/// let shelf = Shelf {
///     of: MatchGroup::PlayedBy(player),
///     shown_to: Party::Anyone,
///     kind: MatchKind { game: 0, stage: Stage::Ended, is_delayed: false },
/// };
/// let (found, has_more) = catalogue.list(vec![shelf], ListOrder::NewestFirst, None, 10).await?;
/// assert_eq!((found, has_more), (vec![MatchId::from_bytes([7; 16])], false));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct MemoryCatalogue(Mutex<Tables>);

#[derive(Debug, Default)]
struct Tables {
    ids: Ids,
    /// The matches of each shelf in the order of their ids; none is empty.
    shelves: HashMap<Shelf<KeyNumber, KeyNumber>, Vec<Number>>,
    /// The matches that are not over.
    live: HashMap<MatchId, LiveMatch>,
    keys: Keys,
    seeds: Seeds,
}

#[derive(Debug)]
struct LiveMatch {
    number: Number,
    entry: MatchEntry,
    deadline: Option<Timestamp>,
}

/// The ids of all matches by their numbers.
#[derive(Debug, Default)]
struct Ids(Vec<MatchId>);

/// A match, by a number that is shorter than its id: they are numbered as they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number(u32);

impl MemoryCatalogue {
    /// Enters a match as it is now. One that is over is not entered again.
    pub fn put(&self, id: MatchId, entry: &MatchEntry, deadline: Option<Timestamp>) {
        let mut tables = self.lock();
        let shelves = entry.shelves();
        if shelves.is_empty() {
            return;
        }
        let before = tables.live.remove(&id);
        let number = match &before {
            Some(live) => live.number,
            None => tables.ids.add(id),
        };
        let is_new = before.is_none();
        if before.as_ref().is_none_or(|live| live.entry != *entry) {
            for shelf in before.iter().flat_map(|live| live.entry.shelves()) {
                tables.take_from(shelf, number);
            }
            for shelf in shelves {
                tables.put_on(shelf, number);
            }
        }
        let is_live = entry.stage != Stage::Ended;
        if is_live {
            let live = LiveMatch {
                number,
                entry: entry.clone(),
                deadline,
            };
            tables.live.insert(id, live);
        }
        if let Some(mark) = entry.brief.seed_mark {
            let key = (entry.brief.creator, mark);
            if is_new {
                tables.seeds.count(key);
            }
            tables.seeds.play(key, id, is_live);
        }
    }

    /// Enters a match that is over and has not been entered.
    pub fn put_ended(&self, id: MatchId, brief: &MatchBrief) {
        let shelves = brief.shelves_when_ended();
        if shelves.is_empty() {
            return;
        }
        let mut tables = self.lock();
        let number = tables.ids.add(id);
        for shelf in shelves {
            tables.put_on(shelf, number);
        }
        if let Some(mark) = brief.seed_mark {
            tables.seeds.count((brief.creator, mark));
        }
    }

    /// Notes the time after which somebody has to look at a match that is not over.
    pub fn set_deadline(&self, id: MatchId, deadline: Option<Timestamp>) {
        if let Some(live) = self.lock().live.get_mut(&id) {
            live.deadline = deadline;
        }
    }

    /// Returns true if a match that is over has been the last to be played from its seed: the creator has created as
    /// many as it announced, and all others are over.
    #[must_use]
    pub fn is_spent(&self, used: &SeedUse) -> bool {
        let key = (used.creator, used.mark);
        self.lock().seeds.is_spent(key, used.id, used.announced)
    }

    /// As [`Catalogue::list`], at once.
    #[must_use]
    pub fn page(
        &self,
        shelves: &[Shelf],
        order: ListOrder,
        last: Option<MatchId>,
        limit: usize,
    ) -> (Vec<MatchId>, bool) {
        let tables = self.lock();
        let ids = &tables.ids;
        let rows = shelves.iter().filter_map(|shelf| {
            let row = tables.shelves.get(&tables.numbered(*shelf)?)?;
            let mut rest = ids.after(row, order, last);
            Some((ids.take_first(&mut rest, order)?, rest))
        });
        // The first of each shelf with the rest: no match is on two of them.
        let mut rows: Vec<_> = rows.collect();
        let mut page = Vec::new();
        while let Some(place) =
            (0..rows.len()).min_by(|one, other| order.compare(rows[*one].0, rows[*other].0))
        {
            if page.len() == limit {
                return (page, true);
            }
            let (first, rest) = &mut rows[place];
            page.push(*first);
            match ids.take_first(rest, order) {
                Some(next) => *first = next,
                None => drop(rows.swap_remove(place)),
            }
        }
        (page, false)
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Catalogue for MemoryCatalogue {
    fn enter<'a>(
        &'a self,
        id: MatchId,
        entry: &'a MatchEntry,
        deadline: Option<Timestamp>,
    ) -> LogAnswer<'a, Result<(), StorageError>> {
        self.put(id, entry, deadline);
        future::ready(Ok(())).left_future()
    }

    fn list(
        &self,
        shelves: Vec<Shelf>,
        order: ListOrder,
        last: Option<MatchId>,
        limit: usize,
    ) -> LogAnswer<'_, Result<(Vec<MatchId>, bool), ReadError>> {
        future::ready(Ok(self.page(&shelves, order, last, limit))).left_future()
    }

    fn matches_of(&self, players: Vec<PlayerId>) -> LogAnswer<'_, Result<Vec<MatchId>, ReadError>> {
        let tables = self.lock();
        let of_them = tables.live.iter().filter(|(_, live)| {
            let mut players_of = live.entry.brief.players.iter().flatten();
            players_of.any(|player| players.contains(player))
        });
        let found: BTreeSet<_> = of_them.map(|(id, _)| *id).collect();
        future::ready(Ok(found.into_iter().collect())).left_future()
    }

    fn live(&self) -> LogAnswer<'_, Result<usize, ReadError>> {
        future::ready(Ok(self.lock().live.len())).left_future()
    }

    fn counts_of(
        &self,
        player: PlayerId,
        invited: [Option<PlayerId>; 2],
    ) -> LogAnswer<'_, Result<PlayerCounts, ReadError>> {
        let mut standing = PlayerCounts::default();
        for live in self.lock().live.values() {
            let is_own = live.entry.brief.creator == player;
            standing.matches += usize::from(is_own);
            for waiting in live.entry.invitations() {
                standing.invitations += usize::from(is_own);
                for (at, asked) in invited.iter().enumerate() {
                    let is_asked = *asked == Some(waiting);
                    standing.of_invited[at] += usize::from(is_asked);
                    standing.of_pairs[at] += usize::from(is_asked && is_own);
                }
            }
        }
        future::ready(Ok(standing)).left_future()
    }

    fn spent_seeds(
        &self,
        uses: Vec<SeedUse>,
    ) -> LogAnswer<'_, Result<HashSet<SeedUse>, ReadError>> {
        let spent = uses.into_iter().filter(|used| self.is_spent(used));
        future::ready(Ok(spent.collect())).left_future()
    }

    fn take_overdue(
        &self,
        time: Timestamp,
        next: Timestamp,
        limit: usize,
    ) -> LogAnswer<'_, Result<Vec<MatchId>, ReadError>> {
        let mut tables = self.lock();
        let mut overdue: Vec<_> = tables
            .live
            .iter_mut()
            .filter(|(_, live)| live.deadline.is_some_and(|deadline| deadline < time))
            .collect();
        overdue.sort_unstable_by_key(|(id, _)| **id);
        overdue.truncate(limit);
        let taken = overdue.into_iter().map(|(id, live)| {
            live.deadline = Some(next);
            *id
        });
        future::ready(Ok(taken.collect())).left_future()
    }
}

impl Ids {
    fn add(&mut self, id: MatchId) -> Number {
        let number = u32::try_from(self.0.len()).expect("2^32 matches do not fit into memory");
        self.0.push(id);
        Number(number)
    }

    fn get(&self, number: Number) -> MatchId {
        self.0[number.0 as usize]
    }

    /// The number of matches in a row that are older than a match.
    fn place(&self, row: &[Number], id: MatchId) -> usize {
        row.partition_point(|number| self.get(*number) < id)
    }

    /// The matches in a row that come after one in an order.
    fn after<'row>(
        &self,
        row: &'row [Number],
        order: ListOrder,
        last: Option<MatchId>,
    ) -> &'row [Number] {
        let Some(last) = last else {
            return row;
        };
        match order {
            ListOrder::NewestFirst => &row[..self.place(row, last)],
            ListOrder::OldestFirst => {
                &row[row.partition_point(|number| self.get(*number) <= last)..]
            }
        }
    }

    /// Takes the match from a row that is first in an order.
    fn take_first(&self, row: &mut &[Number], order: ListOrder) -> Option<MatchId> {
        let (first, rest) = match order {
            ListOrder::NewestFirst => row.split_last(),
            ListOrder::OldestFirst => row.split_first(),
        }?;
        *row = rest;
        Some(self.get(*first))
    }
}

impl Tables {
    fn put_on(&mut self, place: Shelf, number: Number) {
        let (Some(of), Some(shown_to)) = (place.of.key(), place.shown_to.key()) else {
            return;
        };
        let place = Shelf {
            of: self.keys.enter(of),
            shown_to: self.keys.enter(shown_to),
            kind: place.kind,
        };
        let row = self.shelves.entry(place).or_default();
        let id = self.ids.get(number);
        // Most are newer than all before.
        let newer = row.last().is_some_and(|last| self.ids.get(*last) > id);
        let at = if newer {
            self.ids.place(row, id)
        } else {
            row.len()
        };
        row.insert(at, number);
    }

    fn take_from(&mut self, place: Shelf, number: Number) {
        let Some(place) = self.numbered(place) else {
            return;
        };
        if let Some(row) = self.shelves.get_mut(&place) {
            let at = self.ids.place(row, self.ids.get(number));
            row.remove(at);
            if row.is_empty() {
                self.shelves.remove(&place);
            }
        }
    }

    /// The shelf by the numbers of its keys; `None` if one of them has no match.
    fn numbered(&self, place: Shelf) -> Option<Shelf<KeyNumber, KeyNumber>> {
        Some(Shelf {
            of: self.keys.find(place.of.key()?)?,
            shown_to: self.keys.find(place.shown_to.key()?)?,
            kind: place.kind,
        })
    }
}
