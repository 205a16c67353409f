#![expect(clippy::print_stdout, reason = "the command's report is its product")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::command::{command, shown};
use super::programs::{PROGRAMS, programs};
use super::tools::{Missing, attempt};

/// The folder of the package.
const PACKAGE: &str = "bots/typescript";

/// What installs the packages that the lock file names, no others, and runs no program of theirs.
const INSTALL: &[&str] = &["ci", "--ignore-scripts"];

/// What keeps npm quick and quiet.
const QUIET: &[&str] = &[
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--loglevel=error",
];

/// The program of the package, where it is installed.
const PROGRAM: &str = "./node_modules/.bin/dragontooth";

/// The bot that is judged, as it is packed.
const BOT: &str = "node_modules/dragontooth/examples/random.js";

/// Builds and packs the TypeScript package as its README says, runs its tests on our programs,
/// installs it into an empty folder, and has the conformance kit judge a bot there.
///
/// # Errors
///
/// The programs cannot be built, or a command cannot be run.
pub(crate) fn check_package(root: &Path, target: &Path) -> Result<Result<bool, Missing>> {
    let package = root.join(PACKAGE);
    let mut install = npm(root, &package);
    install.args(INSTALL);
    println!("    $ {}", shown(&install, root));
    if let Err(missing) = attempt(&mut install) {
        return Ok(Err(missing));
    }
    let programs = programs(root, target)?;
    let folder = target.join("typescript");
    empty(&folder)?;
    let mut pack = npm(root, &package);
    pack.args(["pack", "--pack-destination"]).arg(&folder);
    let mut test = npm(root, &package);
    test.arg("test").env(PROGRAMS, &programs);
    for command in [&mut pack, &mut test] {
        if !passes(command, root)? {
            return Ok(Ok(false));
        }
    }
    let mut clean_install = npm(root, &folder);
    clean_install.arg("install").arg(packed(&folder)?);
    let mut judge = command(programs.join("dragontooth-runner"), root);
    judge
        .args(["conformance", "--", PROGRAM, "play", "--bot", BOT])
        .current_dir(&folder);
    Ok(Ok(
        passes(&mut clean_install, root)? && passes(&mut judge, root)?
    ))
}

fn npm(root: &Path, folder: &Path) -> Command {
    let mut npm = command("npm", root);
    npm.args(QUIET).current_dir(folder);
    npm
}

fn passes(command: &mut Command, root: &Path) -> Result<bool> {
    println!("    $ {}", shown(command, root));
    let status = command.status().with_context(|| format!("{command:?}"))?;
    Ok(status.success())
}

/// Makes `folder` anew, with nothing in it.
fn empty(folder: &Path) -> Result<()> {
    let told = || folder.display().to_string();
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(told)?;
    }
    fs::create_dir_all(folder).with_context(told)
}

/// The package, which is the only file of the folder.
fn packed(folder: &Path) -> Result<PathBuf> {
    let file = fs::read_dir(folder)?.next().context("nothing is packed")?;
    Ok(file?.path())
}
