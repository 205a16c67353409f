use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::command::{cargo_path, command};

/// The packages whose programs the tests in other languages start.
const PACKAGES: &[&str] = &[
    "dragontooth-service",
    "dragontooth-bots",
    "dragontooth-runner",
];

/// The variable with the folder of the programs; without it they are built.
pub(super) const PROGRAMS: &str = "DRAGONTOOTH_PROGRAMS";

/// The folder of the programs, which are built unless [`PROGRAMS`] names it.
///
/// # Errors
///
/// They cannot be built.
pub(super) fn programs(root: &Path, target: &Path) -> Result<PathBuf> {
    if let Some(built) = std::env::var_os(PROGRAMS) {
        return Ok(PathBuf::from(built));
    }
    let mut cargo = command(cargo_path(), root);
    cargo.args(["build", "--quiet", "--locked", "--bins"]);
    for package in PACKAGES {
        cargo.args(["--package", package]);
    }
    let status = cargo.status().context("cargo build")?;
    ensure!(status.success(), "the programs cannot be built");
    Ok(target.join("debug"))
}
