use std::fs;

use anyhow::{Context as _, Result};

use crate::exec::{Context, programs};

/// Builds the example; its only argument is the program to make.
const BUILD: &str = "bots/go/build.sh";

/// Its exit code if there is no toolchain.
const NO_TOOLCHAIN: i32 = 3;

/// Builds the bot in Go and checks it with the conformance kit. It passes where there is no toolchain: the
/// bot is an example, and people who work on something else need no Go.
///
/// # Errors
///
/// The programs cannot be built, or a command cannot be run.
pub(crate) fn check_example(context: &Context) -> Result<bool> {
    let folder = context.target.join("go");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut build = context.command(context.root.join(BUILD));
    build.arg(folder.join("bot"));
    let code = context.exit_code(&mut build)?;
    if code == Some(NO_TOOLCHAIN) {
        context.say("the bot in Go is not built here");
        return Ok(true);
    }
    if code != Some(0) {
        return Ok(false);
    }
    let mut kit = context.command(programs(context)?.join("dragontooth-runner"));
    kit.arg("conformance").current_dir(&folder);
    for game in context.effort.pick(&["backgammon"][..], &[]) {
        kit.args(["--game", game]);
    }
    context.passes(kit.args(["--", "./bot"]))
}
