//! The known vulnerabilities of the dependencies, by `cargo-audit`; `.cargo/audit.toml` names those that do not matter.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::exec::{Context, Unreachable};

const DATABASE: &str = "https://github.com/RustSec/advisory-db";

/// Ends a transfer that hangs: at least this many bytes a second, over so many seconds.
const GIT_PATIENCE: &[&str] = &["-c", "http.lowSpeedLimit=100", "-c", "http.lowSpeedTime=30"];

/// The package of the tool and its version, which is also that of its output to `--version`.
const TOOL: (&str, &str) = ("cargo-audit", "0.22.2");

/// Checks the locked dependencies against the database of advisories as it is now.
///
/// # Errors
///
/// [`Unreachable`] if the database or the tool cannot be fetched.
pub(super) fn check(context: &Context) -> Result<bool> {
    let folder = context.target.join("advisories");
    let database = folder.join("database");
    if database.exists() {
        fs::remove_dir_all(&database).with_context(|| database.display().to_string())?;
    }
    let mut clone = context.command("git");
    clone.args(GIT_PATIENCE).env("GIT_TERMINAL_PROMPT", "0");
    clone.args(["clone", "--quiet", "--depth", "1", DATABASE]);
    fetch(clone.arg(&database))?;
    let tool = folder.join("bin").join(TOOL.0);
    if !is_installed(context, &tool) {
        let mut install = context.cargo_in_background();
        install.args(["install", "--quiet", "--locked", "--no-default-features"]);
        install.args([TOOL.0, "--version", TOOL.1, "--root"]);
        fetch(install.arg(&folder))?;
    }
    let mut audit = context.command(tool);
    audit.args(["audit", "--no-fetch", "--deny", "warnings", "--db"]);
    context.passes(audit.arg(&database))
}

fn is_installed(context: &Context, tool: &Path) -> bool {
    let asked = context.command(tool).arg("--version").output();
    asked.is_ok_and(|output| {
        String::from_utf8_lossy(&output.stdout)
            .trim()
            .ends_with(TOOL.1)
    })
}

/// Runs a command that needs the network.
fn fetch(command: &mut Command) -> Result<(), Unreachable> {
    Context::fetch(command).map_err(|error| Unreachable(error.to_string()))
}
