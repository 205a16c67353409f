//! The commands of `cargo xtask`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for people prints its findings"
)]

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use crate::exec::{Context, Effort};
use crate::selection::{BadSelection, closest};
use crate::{Finding, bench, ci, deploy, layering, oracle, reasons, repository_root, sbom, tidy};

const HELP: &str = include_str!("help.txt");

/// The commands, for those who misspell one.
const COMMANDS: &[&str] = &[
    "bench",
    "ci",
    "conformance",
    "deploy",
    "go",
    "help",
    "layering",
    "nightly",
    "oracle",
    "python",
    "reasons",
    "sbom",
    "tidy",
    "typescript",
    "web",
];

/// The exit code for words that are not a command.
const USAGE: u8 = 2;

/// Runs the command that the words name and returns its exit code.
#[must_use]
pub fn run(arguments: &[String]) -> ExitCode {
    let root = repository_root();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        [.., "help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(true)
        }
        ["ci", ref words @ ..] => ci::run(&root, Effort::Commit, words),
        ["nightly", ref words @ ..] => ci::run(&root, Effort::Night, words),
        ["bench", ref words @ ..] => bench::run(&root, words),
        ["tidy"] => tidy::check_repository(&root).map(|findings| report(&findings)),
        ["layering"] => layering::check_repository(&root).map(|findings| report(&findings)),
        ["oracle"] => run_oracle(&root),
        ["reasons"] => reasons::write_repository(&root).map(|()| true),
        ["python"] => ci::run_alone(&root, ci::python::check_package),
        ["typescript"] => ci::run_alone(&root, ci::typescript::check_package),
        ["web"] => ci::run_alone(&root, ci::web::check),
        ["conformance"] => ci::run_alone(&root, ci::conformance::check_bots),
        ["go"] => ci::run_alone(&root, ci::go::check_example),
        ["deploy"] => ci::run_alone(&root, deploy::check),
        ["sbom", package] => sbom::bill_of_materials(&root, package).map(|bill| {
            print!("{bill}");
            true
        }),
        _ => return usage(words.first().copied()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            let is_usage = error.downcast_ref::<BadSelection>().is_some();
            ExitCode::from(if is_usage { USAGE } else { 1 })
        }
    }
}

/// Explains words that are not a command.
fn usage(word: Option<&str>) -> ExitCode {
    let meant = word.and_then(|word| closest(word, COMMANDS));
    match (word, meant) {
        (Some(word), Some(meant)) if word != meant => {
            eprintln!("error: unknown command {word:?}: did you mean {meant}?");
        }
        _ => eprint!("{HELP}"),
    }
    ExitCode::from(USAGE)
}

/// Compares backgammon with each of the other programs.
fn run_oracle(root: &Path) -> Result<bool> {
    let compare: [fn(&Context) -> Result<bool>; 3] = [
        oracle::compare_with_gnubg_nn,
        oracle::compare_with_gnubg,
        oracle::compare_matches,
    ];
    let mut agree = true;
    for compare in compare {
        agree &= ci::run_alone(root, compare)?;
    }
    Ok(agree)
}

fn report(findings: &[Finding]) -> bool {
    for finding in findings {
        println!("{finding}");
    }
    println!("{} findings", findings.len());
    findings.is_empty()
}
