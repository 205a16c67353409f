use std::path::Path;

use anyhow::Result;

use super::tools::{Missing, Tool};
use super::{conformance, go, python, typescript};
use crate::{Finding, deploy, layering, oracle, tidy};

/// A check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) work: Work,
}

/// What a check does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// Runs Cargo with these arguments and these variables.
    Cargo(
        &'static [&'static str],
        &'static [(&'static str, &'static str)],
    ),
    /// Runs a check of this package: the command that runs it alone, and the check.
    Own(&'static str, fn(&Path) -> Result<Vec<Finding>>),
    /// Runs a program that is not Rust's.
    Tool(Tool),
    /// A check of several commands that needs programs from elsewhere: the command that does it
    /// alone, and the check, which gets the repository and the folder of what is built.
    Foreign(
        &'static str,
        fn(&Path, &Path) -> Result<Result<bool, Missing>>,
    ),
}

/// How a check came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    Failed,
    /// It was not run, for this reason.
    Skipped(String),
}

/// The checks: quick ones first, so that most mistakes are told in seconds.
///
/// Clippy and the documentation share what they compile of the dependencies, and the tests build
/// once; Clippy's `--all-targets` compiles the benches as well.
pub(super) const STEPS: &[Step] = &[
    Step {
        name: "format",
        work: Work::Cargo(&["fmt", "--all", "--", "--check"], &[]),
    },
    Step {
        name: "tidy",
        work: Work::Own("cargo xtask tidy", tidy::check_repository),
    },
    Step {
        name: "layering",
        work: Work::Own("cargo xtask layering", layering::check_repository),
    },
    Step {
        name: "spelling",
        work: Work::Tool(Tool::Typos),
    },
    Step {
        name: "dependencies",
        work: Work::Tool(Tool::Deny),
    },
    Step {
        name: "protobuf",
        work: Work::Tool(Tool::Buf),
    },
    Step {
        name: "deploy",
        work: Work::Foreign("cargo xtask deploy", deploy::check),
    },
    Step {
        name: "clippy",
        work: Work::Cargo(
            &[
                "clippy",
                "--locked",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            &[],
        ),
    },
    Step {
        name: "documentation",
        work: Work::Cargo(
            &["doc", "--locked", "--workspace", "--no-deps"],
            &[("RUSTDOCFLAGS", "-D warnings")],
        ),
    },
    Step {
        name: "gnubg-nn",
        work: Work::Foreign("cargo xtask oracle", oracle::compare_with_gnubg_nn),
    },
    Step {
        name: "gnubg",
        work: Work::Foreign("cargo xtask oracle", oracle::compare_with_gnubg),
    },
    // After the check that installs GNU Backgammon in a CI: some tests play against it.
    Step {
        name: "tests",
        work: Work::Cargo(&["test", "--locked", "--workspace", "--no-fail-fast"], &[]),
    },
    Step {
        name: "conformance",
        work: Work::Foreign("cargo xtask conformance", conformance::check_bots),
    },
    Step {
        name: "python",
        work: Work::Foreign("cargo xtask python", python::check_package),
    },
    Step {
        name: "typescript",
        work: Work::Foreign("cargo xtask typescript", typescript::check_package),
    },
    Step {
        name: "go",
        work: Work::Foreign("cargo xtask go", go::check_example),
    },
];
