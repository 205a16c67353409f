use anyhow::Result;

use super::web::{CHROMIUM_VARIABLE, chromium};
use crate::exec::{Context, PROGRAMS, programs, web_package};

/// The test, which uses the packages of the web page.
const TEST: &str = "runner/live/event_page_test.mjs";

/// Follows an event in Chromium while its runner is killed and resumed.
///
/// # Errors
///
/// [`crate::exec::Missing`] if Chromium or npm is missing; the programs cannot be built.
pub(super) fn check(context: &Context) -> Result<bool> {
    let chromium = chromium(context)?;
    let package = web_package(context)?;
    let programs = programs(context)?;
    let mut node = context.command("node");
    node.arg(context.root.join(TEST)).current_dir(&package);
    node.env(PROGRAMS, &programs)
        .env(CHROMIUM_VARIABLE, chromium);
    context.passes(&mut node)
}
