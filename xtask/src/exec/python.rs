use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::Context;

/// The folder of the Python package.
pub(crate) const PYTHON_PACKAGE: &str = "bots/python/";

/// The package with the packages that its checks need.
const REQUIREMENT: &str = "./bots/python[dev]";

/// Brings the package as it is now into a virtual environment and returns its folder.
///
/// # Errors
///
/// [`super::Missing`] if Python is missing or the packages cannot be fetched.
pub(crate) fn python_package(context: &Context) -> Result<PathBuf> {
    let folder = context.target.join("python");
    if !folder.join("bin/python").is_file() {
        let mut python3 = context.command("python3");
        Context::fetch(python3.args(["-m", "venv", "--clear"]).arg(&folder))?;
    }
    let mut pip = python_in(context, &folder);
    pip.current_dir(&context.root)
        .args(["-m", "pip", "install", "--quiet"])
        .args(["--disable-pip-version-check", REQUIREMENT]);
    Context::fetch(&mut pip)?;
    Ok(folder)
}

/// Python in the environment `folder`, run in the folder of the package.
pub(crate) fn python_in(context: &Context, folder: &Path) -> Command {
    let mut python = context.command(folder.join("bin/python"));
    python.current_dir(context.root.join(PYTHON_PACKAGE));
    python
}
