#![expect(clippy::print_stdout, reason = "a comparison tells what it found")]

use std::path::Path;

use anyhow::Result;

use super::ours::{feed, plays};
use crate::ci::command::command;
use crate::ci::tools::{Missing, python_packages};

/// What the Python package index is asked for.
const PACKAGES: &[&str] = &["gnubg-nn==1.1.0a11"];

/// The program that asks it.
const COMPARE: &str = "xtask/src/oracle/compare.py";

/// Compares the positions that legal plays lead to, on 20,000 positions of random games and 4,000 in
/// which rules of the whole turn matter.
pub(crate) fn compare_with_gnubg_nn(root: &Path, target: &Path) -> Result<Result<bool, Missing>> {
    let folder = match python_packages(root, &target.join("oracle-tools"), PACKAGES) {
        Ok(folder) => folder,
        Err(missing) => return Ok(Err(missing)),
    };
    let results = plays(root, &["results"], "")?;
    let mut python = command(folder.join("bin/python"), root);
    let output = feed(python.arg(COMPARE), &results)?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    print!("{}", String::from_utf8_lossy(&output.stderr));
    Ok(Ok(output.status.success()))
}
