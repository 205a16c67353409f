#![expect(clippy::print_stdout, reason = "the command's report is its product")]

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::command::{command, shown};
use super::programs::{PROGRAMS, programs};
use super::tools::{Missing, attempt};

/// The folder of the package.
const PACKAGE: &str = "bots/python";

/// The package with what its checks need.
const REQUIREMENT: &str = "./bots/python[dev]";

/// The checks, as arguments of Python in the folder of the package.
const CHECKS: &[&[&str]] = &[
    &["-m", "ruff", "format", "--quiet", "--check"],
    &["-m", "ruff", "check", "--quiet"],
    &["-m", "mypy", "--no-error-summary"],
    // A source distribution, and a wheel of nothing but that.
    &["-m", "build", "--no-isolation"],
    &["-m", "pytest", "--quiet", "-p", "no:cacheprovider"],
];

/// Installs the Python package into an environment of its own, as its README says, and runs its
/// linters and its tests on our programs.
///
/// # Errors
///
/// The programs cannot be built, or a command cannot be run.
pub(crate) fn check_package(root: &Path, target: &Path) -> Result<Result<bool, Missing>> {
    let folder = target.join("python");
    if let Err(missing) = install(root, &folder) {
        return Ok(Err(missing));
    }
    let programs = programs(root, target)?;
    let mut well = true;
    for arguments in CHECKS {
        let mut python = python(root, &folder);
        python
            .args(*arguments)
            .env(PROGRAMS, &programs)
            .current_dir(root.join(PACKAGE));
        println!("    $ {}", shown(&python, root));
        let status = python.status().with_context(|| format!("{python:?}"))?;
        well &= status.success();
    }
    Ok(Ok(well))
}

/// Sees to it that the virtual environment `folder` has the package as it is now.
fn install(root: &Path, folder: &Path) -> Result<(), Missing> {
    if !folder.join("bin/python").is_file() {
        attempt(
            command("python3", root)
                .args(["-m", "venv", "--clear"])
                .arg(folder),
        )?;
    }
    let mut pip = python(root, folder);
    pip.args(["-m", "pip", "install", "--quiet"])
        .args(["--disable-pip-version-check", REQUIREMENT]);
    println!("    $ {}", shown(&pip, root));
    attempt(&mut pip)
}

fn python(root: &Path, folder: &Path) -> Command {
    command(folder.join("bin/python"), root)
}
