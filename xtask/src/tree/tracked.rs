//! The paths of the files that belong to the repository.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The paths of the files under `root`, the top of a working tree, that Git tracks.
pub(super) fn paths(root: &Path) -> Result<Vec<String>> {
    let up = git(root, &["rev-parse", "--show-cdup"])?;
    ensure!(
        up.trim_ascii().is_empty(),
        "the checks read what Git tracks, and {} is not the top of its working tree",
        root.display()
    );
    let list = git(root, &["ls-files", "-z", "--cached", "--deduplicate"])?;
    let list = String::from_utf8(list).context("a tracked path is not UTF-8")?;
    Ok(list.split_terminator('\0').map(str::to_owned).collect())
}

/// The output of a Git command.
fn git(root: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let mut git = Command::new("git");
    let output = git.arg("-C").arg(root).args(arguments).output();
    let output = output.context("the checks read what Git tracks: git cannot be run")?;
    ensure!(
        output.status.success(),
        "the checks read what Git tracks: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(output.stdout)
}
