//! Versions that several files repeat are the same in all of them.

use std::path::Path;

use anyhow::{Context, Result};

use crate::{Finding, Tree};

/// A file, the text before a version in it, and the owner of that version.
const PLACES: &[(&str, &str, Whose)] = &[
    ("deploy/Dockerfile", "ARG RUST_VERSION=", Whose::Rust),
    ("deploy/Dockerfile", "ARG VERSION=", Whose::Ours),
    ("deploy/compose.yaml", "DRAGONTOOTH_VERSION:-", Whose::Ours),
    ("deploy/replicas.yaml", "DRAGONTOOTH_VERSION:-", Whose::Ours),
    (CHART, "\nversion: ", Whose::Ours),
    (CHART, "appVersion: \"", Whose::Ours),
    ("deploy/README.md", "dragontooth-runner:", Whose::Ours),
    ("deploy/README.md", "dragontooth-service:", Whose::Ours),
    (
        "docs/operations/data.md",
        "dragontooth-service:",
        Whose::Ours,
    ),
    ("docs/bots.md", "bots/typescript/dragontooth-", Whose::Ours),
    ("bots/python/pyproject.toml", "\nversion = \"", Whose::Ours),
    (
        "bots/typescript/README.md",
        "builds dragontooth-",
        Whose::Ours,
    ),
    (
        "bots/typescript/README.md",
        "PATH/dragontooth-",
        Whose::Ours,
    ),
    (
        "bots/typescript/package.json",
        "\"version\": \"",
        Whose::Ours,
    ),
    (
        "bots/typescript/package-lock.json",
        "\"name\": \"dragontooth\",\n  \"version\": \"",
        Whose::Ours,
    ),
    (
        "bots/typescript/package-lock.json",
        "\"name\": \"dragontooth\",\n      \"version\": \"",
        Whose::Ours,
    ),
];

const CHART: &str = "deploy/helm/dragontooth/Chart.yaml";

#[derive(Clone, Copy, Debug)]
enum Whose {
    Rust,
    Ours,
}

/// Compares the versions that files repeat with those of the toolchain and of the workspace.
///
/// # Errors
///
/// A file cannot be read, or has no version.
pub fn check_versions(root: &Path) -> Result<Vec<Finding>> {
    compare(&Tree::load(root)?)
}

fn compare(tree: &Tree) -> Result<Vec<Finding>> {
    let rust = versions(tree, "rust-toolchain.toml", "channel = \"")?[0];
    let ours = versions(tree, "Cargo.toml", "\nversion = \"")?[0];
    let mut findings = Vec::new();
    for &(path, before, whose) in PLACES {
        let wanted = match whose {
            Whose::Rust => rust,
            Whose::Ours => ours,
        };
        for found in versions(tree, path, before)? {
            if found != wanted {
                let message = format!("{before}{found}: elsewhere it is {wanted}");
                findings.push(Finding::whole(path, "version", message));
            }
        }
    }
    Ok(findings)
}

/// The versions after a text, at least one.
fn versions<'a>(tree: &'a Tree, path: &str, before: &str) -> Result<Vec<&'a str>> {
    let text = tree.text(path).with_context(|| format!("no {path}"))?;
    let found: Vec<&str> = text
        .match_indices(before)
        .map(|(at, _)| {
            let rest = &text[at + before.len()..];
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
            // A version may end a sentence, or be followed by the ending of a file's name.
            rest[..end.unwrap_or(rest.len())].trim_end_matches('.')
        })
        .collect();
    anyhow::ensure!(!found.is_empty(), "{path} has no {before:?}");
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places with the versions of the toolchain and of the workspace 1.2.3 and 0.4.0, but for `change`, which
    /// gives the text after the place of a number.
    fn findings(change: impl Fn(usize) -> Option<&'static str>) -> Vec<Finding> {
        let mut files: Vec<(&str, String)> = vec![
            ("rust-toolchain.toml", "channel = \"1.2.3\"\n".to_owned()),
            ("Cargo.toml", "[a]\nversion = \"0.4.0\"\n".to_owned()),
        ];
        for (number, &(path, before, whose)) in PLACES.iter().enumerate() {
            let right = match whose {
                Whose::Rust => "1.2.3\n",
                Whose::Ours => "0.4.0.tgz\n",
            };
            let text = format!("{before}{}", change(number).unwrap_or(right));
            match files.iter_mut().find(|file| file.0 == path) {
                Some(file) => file.1.push_str(&text),
                None => files.push((path, text)),
            }
        }
        let texts: Vec<_> = files.iter().map(|(path, text)| (*path, &**text)).collect();
        compare(&Tree::of(&texts)).unwrap()
    }

    #[test]
    fn sees_a_version_that_was_left_behind() {
        assert_eq!(findings(|_| None), []);
        for (place, (path, ..)) in PLACES.iter().enumerate() {
            let found = findings(|number| (number == place).then_some("0.3.9\n"));
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].place, *path);
        }
        assert_eq!(findings(|_| Some("1.2.4\n")).len(), PLACES.len());
        compare(&Tree::of(&[])).unwrap_err();
    }
}
