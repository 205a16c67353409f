use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use super::Context;

/// The folder of the TypeScript package.
const PACKAGE: &str = "bots/typescript";

/// The folder of the page of the service.
const PAGE: &str = "service/web";

/// The packages of a folder, and where they are installed.
const LOCK: &str = "package-lock.json";
const INSTALLED: &str = "node_modules/.package-lock.json";

/// Installs the packages that the lock file names, and runs none of their scripts.
const INSTALL: &[&str] = &["ci", "--ignore-scripts"];

/// Options that keep npm quick and quiet.
const QUIET: &[&str] = &[
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--loglevel=error",
];

/// Installs what the package needs and returns its folder.
///
/// # Errors
///
/// [`super::Missing`] if npm is missing or the packages cannot be fetched; or the lock file is not that of the package.
pub(crate) fn typescript_package(context: &Context) -> Result<PathBuf> {
    let package = context.root.join(PACKAGE);
    npm_install(context, &package)?;
    Ok(package)
}

/// Installs the packages that the lock file in a folder names.
///
/// # Errors
///
/// [`super::Missing`] if npm is missing or the packages cannot be fetched; or the lock file is not that of the package.
fn npm_install(context: &Context, folder: &Path) -> Result<()> {
    Context::fetch(npm_in(context, folder).arg("--version"))?;
    // This fetches nothing: what it refuses is the lock file.
    let mut try_lock = npm_in(context, folder);
    try_lock
        .args(INSTALL)
        .arg("--dry-run")
        .stdout(Stdio::null());
    ensure!(
        context.passes(&mut try_lock)?,
        "{LOCK} does not fit its package: npm install"
    );
    Context::fetch(npm_in(context, folder).args(INSTALL))
}

/// Installs what the page of the service needs, unless that is there, and returns its folder.
///
/// # Errors
///
/// [`super::Missing`] if npm is missing or the packages cannot be fetched; or the lock file is not that of the package.
pub(crate) fn web_package(context: &Context) -> Result<PathBuf> {
    let package = context.root.join(PAGE);
    let stamp = context.target.join("web/installed");
    let wanted = fs::read_to_string(package.join(LOCK))?;
    let is_there = package.join(INSTALLED).exists();
    if !is_there || fs::read_to_string(&stamp).ok() != Some(wanted.clone()) {
        npm_install(context, &package)?;
        fs::create_dir_all(context.target.join("web"))?;
        fs::write(&stamp, wanted)?;
    }
    Ok(package)
}

/// A command of npm, run in a folder.
pub(crate) fn npm_in(context: &Context, folder: &Path) -> Command {
    let mut npm = context.command("npm");
    npm.args(QUIET).current_dir(folder);
    npm
}

#[cfg(test)]
mod tests {
    use super::super::{Effort, Missing, is_ci};
    use super::*;

    #[test]
    fn a_stale_lock_file_is_a_fault_of_ours() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        let context = Context::new(root, root, Effort::Commit, false).keeping_output();
        if !is_ci() && Context::fetch(npm_in(&context, root).arg("--version")).is_err() {
            return;
        }
        let write = |path: &str, text: &str| fs::write(root.join(path), text).unwrap();
        fs::create_dir(root.join("b")).unwrap();
        write("b/package.json", r#"{"name": "b", "version": "1.0.0"}"#);
        write("package.json", r#"{"name": "a"}"#);
        write(
            LOCK,
            r#"{"name": "a", "lockfileVersion": 3, "packages": {"": {"name": "a"}}}"#,
        );
        npm_install(&context, root).unwrap();
        write(
            "package.json",
            r#"{"name": "a", "dependencies": {"b": "file:b"}}"#,
        );
        let error = npm_install(&context, root).unwrap_err();
        assert!(!error.is::<Missing>(), "{error}");
    }
}
