use std::path::PathBuf;

use anyhow::Result;

use super::bencher::Bencher;
use super::figures::Figures;
use crate::exec::{PROGRAMS, npm_in, programs, python_in, python_package, typescript_package};

/// Measures a decision of the Python package, with a number of matches at the same time.
///
/// # Errors
///
/// [`crate::exec::Missing`] if Python is missing or packages cannot be fetched; or the bench fails.
pub(super) fn python(bench: &Bencher, at_once: &str) -> Result<Figures> {
    let folder = python_package(bench.context)?;
    let mut python = python_in(bench.context, &folder);
    python.args(["benches/decision_cost.py", "--matches", "8"]);
    python.args(["--at-once", at_once]).args(size(bench));
    bench.figures(python.env(PROGRAMS, built(bench)?))
}

/// Measures a decision of the TypeScript package.
///
/// # Errors
///
/// [`crate::exec::Missing`] if npm is missing or packages cannot be fetched; or the bench fails.
pub(super) fn typescript(bench: &Bencher) -> Result<Figures> {
    let package = typescript_package(bench.context)?;
    let mut build = npm_in(bench.context, &package);
    bench.context.stdout_of(build.args(["run", "build"]))?;
    let mut node = bench.context.command("node");
    node.current_dir(&package)
        .arg("benches/decision_cost.js")
        .args(size(bench));
    bench.figures(node.env(PROGRAMS, built(bench)?))
}

fn size(bench: &Bencher) -> &'static [&'static str] {
    if bench.quick {
        &["--rounds", "1", "--matches", "1", "--target", "1"]
    } else {
        &["--rounds", "1"]
    }
}

/// The folder of the programs that the packages play on.
fn built(bench: &Bencher) -> Result<PathBuf> {
    let context = bench.context;
    if bench.quick {
        return programs(context);
    }
    let mut cargo = context.cargo();
    cargo.args(["build", "--quiet", "--locked", "--release", "--bins"]);
    context.stdout_of(cargo.args(["-p", "dragontooth-service", "-p", "dragontooth-bots"]))?;
    Ok(context.target.join("release"))
}
