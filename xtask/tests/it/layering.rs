use std::collections::BTreeSet;

use tempfile::TempDir;
use xtask::layering;

use super::beside::{git, write};

/// A workspace that breaks every rule: a crate that the table does not know, and one that depends on it, has
/// it within its reach, shares a noun with it, and has a circle.
const BROKEN: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"games\", \"rand\"]\n",
    ),
    (
        "Cargo.lock",
        "version = 4\n\n[[package]]\nname = \"dragontooth-games\"\nversion = \"0.1.0\"\ndependencies = [\n \"rand\",\n]\n\n\
         [[package]]\nname = \"rand\"\nversion = \"0.1.0\"\n",
    ),
    (
        "games/Cargo.toml",
        "[package]\nname = \"dragontooth-games\"\nversion = \"0.1.0\"\n[dependencies]\nrand = { path = \"../rand\" }\n",
    ),
    ("games/src/lib.rs", "mod a;\nmod b;\npub struct Noun;\n"),
    ("games/src/a.rs", "use crate::b::B;\npub struct A;\n"),
    ("games/src/b.rs", "use crate::a::A;\npub struct B;\n"),
    (
        "rand/Cargo.toml",
        "[package]\nname = \"rand\"\nversion = \"0.1.0\"\n",
    ),
    ("rand/src/lib.rs", "pub struct Noun;\n"),
];

#[test]
fn every_rule_is_checked() {
    let place = TempDir::new().unwrap();
    for (path, text) in BROKEN {
        write(place.path(), path, text);
    }
    git(place.path(), &["init", "--quiet"]);
    git(place.path(), &["add", "--all"]);
    let findings = layering::check_repository(place.path()).unwrap();
    let about = ["dragontooth-games", "rand", "Noun"];
    let broken: BTreeSet<&str> = findings
        .iter()
        .filter(|finding| about.contains(&finding.place.as_str()))
        .map(|finding| finding.rule)
        .collect();
    let expected = BTreeSet::from(["arrow", "circle", "layer", "noun", "reach"]);
    assert_eq!(broken, expected, "{findings:?}");
}
