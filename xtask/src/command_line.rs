//! What `cargo xtask` is asked for.
#![expect(
    clippy::print_stdout,
    reason = "a command for people prints its findings"
)]

use std::process::ExitCode;

use anyhow::Result;

use crate::{Finding, ci, deploy, layering, oracle, reasons, repository_root, sbom, tidy};

const HELP: &str = include_str!("help.txt");

/// The exit code for a command that there is not.
const UNKNOWN_COMMAND: u8 = 2;

/// Runs the command that the words name and tells how it went.
#[must_use]
pub fn run(arguments: &[String]) -> ExitCode {
    let root = repository_root();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let well = match words[..] {
        ["ci"] => ci::run(&root),
        ["tidy"] => tidy::check_repository(&root).map(|findings| report(&findings)),
        ["layering"] => layering::check_repository(&root).map(|findings| report(&findings)),
        ["oracle"] => oracle::run(&root),
        ["reasons"] => reasons::write_repository(&root).map(|()| true),
        ["python"] => ci::run_alone(&root, ci::python::check_package),
        ["typescript"] => ci::run_alone(&root, ci::typescript::check_package),
        ["conformance"] => ci::run_alone(&root, ci::conformance::check_bots),
        ["go"] => ci::run_alone(&root, ci::go::check_example),
        ["deploy"] => ci::run_alone(&root, deploy::check),
        ["sbom", package] => sbom::bill_of_materials(&root, package).map(|bill| {
            print!("{bill}");
            true
        }),
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(true)
        }
        _ => {
            print!("{HELP}");
            return ExitCode::from(UNKNOWN_COMMAND);
        }
    };
    if is_well(well) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn report(findings: &[Finding]) -> bool {
    for finding in findings {
        println!("{finding}");
    }
    println!("{} findings", findings.len());
    findings.is_empty()
}

fn is_well(result: Result<bool>) -> bool {
    result.unwrap_or_else(|error| {
        println!("error: {error:#}");
        false
    })
}
