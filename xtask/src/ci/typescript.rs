use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::exec::{Context, PROGRAMS, empty_folder, npm_in, programs, typescript_package};

/// The program of the package, where it is installed.
const PROGRAM: &str = "./node_modules/.bin/dragontooth";

/// The licence, in the repository and in the package.
const LICENSE: &str = "LICENSE";

/// The package, where it is installed.
const INSTALLED: &str = "node_modules/dragontooth";

/// The bot that the kit checks, as it is packed.
const BOT: &str = "node_modules/dragontooth/examples/random.js";

/// Builds and packs the TypeScript package as its README says, runs its tests on our programs,
/// installs it with its licence into an empty folder, and checks a bot there with the conformance kit.
///
/// # Errors
///
/// The programs cannot be built, or a command cannot be run.
pub(crate) fn check_package(context: &Context) -> Result<bool> {
    let package = typescript_package(context)?;
    let programs = programs(context)?;
    let folder = context.target.join("typescript");
    empty_folder(&folder)?;
    let mut pack = npm_in(context, &package);
    pack.args(["pack", "--pack-destination"]).arg(&folder);
    let mut test = npm_in(context, &package);
    test.arg("test").env(PROGRAMS, &programs);
    if !context.passes(&mut pack)? || !context.passes(&mut test)? {
        return Ok(false);
    }
    let mut install = npm_in(context, &folder);
    install.arg("install").arg(packed(&folder)?);
    let mut kit = context.command(programs.join("dragontooth-runner"));
    kit.arg("conformance").current_dir(&folder);
    for game in context.effort.pick(&["tzaar"][..], &[]) {
        kit.args(["--game", game]);
    }
    kit.args(["--", PROGRAM, "play", "--bot", BOT]);
    Ok(context.passes(&mut install)?
        && has_licence(context, &folder)?
        && context.passes(&mut kit)?)
}

/// Compares the licence of the package that is installed in a folder with that of the repository.
fn has_licence(context: &Context, folder: &Path) -> Result<bool> {
    let own = fs::read(context.root.join(LICENSE))?;
    let found = fs::read(folder.join(INSTALLED).join(LICENSE)).ok() == Some(own);
    if !found {
        context.say("the TypeScript package lacks the LICENSE of the repository");
    }
    Ok(found)
}

/// The package, which is the only file of the folder.
fn packed(folder: &Path) -> Result<PathBuf> {
    let file = fs::read_dir(folder)?.next().context("nothing is packed")?;
    Ok(file?.path())
}
