use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::Tree;
use crate::exec::{Context, PROGRAMS, programs};

/// The folder of the package.
const PACKAGE: &str = "bots/python/";

/// The package with the packages that its checks need.
const REQUIREMENT: &str = "./bots/python[dev]";

/// Arguments of Python, followed by tracked files of the package.
#[derive(Clone, Copy, Debug)]
struct Linter {
    arguments: &'static [&'static str],
    /// The folders of the files; an empty name is the whole package.
    folders: &'static [&'static str],
}

const LINTERS: &[Linter] = &[
    Linter {
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
    Linter {
        arguments: &["-m", "ruff", "check", "--quiet", "--force-exclude"],
        folders: &[""],
    },
    Linter {
        arguments: &["-m", "mypy", "--no-error-summary"],
        folders: &["src/", "tests/"],
    },
];

/// Builds a source distribution, and a wheel from that alone.
const BUILD: &[&str] = &["-m", "build", "--no-isolation"];

const TEST: &[&str] = &["-m", "pytest", "--quiet", "-p", "no:cacheprovider"];

/// Makes the tests run the conformance kit in every game.
const ALL_GAMES: &str = "--every-game";

/// Lints the Python package, builds it, and runs its tests on our programs.
///
/// # Errors
///
/// The programs cannot be built, or a command cannot be run.
pub(crate) fn check_package(context: &Context) -> Result<bool> {
    Ok(lint(context)? & test(context)?)
}

/// Installs the Python package into an environment of its own, as its README says, lints and builds it.
///
/// # Errors
///
/// A command cannot be run.
pub(super) fn lint(context: &Context) -> Result<bool> {
    let folder = install(context)?;
    let tree = Tree::load(&context.root)?;
    let mut well = true;
    for linter in LINTERS {
        let mut command = python(context, &folder);
        command.args(linter.arguments).args(linter.files(&tree));
        well &= context.passes(&mut command)?;
    }
    Ok(well & context.passes(python(context, &folder).args(BUILD))?)
}

/// Runs the tests of the Python package on our programs.
///
/// # Errors
///
/// The programs cannot be built, or a command cannot be run.
pub(super) fn test(context: &Context) -> Result<bool> {
    let folder = install(context)?;
    let mut tests = python(context, &folder);
    tests.args(TEST).env(PROGRAMS, programs(context)?);
    // By default pytest keeps the folders of the last runs in the temporary folder.
    tests
        .arg("--basetemp")
        .arg(context.target.join("python-tests"));
    tests.args(context.effort.pick(None, Some(ALL_GAMES)));
    context.passes(&mut tests)
}

impl Linter {
    /// The tracked files that it reads, relative to the package.
    fn files(self, tree: &Tree) -> Vec<&str> {
        let paths = tree.paths(PACKAGE, ".py");
        let inside = paths.filter_map(|path| path.strip_prefix(PACKAGE));
        inside
            .filter(|path| self.folders.iter().any(|folder| path.starts_with(folder)))
            .collect()
    }
}

/// Brings the package as it is now into a virtual environment and returns its folder.
fn install(context: &Context) -> Result<PathBuf> {
    let folder = context.target.join("python");
    if !folder.join("bin/python").is_file() {
        let mut python3 = context.command("python3");
        Context::fetch(python3.args(["-m", "venv", "--clear"]).arg(&folder))?;
    }
    let mut pip = python(context, &folder);
    pip.current_dir(&context.root)
        .args(["-m", "pip", "install", "--quiet"])
        .args(["--disable-pip-version-check", REQUIREMENT]);
    Context::fetch(&mut pip)?;
    Ok(folder)
}

/// Python in the environment `folder`, run in the folder of the package.
fn python(context: &Context, folder: &Path) -> Command {
    let mut python = context.command(folder.join("bin/python"));
    python.current_dir(context.root.join(PACKAGE));
    python
}
