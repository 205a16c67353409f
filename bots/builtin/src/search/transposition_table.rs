use super::Value;

/// Bytes of an entry of a [`TranspositionTable`].
const ENTRY_BYTES: usize = size_of::<Slot>();

/// Values of positions that were searched, by the positions' keys, in a fixed amount of memory.
///
/// The table consists of buckets of two entries: the first keeps the deepest search, the second the
/// latest of the others. Entries of earlier decisions are ignored, so a decision depends on its position
/// alone. The system provides the memory as entries are written, so even a large table is made at once.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    buckets: Vec<[Slot; 2]>,
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

/// An entry in the table: its key and the bytes of the other fields. The standard library asks the system for zeroed
/// memory only for numbers and arrays of them, and would write a table of structs entry by entry.
type Slot = [u64; 2];

/// A slot that was never written.
const EMPTY: Slot = [0; 2];

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
        Some(Self {
            buckets: vec![[EMPTY; 2]; count],
            generation: 0,
        })
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        if self.generation == GENERATION_MAX {
            let count = self.buckets.len();
            // Given back first, so that there are never two tables.
            self.buckets = Vec::new();
            self.buckets = vec![[EMPTY; 2]; count];
            self.generation = 0;
        }
        self.generation += 1;
    }

    /// Returns the entry for a key, preferably from a search of `depth` plies.
    #[inline]
    pub(super) fn find(&self, key: u64, depth: u8) -> Option<Known> {
        let bucket = &self.buckets[self.place(key)];
        let [deep, latest] = bucket
            .map(Entry::unpack)
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
        let [deepest, latest] = &mut self.buckets[place];
        let deep = Entry::unpack(*deepest);
        if deep.tag >> GENERATION_SHIFT != self.generation || deep.depth <= entry.depth {
            if deep.key != key || deep.depth != entry.depth {
                *latest = *deepest;
            }
            *deepest = entry.pack();
        } else {
            *latest = entry.pack();
        }
    }

    fn place(&self, key: u64) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted")]
        let bits = key as usize;
        bits & (self.buckets.len() - 1)
    }
}

impl Entry {
    #[inline]
    fn pack(self) -> Slot {
        let [v0, v1, v2, v3] = self.value.to_le_bytes();
        let [b0, b1] = self.best.to_le_bytes();
        let rest = [v0, v1, v2, v3, b0, b1, self.depth, self.tag];
        [self.key, u64::from_le_bytes(rest)]
    }

    #[inline]
    fn unpack([key, rest]: Slot) -> Self {
        let [v0, v1, v2, v3, b0, b1, depth, tag] = rest.to_le_bytes();
        Self {
            key,
            value: i32::from_le_bytes([v0, v1, v2, v3]),
            best: u16::from_le_bytes([b0, b1]),
            depth,
            tag,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decisions until the generations begin anew.
    const DECISIONS: u8 = 2 * GENERATION_MAX + 1;

    fn known(points: i32, best: u16, depth: u8, is_closed: bool, bound: Bound) -> Known {
        Known {
            value: Value::from_points(points),
            bound,
            depth,
            is_closed,
            best,
        }
    }

    #[test]
    fn what_is_stored_is_found() {
        let mut table = TranspositionTable::new(1 << 16, None).unwrap();
        let all = [
            known(-7, u16::MAX, 1, false, Bound::Upper),
            known(i32::MAX, 0, u8::MAX, true, Bound::Lower),
            known(-i32::MAX, 0x0102, 3, true, Bound::Exact),
        ];
        table.clear();
        for (key, known) in (0..).zip(all) {
            assert_eq!(table.find(key, known.depth), None);
            table.store(key, known);
        }
        for (key, known) in (0..).zip(all) {
            assert_eq!(table.find(key, known.depth), Some(known));
        }
    }

    #[test]
    fn what_was_stored_for_an_earlier_decision_is_not_found() {
        let mut table = TranspositionTable::new(1 << 16, None).unwrap();
        for decision in 0..DECISIONS {
            table.clear();
            for earlier in 0..decision {
                assert_eq!(table.find(earlier.into(), 1), None, "{earlier}, {decision}");
            }
            table.store(decision.into(), known(1, 0, 1, false, Bound::Exact));
        }
    }

    /// The first decision of a match would lose its clock to a table that is written when it is made.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_large_table_takes_no_memory_before_it_is_used() {
        const BYTES: usize = 1 << 30;
        let before = resident_bytes();
        let mut table = TranspositionTable::new(BYTES, None).unwrap();
        for _ in 0..DECISIONS {
            let taken = resident_bytes().saturating_sub(before);
            assert!(taken < BYTES / 2, "{taken} bytes");
            table.clear();
        }
        assert_eq!(size_of_val(table.buckets.as_slice()), BYTES);
    }

    /// The program's bytes in memory, in whole pages.
    #[cfg(target_os = "linux")]
    fn resident_bytes() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line
            .and_then(|line| line.trim().strip_suffix(" kB"))
            .unwrap();
        kibibytes.parse::<usize>().unwrap() << 10
    }
}
