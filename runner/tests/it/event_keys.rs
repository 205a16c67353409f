//! The keys of the file that describes an event: each that ever was in a release stays, so that old files can be read.

use std::collections::BTreeSet;
use std::path::Path;

use dragontooth_runner::config::RunConfig;

/// All keys, as they are listed.
const LISTED: &str = include_str!("../data/event_keys.txt");

/// A key that no table has.
const UNKNOWN: &str = "unknown_key = 1";

/// Each table of the file, with the unknown key in the place of `?`.
const TABLES: &[&str] = &[
    "?",
    "[event]\n?",
    "[event]\nadjudicate = { ? }",
    "[event]\nadjudicate = { win = { ? } }",
    "[event]\nadjudicate = { draw = { ? } }",
    "[event]\nopenings = { ? }",
    "[event]\ntime_control = { ? }",
    "[event]\nformat = 'sprt'\nsprt = { ? }",
    "[event]\nformat = 'arena'\narena = { ? }",
    "[service]\n?",
    "[limits]\n?",
    "[[bot]]\n?",
    "[[bot]]\ntime_control = { ? }",
];

/// The parser says of each table which keys it knows.
#[test]
fn what_is_listed_is_known() {
    let mut keys = BTreeSet::new();
    for table in TABLES {
        let text = table.replace('?', UNKNOWN);
        let problems = RunConfig::parse(&text, Path::new(""), None).unwrap_err();
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let told = problems.iter().find_map(|problem| {
            let (place, known) =
                problem.split_once("unknown_key: unknown key; expected one of ")?;
            let path = place.rsplit(' ').next()?;
            Some((path.replace("bot[1]", "bot"), known))
        });
        let (path, known) = told.unwrap_or_else(|| panic!("{table}: {problems:?}"));
        keys.extend(known.split(", ").map(|key| format!("{path}{key}")));
    }
    let listed: BTreeSet<String> = LISTED
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    let gone: Vec<_> = listed.difference(&keys).collect();
    assert!(gone.is_empty(), "old files have these keys: {gone:?}");
    let new: Vec<_> = keys.difference(&listed).collect();
    assert!(new.is_empty(), "add them to the list: {new:#?}");
}
