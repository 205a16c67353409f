#![expect(clippy::print_stdout, reason = "the command's report is its product")]

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::command::{command, shown};
use super::programs::{PROGRAMS, programs};
use super::tools::{Missing, attempt};

/// The folder of the package.
const PACKAGE: &str = "bots/typescript";

/// What installs the packages that the lock file names, no others, and runs no program of theirs.
const INSTALL: &[&str] = &[
    "ci",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
];

/// The checks, as arguments of npm in the folder of the package.
const CHECKS: &[&[&str]] = &[&["run", "--silent", "build"], &["test", "--silent"]];

/// Builds the TypeScript package as its README says, and runs its tests on our programs.
///
/// # Errors
///
/// The programs cannot be built, or a command cannot be run.
pub(crate) fn check_package(root: &Path, target: &Path) -> Result<Result<bool, Missing>> {
    let mut install = npm(root, INSTALL);
    println!("    $ {}", shown(&install, root));
    if let Err(missing) = attempt(&mut install) {
        return Ok(Err(missing));
    }
    let programs = programs(root, target)?;
    for arguments in CHECKS {
        let mut npm = npm(root, arguments);
        npm.env(PROGRAMS, &programs);
        println!("    $ {}", shown(&npm, root));
        let status = npm.status().with_context(|| format!("{npm:?}"))?;
        if !status.success() {
            return Ok(Ok(false));
        }
    }
    Ok(Ok(true))
}

fn npm(root: &Path, arguments: &[&str]) -> Command {
    let mut npm = command("npm", root);
    npm.args(arguments).current_dir(root.join(PACKAGE));
    npm
}
