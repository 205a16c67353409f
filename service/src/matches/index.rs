use std::collections::{HashMap, hash_map};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dragontooth_service_store::MatchBrief;
use dragontooth_service_vocabulary::{Created, MatchId, Stage};

use self::party::{Parties, Party};
use self::seeds::Seeds;
use self::shelf::{Entry, Shelf};
use super::MatchFacts;
use crate::access::Viewer;

pub(crate) use self::filter::Filter;

mod filter;
mod party;
mod seeds;
mod shelf;

#[cfg(test)]
mod tests;

/// The lists of all matches, in the order of their ids, which is that of creation.
///
/// Every list that somebody may ask for is on few shelves, in its order, so that a page takes as many steps as it has
/// matches, whatever else there is. The lock, which the actors need too, is held for one page. An ended match takes
/// its id and four bytes on each of its shelves.
#[derive(Debug, Default)]
pub(super) struct Index(Mutex<Tables>);

#[derive(Debug, Default)]
struct Tables {
    ids: Ids,
    /// The matches of each shelf in the order of their ids; none is empty.
    shelves: HashMap<Shelf, Vec<Number>>,
    /// The matches that are not over. Their shelves are those of these facts.
    live: HashMap<MatchId, (Number, Entry)>,
    parties: Parties,
    seeds: Seeds,
}

/// The ids of all matches by their numbers.
#[derive(Debug, Default)]
struct Ids(Vec<MatchId>);

/// A match, by a number that is shorter than its id: they are numbered as they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number(u32);

impl Index {
    /// Enters a match as it is now. One that is over is not entered again.
    pub(super) fn put(&self, id: MatchId, facts: &MatchFacts<'_>) {
        let mut tables = self.lock();
        let Some(entry) = Entry::of(facts, &mut tables.parties) else {
            return;
        };
        let before = tables.live.remove(&id);
        let number = match before {
            Some((number, _)) => number,
            None => tables.ids.add(id),
        };
        if !facts.is_over() {
            tables.live.insert(id, (number, entry));
        }
        let before = before.map(|(_, entry)| entry);
        if before != Some(entry) {
            for shelf in before.iter().flat_map(Entry::shelves) {
                tables.take_from(shelf, number);
            }
            for shelf in entry.shelves() {
                tables.put_on(shelf, number);
            }
        }
        if let Some(mark) = MatchBrief::seed_mark(facts.created) {
            let creator = tables.parties.enter(facts.created.creator);
            if before.is_none() {
                tables.seeds.count((creator, mark));
            }
            let is_live = !facts.is_over();
            tables.seeds.play((creator, mark), id, is_live);
        }
    }

    /// Enters a match that is over and has not been entered.
    pub(super) fn put_ended(&self, id: MatchId, brief: &MatchBrief) {
        let mut tables = self.lock();
        let Some(entry) = Entry::ended(brief, &mut tables.parties) else {
            return;
        };
        let number = tables.ids.add(id);
        for shelf in entry.shelves() {
            tables.put_on(shelf, number);
        }
        if let Some(mark) = brief.seed_mark {
            let creator = tables.parties.enter(brief.creator);
            tables.seeds.count((creator, mark));
        }
    }

    /// Returns true if a match is entered as one that is over.
    pub(super) fn has_ended(&self, id: MatchId) -> bool {
        let tables = self.lock();
        let kinds = Filter {
            stage: Some(Stage::Ended),
            ..Filter::default()
        }
        .kinds();
        // Every match is on a shelf for anyone to see, or on one for operators.
        let mut shelves = kinds.into_iter().flat_map(|kind| {
            [Party::ANYONE, Party::OPERATORS].map(|shown_to| Shelf {
                played_by: Party::ANYONE,
                shown_to,
                kind,
            })
        });
        shelves.any(|shelf| {
            let row = tables.shelves.get(&shelf).map_or(&[][..], Vec::as_slice);
            let at = tables.ids.place(row, id);
            row.get(at)
                .is_some_and(|number| tables.ids.get(*number) == id)
        })
    }

    /// Returns true if a match that is over has been the last to be played from its seed: the creator has created as
    /// many as it announced, and all are over.
    pub(super) fn is_seed_spent(&self, created: &Created) -> bool {
        let Some(mark) = MatchBrief::seed_mark(created) else {
            return true;
        };
        let tables = self.lock();
        let Some(creator) = tables.parties.find(created.creator) else {
            return false;
        };
        let announced = created.seed.matches();
        tables
            .seeds
            .is_spent((creator, mark), created.id, announced)
    }

    /// At most `limit` matches older than `before` that may fit, the newest first, and whether there are more. All
    /// fit but some of those that the viewer sees with a delay.
    pub(super) fn list(
        &self,
        viewer: &Viewer,
        filter: &Filter,
        before: Option<MatchId>,
        limit: usize,
    ) -> (Vec<MatchId>, bool) {
        let tables = self.lock();
        let Some(shelves) = tables.shelves_of(viewer, filter) else {
            return (Vec::new(), false);
        };
        let ids = &tables.ids;
        let rows = shelves.into_iter().filter_map(|shelf| {
            let row = tables.shelves.get(&shelf)?;
            let end = before.map_or(row.len(), |before| ids.place(row, before));
            let mut row = row[..end].iter().rev().map(|number| ids.get(*number));
            Some((row.next()?, row))
        });
        // The newest of each shelf with the older ones: no match is on two of them.
        let mut rows: Vec<_> = rows.collect();
        let mut page = Vec::new();
        while let Some(place) = (0..rows.len()).max_by_key(|place| rows[*place].0) {
            if page.len() == limit {
                return (page, true);
            }
            let (newest, older) = &mut rows[place];
            page.push(*newest);
            match older.next() {
                Some(next) => *newest = next,
                None => drop(rows.swap_remove(place)),
            }
        }
        (page, false)
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
}

impl Tables {
    fn put_on(&mut self, place: Shelf, number: Number) {
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
        if let hash_map::Entry::Occupied(mut row) = self.shelves.entry(place) {
            let at = self.ids.place(row.get(), self.ids.get(number));
            row.get_mut().remove(at);
            if row.get().is_empty() {
                row.remove();
            }
        }
    }

    /// The shelves whose matches make up a list; `None` if no match can be in it.
    fn shelves_of(&self, viewer: &Viewer, filter: &Filter) -> Option<Vec<Shelf>> {
        let played_by = match filter.player {
            Some(player) => self.parties.find(player)?,
            None => Party::ANYONE,
        };
        let own = if viewer.is_admin() {
            Some(Party::OPERATORS)
        } else {
            viewer.player().and_then(|player| self.parties.find(player))
        };
        let kinds = filter.kinds();
        let shelves = [Some(Party::ANYONE), own].into_iter().flatten();
        let shelves = shelves.flat_map(|shown_to| {
            kinds.iter().map(move |kind| Shelf {
                played_by,
                shown_to,
                kind: *kind,
            })
        });
        Some(shelves.collect())
    }
}
