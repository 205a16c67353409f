use std::path::Path;

use anyhow::Result;

use super::{dependencies, form, links, manifests, marks, names, places, stored_keys};
use crate::{Finding, Package, Tree, Workspace};

/// Checks the repository at `root`.
///
/// # Errors
///
/// A file cannot be read, or Cargo cannot describe the workspace.
pub fn check_repository(root: &Path) -> Result<Vec<Finding>> {
    let tree = Tree::load(root)?;
    let workspace = Workspace::load(root)?;
    let mut findings = check(&tree, &workspace.packages);
    findings.extend(stored_keys::check(&tree));
    let root = root.display().to_string();
    for file in &tree.files {
        findings.extend(marks::path_of_this_machine(file, &root));
    }
    findings.sort();
    Ok(findings)
}

/// Checks files and the packages that they make up against every rule that depends on nothing
/// else; sorted.
#[must_use]
pub fn check(tree: &Tree, packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        findings.extend(form::check(file));
        findings.extend(names::check(file));
        findings.extend(marks::check(file));
        findings.extend(places::check(file));
        findings.extend(links::check(file, tree));
        findings.extend(manifests::check(file));
    }
    findings.extend(manifests::check_tests(tree));
    findings.extend(dependencies::check(tree, packages));
    findings.sort();
    findings
}
