//! The tests: built once, and run with cargo-nextest where it is installed.

use std::num::NonZeroUsize;
use std::thread;

use anyhow::Result;

use crate::exec::Context;

/// Selects every test, with exactly the crates that are locked.
const WHOLE: &[&str] = &["--locked", "--workspace"];

/// Builds the tests, and with them the programs and the examples.
pub(super) fn build(context: &Context) -> Result<bool> {
    context.passes(context.cargo().args(["test", "--no-run"]).args(WHOLE))
}

/// Runs all tests but the examples in the documentation.
pub(super) fn run(context: &Context) -> Result<bool> {
    let mut cargo = context.cargo();
    if has_nextest(context) {
        cargo.args(["nextest", "run", "--no-fail-fast"]);
        cargo.args(["--status-level", "fail", "--final-status-level", "slow"]);
        cargo.arg("--test-threads").arg(test_threads().to_string());
    } else {
        cargo.args([
            "test",
            "--no-fail-fast",
            "--lib",
            "--bins",
            "--tests",
            "--examples",
        ]);
    }
    cargo.args(WHOLE).envs(context.effort.variables());
    context.passes(&mut cargo)
}

/// Runs the examples in the documentation, which cargo-nextest does not.
pub(super) fn run_examples(context: &Context) -> Result<bool> {
    context.passes(
        context
            .cargo()
            .args(["test", "--doc", "--no-fail-fast"])
            .args(WHOLE),
    )
}

/// Feeds every fuzz target many more changed inputs, in a release build.
pub(super) fn fuzz(context: &Context) -> Result<bool> {
    let mut cargo = context.cargo();
    cargo.args([
        "test",
        "--locked",
        "--release",
        "--package",
        "dragontooth-fuzz",
    ]);
    if std::env::var_os(FUZZ_TIMES).is_none() {
        cargo.env(FUZZ_TIMES, "100");
    }
    context.passes(&mut cargo)
}

/// Multiplies the changed inputs.
const FUZZ_TIMES: &str = "FUZZ_TIMES";

/// Two tests for each processor: most of them wait for programs and timeouts.
fn test_threads() -> usize {
    2 * thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn has_nextest(context: &Context) -> bool {
    let mut nextest = context.cargo();
    let output = nextest.args(["nextest", "--version"]).output();
    output.is_ok_and(|output| output.status.success())
}
