use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

/// The names of a book of lines so far, by their hashes: two of 10 million that are not the same have the same hash
/// in one of 300,000 such books, and then one of them gets its line.
#[derive(Default)]
pub(super) struct Names {
    hashes: HashSet<u64>,
}

impl Names {
    /// Takes the name of the next line, which is not empty. Returns true if it does not tell the opening from
    /// every other: it is that of an earlier line, or looks like one that an opening without a name gets, or one
    /// whose name is not its own.
    pub(super) fn take(&mut self, name: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let is_new = self.hashes.insert(hasher.finish());
        !is_new || is_given(name)
    }
}

/// The name of an opening without one.
pub(super) fn of_line(number: u32) -> String {
    format!("line {number}")
}

/// The name of an opening that others have too.
pub(super) fn with_line(name: &str, number: u32) -> String {
    format!("{name} ({})", of_line(number))
}

/// Returns true if a name looks like [`of_line`] or [`with_line`].
fn is_given(name: &str) -> bool {
    let last = name
        .strip_suffix(')')
        .and_then(|name| name.rsplit_once('('));
    let last = last.map_or(name, |(_, last)| last);
    let digits = last.strip_prefix("line ");
    digits.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}
