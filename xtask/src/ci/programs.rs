use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::command::{cargo_path, command};

/// The packages whose programs the tests in other languages start.
const PACKAGES: &[&str] = &[
    "dragontooth-service",
    "dragontooth-bots",
    "dragontooth-runner",
];

/// Builds the programs, and gives the folder in which they are.
///
/// # Errors
///
/// They cannot be built.
pub(super) fn build_programs(root: &Path, target: &Path) -> Result<PathBuf> {
    let mut cargo = command(cargo_path(), root);
    cargo.args(["build", "--quiet", "--locked", "--bins"]);
    for package in PACKAGES {
        cargo.args(["--package", package]);
    }
    let status = cargo.status().context("cargo build")?;
    ensure!(status.success(), "the programs cannot be built");
    Ok(target.join("debug"))
}
