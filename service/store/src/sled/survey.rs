//! The losses of a store, found by comparing it with its witness.

use std::{
    collections::{BTreeSet, HashMap},
    panic, thread,
};

use dragontooth_service_vocabulary::Sequence;
use sled::Tree;

use super::{
    applied::{self, Streams},
    witness::{HeadTable, Mark, Testimony, WitnessedHead},
};
use crate::{Damage, Loss, ReadError, StreamId};

/// Streams whose heads are read before any of them counts.
const PAGE_STREAMS: usize = 1024;

/// The heads and the damage of all streams.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// The head of each stream; of a damaged one, the head that the witness has seen.
    pub(super) heads: HeadTable,
    /// The damaged streams.
    pub(super) damaged: HashMap<StreamId, Damage>,
    /// True if sled cannot list all streams, because a part of the store is unreadable.
    pub(super) has_unlisted: bool,
}

/// A survey of some of the streams.
struct Part<'a> {
    events: &'a Tree,
    witnessed: &'a HeadTable,
    /// Number of streams whose heads are as the witness has seen them.
    confirmed: usize,
    /// The heads of the others.
    others: HashMap<StreamId, WitnessedHead>,
    damaged: HashMap<StreamId, Damage>,
    has_unlisted: bool,
}

impl Survey {
    /// Looks at the head of every stream, in sled and in the witness, on two threads.
    pub(super) fn of(events: &Tree, testimony: Testimony) -> Self {
        let mut heads = testimony.heads;
        let middle = heads.middle();
        let parts = thread::scope(|scope| {
            let later = || Part::of(events, &heads, Streams::after(middle));
            let later_thread = thread::Builder::new().spawn_scoped(scope, later);
            let earlier = middle.map(|middle| Part::of(events, &heads, Streams::up_to(middle)));
            let later = match later_thread {
                Ok(thread) => thread
                    .join()
                    .unwrap_or_else(|why| panic::resume_unwind(why)),
                // Without a second thread it takes longer.
                Err(_) => later(),
            };
            [earlier, Some(later)]
        });
        let mut parts = parts.into_iter().flatten();
        let mut all = parts.next().expect("there is a last part");
        for part in parts {
            all.confirmed += part.confirmed;
            all.others.extend(part.others);
            all.damaged.extend(part.damaged);
            all.has_unlisted |= part.has_unlisted;
        }
        let witnessed_others = all.others.keys().filter(|stream| heads.contains(**stream));
        if all.confirmed + witnessed_others.count() < heads.len() {
            // Some are not in sled at all.
            for stream in heads.streams() {
                if !all.others.contains_key(&stream) {
                    all.look_at(stream);
                }
            }
        }
        let Part {
            others,
            damaged,
            has_unlisted,
            ..
        } = all;
        heads.extend(others);
        Self {
            heads,
            damaged,
            has_unlisted,
        }
    }

    /// Returns true if the witness has seen streams and the store has no record of any of them.
    pub(super) fn has_nothing_left(&self) -> bool {
        let is_gone = |damage: &Damage| {
            damage.from == Sequence(1) && matches!(damage.loss, Loss::Missing { .. })
        };
        !self.damaged.is_empty()
            && self.damaged.len() == self.heads.len()
            && self.damaged.values().all(is_gone)
    }
}

impl<'a> Part<'a> {
    fn of(events: &'a Tree, witnessed: &'a HeadTable, mut streams: Streams) -> Self {
        let mut part = Self {
            events,
            witnessed,
            confirmed: 0,
            others: HashMap::new(),
            damaged: HashMap::new(),
            has_unlisted: false,
        };
        let mut places = witnessed.places();
        // All in one pass, which ends before a part that cannot be read.
        while let Ok(page) = applied::last_records(events, streams, PAGE_STREAMS)
            && let Some((last, ..)) = page.last()
        {
            streams.after = Some(*last);
            for (stream, sequence, mark) in page {
                let found = WitnessedHead { sequence, mark };
                match places.find(stream).map(|place| witnessed.at(place)) {
                    Some(seen) if *seen == found => part.confirmed += 1,
                    Some(_) => part.look_at(stream),
                    None => drop(part.others.insert(stream, found)),
                }
            }
        }
        part.look_at_each(streams);
        part
    }

    /// Looks at streams one by one, as far as they can be listed.
    fn look_at_each(&mut self, mut streams: Streams) {
        let mut known = BTreeSet::new();
        loop {
            let next = match applied::first_stream(self.events, streams) {
                Ok(next) => next,
                Err(error) => {
                    if !self.has_unlisted {
                        tracing::warn!(%error, "some streams cannot be listed; only those that the witness knows are found");
                        self.has_unlisted = true;
                        let witnessed = self.witnessed.streams();
                        known.extend(witnessed.filter(|stream| streams.contain(*stream)));
                    }
                    applied::next_known(&known, streams.after)
                }
            };
            let Some(stream) = next else {
                break;
            };
            self.look_at(stream);
            streams.after = Some(stream);
        }
    }

    fn look_at(&mut self, stream: StreamId) {
        let witnessed = self.witnessed.get(stream);
        match compare(self.events, stream, witnessed) {
            Ok(Some(found)) => {
                self.others.insert(stream, found);
            }
            Ok(None) => {}
            Err((from, loss)) => {
                // The witness keeps it, so that the damage is found at the next opening too.
                if let Some(witnessed) = witnessed {
                    self.others.insert(stream, *witnessed);
                }
                self.damaged.insert(stream, Damage { stream, from, loss });
            }
        }
    }
}

/// The head of a stream that has everything its witness has seen; else the first damaged sequence and the loss.
fn compare(
    events: &Tree,
    stream: StreamId,
    witnessed: Option<&WitnessedHead>,
) -> Result<Option<WitnessedHead>, (Sequence, Loss)> {
    let unreadable = |_: ReadError| {
        (
            applied::first_unreadable(events, stream, Sequence(1)),
            Loss::Unreadable,
        )
    };
    let last = applied::last(events, stream).map_err(unreadable)?;
    let head = last.as_ref().map_or(Sequence::START, |(head, _)| *head);
    let found = last.map(|(sequence, record)| WitnessedHead {
        sequence,
        mark: Mark::of(&record),
    });
    if let Some(witnessed) = witnessed {
        if head < witnessed.sequence {
            let from = applied::first_unreadable(events, stream, Sequence(1));
            let known = witnessed.sequence;
            return Err((from, Loss::Missing { known }));
        }
        let mark = match found {
            Some(found) if head == witnessed.sequence => Some(found.mark),
            Some(_) | None => applied::record(events, stream, witnessed.sequence)
                .map_err(unreadable)?
                .map(|record| Mark::of(&record)),
        };
        if mark != Some(witnessed.mark) {
            return Err((witnessed.sequence, Loss::Changed));
        }
    }
    Ok(found)
}
