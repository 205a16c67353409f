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
    (
        "deploy/helm/dragontooth/Chart.yaml",
        "appVersion: \"",
        Whose::Ours,
    ),
];

#[derive(Clone, Copy, Debug)]
enum Whose {
    Rust,
    Ours,
}

/// Compares the versions in `deploy/` with those of the toolchain and of the workspace.
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
            &rest[..end.unwrap_or(rest.len())]
        })
        .collect();
    anyhow::ensure!(!found.is_empty(), "{path} has no {before:?}");
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_a_version_that_was_left_behind() {
        let files = |rust: &str, ours: &str| {
            [
                (
                    "rust-toolchain.toml",
                    "[toolchain]\nchannel = \"1.2.3\"\n".to_owned(),
                ),
                (
                    "Cargo.toml",
                    "[workspace.package]\nversion = \"0.4.0\"\n".to_owned(),
                ),
                (
                    "deploy/Dockerfile",
                    format!("ARG RUST_VERSION={rust}\nARG VERSION=0.4.0\nARG VERSION={ours}\n"),
                ),
                (
                    "deploy/compose.yaml",
                    "a:${DRAGONTOOTH_VERSION:-0.4.0}\n".to_owned(),
                ),
                (
                    "deploy/replicas.yaml",
                    "a:${DRAGONTOOTH_VERSION:-0.4.0}\n".to_owned(),
                ),
                (
                    "deploy/helm/dragontooth/Chart.yaml",
                    format!("appVersion: \"{ours}\"\n"),
                ),
            ]
        };
        let count = |rust, ours| {
            let files = files(rust, ours);
            let texts: Vec<(&str, &str)> = files
                .iter()
                .map(|(path, text)| (*path, text.as_str()))
                .collect();
            compare(&Tree::of(&texts)).unwrap().len()
        };
        assert_eq!(count("1.2.3", "0.4.0"), 0);
        assert_eq!(count("1.2.4", "0.4.0"), 1);
        assert_eq!(count("1.2.3", "0.4.1"), 2);
        compare(&Tree::of(&[])).unwrap_err();
    }
}
