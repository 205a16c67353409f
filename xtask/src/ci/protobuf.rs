use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::Tree;
use crate::exec::{Context, Missing, Unreachable, empty_folder};

/// The package of the npm registry.
const BUF_PACKAGE: &str = "@bufbuild/buf@1.75.0";

/// Without this file, buf would use rules of its own.
const BUF_CONFIG: &str = "proto/buf.yaml";

/// The tags of releases.
const RELEASES: &str = "v[0-9]*";

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
///
/// # Errors
///
/// [`Missing`] without a repository, [`Unreachable`] if its history is cut off and so may lack the tag.
fn released(context: &Context) -> Result<Option<PathBuf>> {
    if git(context, &["rev-parse", "--is-shallow-repository"])? == "true" {
        let reason = "the history is cut off: fetch it whole, with its tags";
        return Err(Unreachable(reason.to_owned()).into());
    }
    if git(context, &["tag", "--list", RELEASES, "--merged", "HEAD"])?.is_empty() {
        return Ok(None);
    }
    let tag = git(
        context,
        &["describe", "--tags", "--abbrev=0", "--match", RELEASES],
    )?;
    let folder = context.target.join("ci-tools/released");
    empty_folder(&folder)?;
    let archive = folder.join("proto.tar");
    let mut write = context.command("git");
    write.args(["archive", "--output"]).arg(&archive);
    write.args([&tag, "proto"]);
    let mut unpack = context.command("tar");
    unpack.arg("-xf").arg(&archive).arg("-C").arg(&folder);
    ensure!(
        context.passes(&mut write)? && context.passes(&mut unpack)?,
        "the API of {tag} cannot be read"
    );
    Ok(Some(folder.join("proto")))
}

/// The first line that git prints.
fn git(context: &Context, arguments: &[&str]) -> Result<String> {
    let output = context.command("git").args(arguments).output();
    let output = output.map_err(|error| Missing(format!("git cannot be run: {error}")))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(Missing(format!("git fails: {}", why.trim())).into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
