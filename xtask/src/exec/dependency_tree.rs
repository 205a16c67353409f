use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::command::{cargo_path, command};

/// The tree of the dependencies that a package of the workspace at `root` has at run time, with a line for each crate: its
/// depth, then the `fields` in the language of `cargo tree`.
///
/// # Errors
///
/// Cargo fails, or there is no such package.
pub(crate) fn dependency_tree(root: &Path, package: &str, fields: &str) -> Result<String> {
    let output = command(cargo_path(), root)
        .args(["tree", "--locked", "--edges", "normal,no-proc-macro"])
        .args(["--prefix", "depth", "--format", fields])
        .args(["--package", package])
        .output()
        .context("cargo tree")?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo tree: {error}");
    Ok(String::from_utf8(output.stdout)?)
}
