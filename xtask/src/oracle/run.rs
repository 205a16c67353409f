#![expect(clippy::print_stdout, reason = "the command's report is its product")]

use std::path::Path;

use anyhow::Result;

use super::{compare_matches, compare_with_gnubg, compare_with_gnubg_nn};
use crate::Workspace;
use crate::ci::command::is_ci;

/// Asks each of the other programs, and tells whether all agree. One that cannot be had is told,
/// and is a failure in the CI alone.
///
/// # Errors
///
/// Our own program cannot be built or run.
pub fn run(root: &Path) -> Result<bool> {
    let target = Workspace::load(root)?.target;
    let mut well = true;
    for compare in [compare_with_gnubg_nn, compare_with_gnubg, compare_matches] {
        match compare(root, &target)? {
            Ok(agrees) => well &= agrees,
            Err(missing) => {
                println!("WARNING: SKIPPED, a program cannot be had: {}", missing.0);
                well &= !is_ci();
            }
        }
    }
    Ok(well)
}
