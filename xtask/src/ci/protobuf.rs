use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};

use crate::Tree;
use crate::exec::Context;

/// The package of the npm registry.
const BUF_PACKAGE: &str = "@bufbuild/buf@1.75.0";

/// Without this file, buf would use rules of its own.
const BUF_CONFIG: &str = "proto/buf.yaml";

/// Checks the tracked `.proto` files with `buf lint`, and with `buf breaking` against the last release in the history; both are configured
/// by `proto/buf.yaml`.
pub(super) fn check(context: &Context) -> Result<bool> {
    ensure!(
        context.root.join(BUF_CONFIG).is_file(),
        "{BUF_CONFIG} does not exist"
    );
    let npx = |arguments: &[&str]| {
        let mut npx = context.command("npx");
        npx.args(["--yes", BUF_PACKAGE]).args(arguments);
        npx
    };
    Context::fetch(&mut npx(&["--version"]))?;
    let mut lint = npx(&["lint", "proto"]);
    for path in Tree::load(&context.root)?.paths("proto/", ".proto") {
        lint.args(["--path", path]);
    }
    let is_clean = context.passes(&mut lint)?;
    let Some(released) = released(context)? else {
        context.say("    no release that the API could break with");
        return Ok(is_clean);
    };
    let mut breaking = npx(&["breaking", "proto", "--against"]);
    breaking.arg(released);
    Ok(context.passes(&mut breaking)? && is_clean)
}

/// The folder `proto` as it was in the last tagged release before the commit that is checked out; `None` if there was none.
fn released(context: &Context) -> Result<Option<PathBuf>> {
    let mut describe = context.command("git");
    describe.args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]);
    let described = describe.output().context("git cannot be run")?;
    if !described.status.success() {
        return Ok(None);
    }
    let tag = String::from_utf8(described.stdout)?;
    let folder = context.target.join("ci-tools/released");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let archive = folder.join("proto.tar");
    let mut write = context.command("git");
    write.args(["archive", "--output"]).arg(&archive);
    write.args([tag.trim(), "proto"]);
    let mut unpack = context.command("tar");
    unpack.arg("-xf").arg(&archive).arg("-C").arg(&folder);
    ensure!(
        context.passes(&mut write)? && context.passes(&mut unpack)?,
        "the API of {} cannot be read",
        tag.trim()
    );
    Ok(Some(folder.join("proto")))
}
