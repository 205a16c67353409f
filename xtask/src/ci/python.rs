#![expect(clippy::print_stdout, reason = "the command's report is its product")]

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::command::{command, shown};
use super::programs::{PROGRAMS, programs};
use super::tools::{Missing, attempt};
use crate::Tree;

/// The folder of the package.
const PACKAGE: &str = "bots/python/";

/// The package with what its checks need.
const REQUIREMENT: &str = "./bots/python[dev]";

/// The linters, as arguments of Python in the folder of the package. The tracked files of the package's
/// [`Lint::folders`] follow.
const LINTERS: &[Lint] = &[
    Lint {
        arguments: &[
            "-m",
            "ruff",
            "format",
            "--quiet",
            "--check",
            "--force-exclude",
        ],
        folders: &[""],
    },
    Lint {
        arguments: &["-m", "ruff", "check", "--quiet", "--force-exclude"],
        folders: &[""],
    },
    Lint {
        arguments: &["-m", "mypy", "--no-error-summary"],
        folders: &["src/", "tests/"],
    },
];

/// The tests, as arguments of Python in the folder of the package.
const TESTS: &[&[&str]] = &[
    // A source distribution, and a wheel made from that alone.
    &["-m", "build", "--no-isolation"],
    &["-m", "pytest", "--quiet", "-p", "no:cacheprovider"],
];

#[derive(Clone, Copy, Debug)]
struct Lint {
    arguments: &'static [&'static str],
    folders: &'static [&'static str],
}

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
    let package = root.join(PACKAGE);
    let mut well = true;
    let tree = Tree::load(root)?;
    for lint in LINTERS {
        let mut linter = python(root, &folder);
        linter.args(lint.arguments).current_dir(&package);
        println!("    $ {}", shown(&linter, root));
        linter.args(lint.files(&tree));
        let status = linter.status().with_context(|| format!("{linter:?}"))?;
        well &= status.success();
    }
    let programs = programs(root, target)?;
    for arguments in TESTS {
        let mut python = python(root, &folder);
        python
            .args(*arguments)
            .env(PROGRAMS, &programs)
            .current_dir(&package);
        println!("    $ {}", shown(&python, root));
        let status = python.status().with_context(|| format!("{python:?}"))?;
        well &= status.success();
    }
    Ok(Ok(well))
}

impl Lint {
    /// The tracked files that it reads, relative to the package.
    fn files(self, tree: &Tree) -> Vec<&str> {
        let paths = tree.paths(PACKAGE, ".py");
        let inside = paths.filter_map(|path| path.strip_prefix(PACKAGE));
        inside
            .filter(|path| self.folders.iter().any(|folder| path.starts_with(folder)))
            .collect()
    }
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
