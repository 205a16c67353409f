use anyhow::Result;

use super::ours::{feed, plays};
use crate::exec::{Context, python_packages};

/// The package of the Python package index.
const PACKAGES: &[&str] = &["gnubg-nn==1.1.0a11"];

/// The program that asks it.
const COMPARE: &str = "xtask/src/oracle/compare.py";

/// The positions that are compared for every commit.
const POSITIONS: &str = "2400";

/// Those at night: 20,000 of random games, and 4,000 in which a rule of the whole turn matters.
const POSITIONS_AT_NIGHT: &str = "24000";

/// Compares the positions that legal plays lead to.
pub(crate) fn compare_with_gnubg_nn(context: &Context) -> Result<bool> {
    let folder = python_packages(context, "oracle-tools", PACKAGES)?;
    let positions = context.effort.pick(POSITIONS, POSITIONS_AT_NIGHT);
    let results = plays(context, &["results", positions], "")?;
    let mut python = context.command(folder.join("bin/python"));
    let output = feed(python.arg(COMPARE), &results)?;
    context.say(String::from_utf8_lossy(&output.stdout).trim_end());
    context.say(String::from_utf8_lossy(&output.stderr).trim_end());
    Ok(output.status.success())
}
