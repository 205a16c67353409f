use std::path::PathBuf;
use std::process::Command;

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
///
/// # Errors
///
/// [`Missing`] without npx or Git. [`Unreachable`] if the lint passes and the history is cut off.
pub(super) fn check(context: &Context) -> Result<bool> {
    check_with(context, || {
        let mut npx = context.command("npx");
        npx.args(["--yes", BUF_PACKAGE]);
        npx
    })
}

/// The check with a `buf` that may be another program.
fn check_with(context: &Context, buf: impl Fn() -> Command) -> Result<bool> {
    ensure!(
        context.root.join(BUF_CONFIG).is_file(),
        "{BUF_CONFIG} does not exist"
    );
    Context::fetch(buf().arg("--version"))?;
    let mut lint = buf();
    lint.args(["lint", "proto"]);
    for path in Tree::load(&context.root)?.paths("proto/", ".proto") {
        lint.args(["--path", path]);
    }
    if !context.passes(&mut lint)? {
        return Ok(false);
    }
    let Some(released) = released(context)? else {
        context.say("    no release that the API could break with");
        return Ok(true);
    };
    context.passes(buf().args(["breaking", "proto", "--against"]).arg(released))
}

/// The folder `proto` as it was in the last tagged release before the commit that is checked out; `None` if there was none.
///
/// # Errors
///
/// [`Missing`] without a repository, [`Unreachable`] if its history is cut off and so may lack the tag.
fn released(context: &Context) -> Result<Option<PathBuf>> {
    if git(context, &["rev-parse", "--is-shallow-repository"])? == "true" {
        let reason =
            "the last release, in a history that is cut off: fetch it whole, with its tags";
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::exec::{Effort, command};

    /// The outcome in `root` with a `buf` of which the command `failing` fails and every other passes.
    fn outcome(root: &Path, failing: &str) -> Result<bool> {
        let context =
            Context::new(root, &root.join("target"), Effort::Commit, false).keeping_output();
        check_with(&context, || {
            let mut buf = context.command("sh");
            buf.args(["-c", "test \"$1\" != \"$0\"", failing]);
            buf
        })
    }

    fn git(folder: &Path, arguments: &[&str]) {
        let mut git = command("git", folder);
        git.args(["-c", "user.name=test", "-c", "user.email=test"]);
        assert!(git.args(arguments).status().unwrap().success());
    }

    #[test]
    fn a_failed_lint_fails_whatever_is_known_of_the_last_release() {
        let place = tempfile::tempdir().unwrap();
        let (whole, shallow) = (place.path().join("whole"), place.path().join("shallow"));
        fs::create_dir_all(whole.join("proto")).unwrap();
        fs::write(whole.join(BUF_CONFIG), "version: v2\n").unwrap();
        git(&whole, &["init", "--quiet"]);
        git(&whole, &["add", "proto"]);
        git(&whole, &["commit", "--quiet", "--message", "one"]);
        assert!(outcome(&whole, "breaking").unwrap(), "there is no release");
        assert!(!outcome(&whole, "lint").unwrap());
        git(&whole, &["tag", "v1"]);
        assert!(outcome(&whole, "neither").unwrap());
        assert!(!outcome(&whole, "breaking").unwrap());
        assert!(!outcome(&whole, "lint").unwrap());

        git(
            &whole,
            &["commit", "--quiet", "--allow-empty", "--message", "two"],
        );
        let from = format!("file://{}", whole.display());
        git(
            place.path(),
            &["clone", "--quiet", "--depth", "1", &from, "shallow"],
        );
        let error = outcome(&shallow, "neither").unwrap_err();
        assert!(error.is::<Unreachable>(), "{error}");
        assert!(!outcome(&shallow, "lint").unwrap());
    }
}
