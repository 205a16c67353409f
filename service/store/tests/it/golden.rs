//! Records that were written down once and for all.

use std::{fs, path::Path};

use dragontooth_service_store::{ChainHead, MatchLog};
use dragontooth_service_vocabulary::MatchId;

/// The match to which they belong.
pub(crate) const ID: MatchId = MatchId::from_bytes([1; 16]);

/// The records of a file in `tests/data`: one a line in hexadecimal digits, among empty lines and
/// comments after `#`.
pub(crate) fn records(file: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(bytes)
        .collect()
}

/// The records of a whole match.
pub(crate) fn a_match() -> Vec<Vec<u8>> {
    records("match_format_1.txt")
}

/// The head of a match with these records.
pub(crate) fn head(id: MatchId, records: &[Vec<u8>]) -> ChainHead {
    let mut head = MatchLog::start(id);
    for record in records {
        head.follow(record).unwrap();
    }
    head
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16);
    (0..hex.len())
        .step_by(2)
        .map(|at| digits(at).unwrap_or_else(|error| panic!("{hex}: {error}")))
        .collect()
}
