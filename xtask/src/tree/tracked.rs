//! The paths of the files that belong to the repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The paths of the files under `root` that Git tracks. Where Git is missing, or `root` is not the top
/// of a working tree (a source archive), those of all files that `.gitignore` does not exclude.
pub(super) fn paths(root: &Path) -> Result<Vec<String>> {
    match git(root, &["rev-parse", "--show-cdup"]) {
        Some(up) if up.trim_ascii().is_empty() => {
            let list = git(root, &["ls-files", "-z", "--cached", "--deduplicate"]);
            split(&list.context("git ls-files failed")?)
        }
        _ => walk(root),
    }
}

/// The output of a Git command; `None` if there is no Git or it fails.
fn git(root: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut git = Command::new("git");
    let output = git.arg("-C").arg(root).args(arguments).output().ok()?;
    output.status.success().then_some(output.stdout)
}

fn split(list: &[u8]) -> Result<Vec<String>> {
    let list = std::str::from_utf8(list).context("a tracked path is not UTF-8")?;
    Ok(list.split_terminator('\0').map(str::to_owned).collect())
}

fn walk(root: &Path) -> Result<Vec<String>> {
    let ignored = fs::read_to_string(root.join(".gitignore")).context(".gitignore")?;
    let ignored = Ignored::parse(&ignored)?;
    let mut paths = Vec::new();
    let mut folders = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let name = entry.file_name();
            // No file of the repository has another name.
            let Some(name) = name.to_str() else { continue };
            let path = format!("{prefix}{name}");
            if ignored.covers(&path, name) {
                continue;
            }
            // A symbolic link to a folder is not a folder here: it may lead anywhere.
            if entry.file_type()?.is_dir() {
                folders.push((entry.path(), format!("{path}/")));
            } else {
                paths.push(path);
            }
        }
    }
    Ok(paths)
}

/// The patterns of `.gitignore`, and `.git` itself.
#[derive(Debug)]
struct Ignored {
    names: Vec<String>,
    paths: Vec<String>,
    endings: Vec<String>,
}

impl Ignored {
    fn parse(text: &str) -> Result<Self> {
        let mut names = vec![".git".to_owned()];
        let mut paths = Vec::new();
        let mut endings = Vec::new();
        for line in text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let plain = line.trim_end_matches('/');
            if let Some(ending) = plain.strip_prefix('*') {
                endings.push(ending.to_owned());
            } else if let Some(path) = plain.strip_prefix('/') {
                paths.push(path.to_owned());
            } else {
                names.push(plain.to_owned());
            }
            let pattern = plain.trim_start_matches(['*', '/']);
            let rooted = plain.starts_with('/');
            if pattern.contains(['*', '?', '[', '!']) || (pattern.contains('/') && !rooted) {
                bail!(".gitignore: {line:?} is not a name, an ending or a path from the root");
            }
        }
        Ok(Self {
            names,
            paths,
            endings,
        })
    }

    fn covers(&self, path: &str, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
            || self.paths.iter().any(|known| known == path)
            || self
                .endings
                .iter()
                .any(|ending| name.ends_with(ending.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_names_paths_and_endings() {
        let ignored = Ignored::parse("# built\n/target\nnode_modules/\n*.log\n").unwrap();
        assert!(ignored.covers("target", "target"));
        assert!(!ignored.covers("games/target", "target"));
        assert!(ignored.covers("bots/node_modules", "node_modules"));
        assert!(ignored.covers("x/a.log", "a.log"));
        assert!(ignored.covers(".git", ".git"));
        assert!(!ignored.covers(".gitignore", ".gitignore"));
    }

    #[test]
    fn refuses_a_pattern_that_it_would_misread() {
        assert!(Ignored::parse("a/b\n").is_err());
        assert!(Ignored::parse("!keep\n").is_err());
        assert!(Ignored::parse("x*y\n").is_err());
    }
}
