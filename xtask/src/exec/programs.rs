use std::path::PathBuf;

use anyhow::{Result, ensure};

use super::Context;

/// The variable with the folder of the programs; without it they are built.
pub(crate) const PROGRAMS: &str = "DRAGONTOOTH_PROGRAMS";

/// Builds the programs and the examples, with the features that they have in the tests: so one build
/// serves both.
const BUILD: &[&str] = &[
    "build",
    "--quiet",
    "--locked",
    "--workspace",
    "--bins",
    "--examples",
];

/// The folder of the programs, which are built unless [`PROGRAMS`] names it. Their examples are in
/// `examples` there.
///
/// # Errors
///
/// They cannot be built.
pub(crate) fn programs(context: &Context) -> Result<PathBuf> {
    if let Some(built) = std::env::var_os(PROGRAMS) {
        return Ok(PathBuf::from(built));
    }
    let mut cargo = context.cargo();
    let is_built = context.passes(cargo.args(BUILD))?;
    ensure!(is_built, "the programs cannot be built");
    Ok(context.target.join("debug"))
}
