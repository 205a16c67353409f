use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The files of the repository that are text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// The files, by path.
    pub files: Vec<File>,
    /// The paths of the files that are no text.
    pub binaries: Vec<String>,
}

/// A text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path, relative to the repository, with slashes.
    pub path: String,
    /// Its content.
    pub text: String,
}

impl Tree {
    /// Reads what is under `root`, without what `.gitignore` leaves out.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or `.gitignore` holds a pattern that is more than a name or a path.
    pub fn load(root: &Path) -> Result<Self> {
        let ignored = fs::read_to_string(root.join(".gitignore")).context(".gitignore")?;
        let ignored = Ignored::parse(&ignored)?;
        let mut tree = Self::default();
        tree.walk(root, "", &ignored)?;
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    /// A tree of these paths and texts.
    #[must_use]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|&(path, text)| File {
                path: path.to_owned(),
                text: text.to_owned(),
            })
            .collect();
        Self {
            files,
            binaries: Vec::new(),
        }
    }

    /// The text of the file at `path`.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files
            .iter()
            .find(|file| file.path == path)
            .map(|file| file.text.as_str())
    }

    /// Whether there is a file or a folder at `path`.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.files
            .iter()
            .map(|file| &file.path)
            .chain(&self.binaries)
            .any(|known| known == path || known.starts_with(&folder))
    }

    fn walk(&mut self, folder: &Path, prefix: &str, ignored: &Ignored) -> Result<()> {
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name
                .to_str()
                .with_context(|| format!("{}: no UTF-8", name.display()))?;
            let path = format!("{prefix}{name}");
            if ignored.covers(&path, name) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                self.walk(&entry.path(), &format!("{path}/"), ignored)?;
                continue;
            }
            let bytes = fs::read(entry.path()).with_context(|| path.clone())?;
            match String::from_utf8(bytes) {
                Ok(text) => self.files.push(File { path, text }),
                Err(_) => self.binaries.push(path),
            }
        }
        Ok(())
    }
}

/// The names and paths of `.gitignore`, and `.git` itself.
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
                bail!(".gitignore: {line:?} is neither a name, an ending nor a path from the root");
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

    #[test]
    fn knows_files_and_folders() {
        let tree = Tree::of(&[("docs/rules/kamisado.md", "")]);
        assert!(tree.contains("docs/rules"));
        assert!(tree.contains("docs/rules/kamisado.md"));
        assert!(!tree.contains("docs/rule"));
    }
}
