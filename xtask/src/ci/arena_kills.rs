use anyhow::Result;

use crate::exec::{Context, programs};

/// The script, which takes the folder of the programs, a number of kills, and the most seconds before each.
const SCRIPT: &str = "xtask/src/ci/arena_kills.py";

/// Kills an arena and its service again and again, and proves that every match is counted once.
///
/// # Errors
///
/// [`crate::exec::Missing`] if Python is missing; or the programs cannot be built.
pub(super) fn check(context: &Context) -> Result<bool> {
    Context::fetch(context.command("python3").arg("--version"))?;
    let programs = programs(context)?;
    let (kills, seconds) = context.effort.pick(("3", "2"), ("100", "30"));
    let mut python3 = context.command("python3");
    python3.arg(SCRIPT).arg(programs).args([kills, seconds]);
    context.passes(&mut python3)
}
