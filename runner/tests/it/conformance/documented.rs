//! The page of the kit.

use std::collections::BTreeSet;
use std::fs;

use dragontooth_runner_conformance::CHECKS;

#[test]
fn every_check_has_a_section_and_every_section_a_check() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/conformance.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, checks) = page.split_once("## The checks").unwrap();
    let sections = checks.lines().filter_map(|line| line.strip_prefix("### "));
    let sections: Vec<&str> = sections.collect();
    let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
    assert_eq!(sections, names);
    let unique: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(unique.len(), names.len());
}
