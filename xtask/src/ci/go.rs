use std::fs;

use anyhow::{Context as _, Result};

use crate::exec::{Context, Missing, debian_program, programs};

/// Builds the example and runs its tests; the last argument is the program to make.
const BUILD: &str = "bots/go/build.sh";

/// Its exit code if there is nothing to build it with.
const NO_TOOLCHAIN: i32 = 3;

/// Debian's packages to build it with.
const PACKAGES: &str = "golang-go golang-google-grpc-dev golang-google-genproto-dev protobuf-compiler protoc-gen-go-1-3";

/// Starts the bot with two addresses, the first of which nobody listens at.
const PROGRAM: [&str; 3] = [
    "sh",
    "-c",
    "DRAGONTOOTH_SERVER=127.0.0.1:1,$DRAGONTOOTH_SERVER exec ./bot",
];

/// Builds the bot in Go, runs its tests, and checks it with the conformance kit.
///
/// # Errors
///
/// [`Missing`] if there is nothing to build it with; or the programs cannot be built, or a command cannot be run.
pub(crate) fn check_example(context: &Context) -> Result<bool> {
    debian_program(context, &["go"], "version", PACKAGES)?;
    let folder = context.target.join("go");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut build = context.command(context.root.join(BUILD));
    build.arg("--test").arg(folder.join("bot"));
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
    context.passes(kit.arg("--").args(PROGRAM))
}
