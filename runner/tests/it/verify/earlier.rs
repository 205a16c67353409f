//! A run directory that an earlier version of the runner wrote.

use std::fs;
use std::path::{Path, PathBuf};

use dragontooth_runner::record::Manifest;
use dragontooth_runner::verify::{BookCheck, Mismatch, verify};
use dragontooth_runner_tournament::Ending;

/// The files that hold the results, without the reports, which are those of one version.
const FILES: [&str; 5] = [
    "event.json",
    "results.jsonl",
    "games.jsonl",
    "sessions.jsonl",
    "seal.json",
];

/// The event digest, as the version before adjudication printed it.
const DIGEST: &str = "5e755c29a8d3b99a473d6d15944af54dd9197ba34c225b5c61393ff5453730ae";

pub(super) fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/earlier_run")
}

/// Its matches, one of them drawn at the limit of plies, have the same results and the same digest as then, and the
/// manifest of its event is the same text.
#[test]
fn an_earlier_run_is_what_it_was() {
    let folder = tempfile::tempdir().unwrap();
    for file in FILES {
        fs::copy(fixture().join(file), folder.path().join(file)).unwrap();
    }
    let path = folder.path().join("event.json");
    let manifest = Manifest::read(&path).unwrap().unwrap();
    assert_eq!(manifest.text(), fs::read_to_string(&path).unwrap());
    let event = manifest.event().unwrap();
    let digest = DIGEST.parse().unwrap();
    let found = verify(folder.path(), &event, Some(digest), &BookCheck::default()).unwrap();
    assert_eq!((found.matches, found.verified), (4, 4));
    let told: Vec<&Mismatch> = found
        .disagreements
        .iter()
        .map(|one| &one.mismatch)
        .collect();
    assert_eq!(told, [&Mismatch::NoReports]);
    let results = found.results.with_match(found.schedule.matches());
    let drawn = results.filter(|(_, result)| result.termination == Ending::Adjudicated);
    let drawn: Vec<_> = drawn
        .map(|(_, result)| (result.winner, result.call))
        .collect();
    assert!(!drawn.is_empty());
    assert!(drawn.iter().all(|one| *one == (None, None)));
}
