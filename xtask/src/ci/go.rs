use std::fs;

use anyhow::{Context as _, Result};

use crate::exec::{Context, Missing, debian_program, programs};

/// Builds the example; its only argument is the program to make.
const BUILD: &str = "bots/go/build.sh";

/// Its exit code if there is nothing to build it with.
const NO_TOOLCHAIN: i32 = 3;

/// Debian's packages to build it with.
const PACKAGES: &str = "golang-go golang-google-grpc-dev golang-google-genproto-dev protobuf-compiler protoc-gen-go-1-3";

/// Builds the bot in Go and checks it with the conformance kit.
///
/// # Errors
///
/// [`Missing`] if there is nothing to build it with; or the programs cannot be built, or a command cannot be run.
pub(crate) fn check_example(context: &Context) -> Result<bool> {
    debian_program(context, &["go"], "version", PACKAGES)?;
    let folder = context.target.join("go");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut build = context.command(context.root.join(BUILD));
    build.arg(folder.join("bot"));
    let code = context.exit_code(&mut build)?;
    if code == Some(NO_TOOLCHAIN) {
        return Err(Missing(format!("{BUILD} has nothing to build with")).into());
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
