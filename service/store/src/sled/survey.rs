//! The losses of a store, found by comparing it with its witness.

use std::collections::{BTreeSet, HashMap};

use dragontooth_service_vocabulary::Sequence;
use sled::Tree;

use super::{
    applied,
    witness::{Mark, Testimony, WitnessedHead},
};
use crate::{Damage, Loss, ReadError, StreamId};

/// Streams of which the last records are in memory at once.
const PAGE_STREAMS: usize = 1024;

/// The heads and the damage of all streams.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// The head of each stream; of a damaged one, the head that the witness has seen.
    pub(super) heads: HashMap<StreamId, WitnessedHead>,
    /// The damaged streams.
    pub(super) damaged: HashMap<StreamId, Damage>,
    /// True if sled cannot list all streams, because a part of the store is unreadable.
    pub(super) has_unlisted: bool,
}

impl Survey {
    /// Looks at the head of every stream, in sled and in the witness.
    pub(super) fn of(events: &Tree, testimony: &Testimony) -> Self {
        let mut survey = Self {
            heads: HashMap::with_capacity(testimony.heads.len()),
            ..Self::default()
        };
        let mut after = None;
        // All in one pass, which ends before a part that cannot be read.
        while let Ok(page) = applied::last_records(events, after, PAGE_STREAMS)
            && let Some((last, ..)) = page.last()
        {
            after = Some(*last);
            for (stream, sequence, record) in page {
                let mark = Mark::of(&record);
                let found = WitnessedHead { sequence, mark };
                match testimony.heads.get(&stream) {
                    Some(witnessed) if *witnessed != found => {
                        survey.look_at(events, stream, Some(witnessed));
                    }
                    Some(_) | None => {
                        survey.heads.insert(stream, found);
                    }
                }
            }
        }
        let mut known = BTreeSet::new();
        loop {
            let next = match applied::stream_after(events, after) {
                Ok(next) => next,
                Err(error) => {
                    tracing::warn!(%error, "some streams cannot be listed; only those that the witness knows are found");
                    survey.has_unlisted = true;
                    if known.is_empty() {
                        known.extend(testimony.heads.keys().copied());
                    }
                    applied::next_known(&known, after)
                }
            };
            let Some(stream) = next else {
                break;
            };
            survey.look_at(events, stream, testimony.heads.get(&stream));
            after = Some(stream);
        }
        for (stream, witnessed) in &testimony.heads {
            if !survey.heads.contains_key(stream) {
                survey.look_at(events, *stream, Some(witnessed));
            }
        }
        survey
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

    fn look_at(&mut self, events: &Tree, stream: StreamId, witnessed: Option<&WitnessedHead>) {
        match compare(events, stream, witnessed) {
            Ok(Some(found)) => {
                self.heads.insert(stream, found);
            }
            Ok(None) => {}
            Err((from, loss)) => {
                // The witness keeps it, so that the damage is found at the next opening too.
                if let Some(witnessed) = witnessed {
                    self.heads.insert(stream, *witnessed);
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
