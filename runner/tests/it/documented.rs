//! The keys and columns that the pages describe.

use std::collections::BTreeSet;

use serde_json::Value;

pub(crate) const ARENA: &str = include_str!("../../../docs/runner/arena.md");
pub(crate) const REPORTS: &str = include_str!("../../../docs/runner/reports.md");
pub(crate) const STATISTICS: &str = include_str!("../../../docs/runner/statistics.md");

/// The words in code font of the section with this heading.
pub(crate) fn words<'a>(page: &'a str, heading: &str) -> BTreeSet<&'a str> {
    let start = format!("\n{heading}\n");
    let (_, section) = page.split_once(&start).unwrap();
    let end = section.find("\n## ").unwrap_or(section.len());
    section[..end].split('`').skip(1).step_by(2).collect()
}

/// The keys of all objects in a value.
pub(crate) fn keys(value: &Value) -> BTreeSet<&str> {
    match value {
        Value::Object(object) => {
            let own = object.keys().map(String::as_str);
            own.chain(object.values().flat_map(keys)).collect()
        }
        Value::Array(list) => list.iter().flat_map(keys).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => BTreeSet::new(),
    }
}

/// Asserts that the section describes all of these.
pub(crate) fn assert_described<'a>(
    page: &str,
    heading: &str,
    names: impl IntoIterator<Item = &'a str>,
) {
    let described = words(page, heading);
    let names = names.into_iter();
    let missing: Vec<&str> = names.filter(|name| !described.contains(name)).collect();
    assert!(missing.is_empty(), "{heading} lacks {missing:?}");
}
