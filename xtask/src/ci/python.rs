use anyhow::Result;

use crate::Tree;
use crate::exec::{Context, PROGRAMS, PYTHON_PACKAGE, programs, python_in, python_package};

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
    let folder = python_package(context)?;
    let tree = Tree::load(&context.root)?;
    let mut well = true;
    for linter in LINTERS {
        let mut command = python_in(context, &folder);
        command.args(linter.arguments).args(linter.files(&tree));
        well &= context.passes(&mut command)?;
    }
    Ok(well & context.passes(python_in(context, &folder).args(BUILD))?)
}

/// Runs the tests of the Python package on our programs.
///
/// # Errors
///
/// The programs cannot be built, or a command cannot be run.
pub(super) fn test(context: &Context) -> Result<bool> {
    let folder = python_package(context)?;
    let mut tests = python_in(context, &folder);
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
        let paths = tree.paths(PYTHON_PACKAGE, ".py");
        let inside = paths.filter_map(|path| path.strip_prefix(PYTHON_PACKAGE));
        inside
            .filter(|path| self.folders.iter().any(|folder| path.starts_with(folder)))
            .collect()
    }
}
