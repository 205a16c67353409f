use std::collections::HashMap;

use crate::catalogue::shelf::ALL;

/// A key of a shelf by a number that is shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct KeyNumber(u32);

/// The number of the key that most shelves have, which is not looked up.
const ALL_NUMBER: KeyNumber = KeyNumber(0);

/// The numbers of the keys that have or had a match.
#[derive(Debug, Default)]
pub(super) struct Keys(HashMap<[u8; 16], KeyNumber>);

impl Keys {
    pub(super) fn find(&self, key: [u8; 16]) -> Option<KeyNumber> {
        if key == ALL {
            return Some(ALL_NUMBER);
        }
        self.0.get(&key).copied()
    }

    /// The number of a key, a new one if it has none.
    pub(super) fn enter(&mut self, key: [u8; 16]) -> KeyNumber {
        if key == ALL {
            return ALL_NUMBER;
        }
        let known = u32::try_from(self.0.len()).expect("2^32 keys do not fit into memory");
        *self.0.entry(key).or_insert(KeyNumber(known + 1))
    }
}
