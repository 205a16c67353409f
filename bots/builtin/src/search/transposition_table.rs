use super::Value;

/// Bytes of an entry of a [`TranspositionTable`].
const ENTRY_BYTES: usize = size_of::<Entry>();

/// Values of positions that were searched, by the positions' keys, in a fixed amount of memory.
///
/// The table consists of buckets of two entries: the first keeps the deepest search, the second the
/// latest of the others. Entries of earlier decisions are ignored, so a decision depends on its position
/// alone.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    buckets: Vec<[Entry; 2]>,
    /// The decision that is being made, from 1; 0 marks entries that were never written.
    generation: u8,
}

/// An entry of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// A value, seen from the position itself.
    pub(super) value: Value,
    /// The relation of the value to the true one.
    pub(super) bound: Bound,
    /// The plies that were searched.
    pub(super) depth: u8,
    /// True if every line was searched to its end, so that a deeper search would find the same.
    pub(super) is_closed: bool,
    /// Index of the best action in the order of the rules.
    pub(super) best: u16,
}

/// The relation of a stored value to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The true value is that or less.
    Upper,
    /// The true value is that or more.
    Lower,
    /// The true value is that.
    Exact,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    value: i32,
    best: u16,
    depth: u8,
    /// Five bits of generation, one for a search that is closed, two of bound.
    tag: u8,
}

const GENERATION_SHIFT: u32 = 3;
const GENERATION_MAX: u8 = u8::MAX >> GENERATION_SHIFT;
const CLOSED: u8 = 1 << 2;

impl TranspositionTable {
    /// Creates a table of at most `bytes` bytes, or of the size that a search of `nodes` can use, if that is
    /// less. `None` if there is no room for a bucket.
    pub(super) fn new(bytes: usize, nodes: Option<u64>) -> Option<Self> {
        let room = bytes / (2 * ENTRY_BYTES);
        let needed = nodes.map_or(usize::MAX, |nodes| {
            usize::try_from(nodes).unwrap_or(usize::MAX)
        });
        let wanted = room.min(needed.max(1));
        let count = if wanted == 0 {
            return None;
        } else {
            1 << wanted.ilog2()
        };
        let empty = Entry {
            key: 0,
            value: 0,
            best: 0,
            depth: 0,
            tag: 0,
        };
        Some(Self {
            buckets: vec![[empty; 2]; count],
            generation: 0,
        })
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        if self.generation == GENERATION_MAX {
            self.buckets
                .as_flattened_mut()
                .iter_mut()
                .for_each(|entry| entry.tag = 0);
            self.generation = 0;
        }
        self.generation += 1;
    }

    /// Returns the entry for a key, preferably from a search of `depth` plies.
    #[inline]
    pub(super) fn find(&self, key: u64, depth: u8) -> Option<Known> {
        let bucket = &self.buckets[self.place(key)];
        let [deep, latest] = bucket
            .each_ref()
            .map(|e| (e.key == key && e.tag >> GENERATION_SHIFT == self.generation).then_some(e));
        let entry = latest
            .filter(|entry| entry.depth == depth)
            .or(deep)
            .or(latest)?;
        let bound = match entry.tag & 3 {
            0 => Bound::Upper,
            1 => Bound::Lower,
            _ => Bound::Exact,
        };
        let value = Value::from_points(entry.value);
        Some(Known {
            value,
            bound,
            depth: entry.depth,
            is_closed: entry.tag & CLOSED != 0,
            best: entry.best,
        })
    }

    #[inline]
    pub(super) fn store(&mut self, key: u64, known: Known) {
        let closed = if known.is_closed { CLOSED } else { 0 };
        let entry = Entry {
            key,
            value: known.value.points(),
            best: known.best,
            depth: known.depth,
            tag: self.generation << GENERATION_SHIFT | closed | known.bound as u8,
        };
        let place = self.place(key);
        let [deep, latest] = &mut self.buckets[place];
        if deep.tag >> GENERATION_SHIFT != self.generation || deep.depth <= entry.depth {
            if deep.key != key || deep.depth != entry.depth {
                *latest = *deep;
            }
            *deep = entry;
        } else {
            *latest = entry;
        }
    }

    fn place(&self, key: u64) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted")]
        let bits = key as usize;
        bits & (self.buckets.len() - 1)
    }
}
