use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::exec::{Context, PROGRAMS, debian_program, npm_in, programs, web_package};

/// The built page, as it is in the repository.
const BUILT: &str = "service/web/dist";

/// The browser, by the names that it has.
const CHROMIUM: &[&str] = &["chromium", "chromium-browser"];

/// Names the browser to the tests.
pub(super) const CHROMIUM_VARIABLE: &str = "CHROMIUM";

/// Builds the page and compares it with the one in the repository; then tests that one in a browser.
///
/// # Errors
///
/// The programs cannot be built, or a command cannot be run.
pub(crate) fn check(context: &Context) -> Result<bool> {
    Ok(check_build(context)? && test(context)?)
}

/// Builds the page and compares it with the one in the repository.
pub(super) fn check_build(context: &Context) -> Result<bool> {
    let package = web_package(context)?;
    let fresh = context.target.join("web/dist");
    let mut npm = npm_in(context, &package);
    npm.args(["run", "build", "--", "--emptyOutDir", "--outDir"]);
    if !context.passes(npm.arg(&fresh))? {
        return Ok(false);
    }
    let fresh = files(&fresh)?;
    let tracked = files(&context.root.join(BUILT))?;
    for name in fresh.keys().chain(tracked.keys()) {
        if fresh.get(name) != tracked.get(name) {
            context.say(format_args!(
                "{BUILT}/{name} is not what a fresh build makes: npm run build in service/web"
            ));
        }
    }
    Ok(fresh == tracked)
}

/// Finds Chromium, or installs it in the CI.
pub(super) fn find_chromium(context: &Context) -> Result<bool> {
    chromium(context).map(|_| true)
}

/// Tests the page of our programs in a browser.
pub(super) fn test(context: &Context) -> Result<bool> {
    let chromium = chromium(context)?;
    let package = web_package(context)?;
    let programs = programs(context)?;
    let mut generate = npm_in(context, &package);
    let mut test = npm_in(context, &package);
    test.args(["run", "test"])
        .env(PROGRAMS, &programs)
        .env(CHROMIUM_VARIABLE, chromium)
        .envs(context.effort.variables());
    Ok(context.passes(generate.args(["run", "generate"]))? && context.passes(&mut test)?)
}

/// The path of Chromium.
pub(super) fn chromium(context: &Context) -> Result<PathBuf> {
    let name = debian_program(context, CHROMIUM, "--version", "chromium")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(name));
    places.find(|place| place.is_file()).context(name)
}

/// The files of a folder, by their names.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let place = || folder.display().to_string();
    let entries = fs::read_dir(folder).with_context(place)?;
    entries
        .map(|entry| {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            Ok((name, fs::read(entry.path())?))
        })
        .collect()
}
