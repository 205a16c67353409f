//! The build context of the images has every package of the workspace: Cargo reads the manifests of all of them.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::{Finding, Tree};

/// The file that says what images are built from.
const IGNORED: &str = ".dockerignore";

/// Finds the folders of packages that images are built without.
///
/// # Errors
///
/// A file cannot be read, or names no packages.
pub fn check_build_context(root: &Path) -> Result<Vec<Finding>> {
    missing(&Tree::load(root)?)
}

fn missing(tree: &Tree) -> Result<Vec<Finding>> {
    let manifest = tree.text("Cargo.toml").context("no Cargo.toml")?;
    let (_, rest) = manifest.split_once("\nmembers = [").context("no members")?;
    let (members, _) = rest.split_once(']').context("no end of the members")?;
    let folders: BTreeSet<&str> = members
        .split('"')
        .skip(1)
        .step_by(2)
        .filter_map(|member| member.split('/').next())
        .collect();
    let lines = tree.text(IGNORED).context(IGNORED)?;
    let finding = |line: &str| {
        let message = format!("{line} is missing: Cargo reads the manifest of every package");
        Finding::whole(IGNORED, "build-context", message)
    };
    Ok(folders
        .into_iter()
        .map(|folder| format!("!{folder}"))
        .filter(|wanted| !lines.lines().any(|line| line == wanted))
        .map(|line| finding(&line))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_images_are_built_without_is_found() {
        let manifest =
            "[workspace]\nmembers = [\n    \"cli\",\n    \"runner\",\n    \"runner/live\",\n]\n";
        let found = |ignored: &str| {
            let tree = Tree::of(&[("Cargo.toml", manifest), (IGNORED, ignored)]);
            let findings = missing(&tree).unwrap();
            findings.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(found("*\n!cli\n!runner\n"), [""; 0]);
        let without = found("*\n!runner\nrunner/target\n");
        assert_eq!(without.len(), 1);
        assert!(without[0].contains("!cli"), "{without:?}");
        missing(&Tree::of(&[])).unwrap_err();
    }
}
