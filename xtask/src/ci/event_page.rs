use anyhow::Result;

use crate::exec::{Context, PROGRAMS, debian_program, npm_install, programs};

/// The folder of the test, with its packages.
const FOLDER: &str = "runner/live/browser";

/// Follows an event in Chromium while its runner is killed and resumed.
///
/// # Errors
///
/// [`crate::exec::Missing`] if Chromium or npm is missing; the programs cannot be built.
pub(super) fn check(context: &Context) -> Result<bool> {
    let chromium = debian_program(context, &["chromium"], "--version", "chromium")?;
    let folder = context.root.join(FOLDER);
    npm_install(context, &folder)?;
    let programs = programs(context)?;
    let mut node = context.command("node");
    node.arg("event_page.js").current_dir(&folder);
    node.env(PROGRAMS, &programs).env("CHROMIUM", chromium);
    context.passes(&mut node)
}
