use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};

mod tracked;

/// The tracked files of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// The text files, sorted by path.
    pub files: Vec<File>,
    /// The paths of binary files and symbolic links, whose contents no check reads.
    pub opaque: Vec<String>,
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
    /// Reads the files under `root` that Git tracks, as they are in the working tree. Other files may
    /// lie beside them.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or `root` is not the top of a working tree of Git.
    pub fn load(root: &Path) -> Result<Self> {
        let mut tree = Self::default();
        for path in tracked::paths(root)? {
            let place = root.join(&path);
            let kind = match fs::symlink_metadata(&place) {
                Ok(metadata) => metadata.file_type(),
                // Deleted, and not committed yet.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error).context(path),
            };
            if !kind.is_file() {
                tree.opaque.push(path);
                continue;
            }
            match String::from_utf8(fs::read(place).with_context(|| path.clone())?) {
                Ok(text) => tree.files.push(File { path, text }),
                Err(_) => tree.opaque.push(path),
            }
        }
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    /// Makes a tree of these paths and texts.
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
            opaque: Vec::new(),
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

    /// Returns true if there is a file or a folder at `path`.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.files
            .iter()
            .map(|file| &file.path)
            .chain(&self.opaque)
            .any(|known| known == path || known.starts_with(&folder))
    }

    /// The paths of the text files under `folder` (empty for the whole repository) whose names end
    /// with `ending`.
    pub(crate) fn paths<'a>(
        &'a self,
        folder: &'a str,
        ending: &'a str,
    ) -> impl Iterator<Item = &'a str> {
        let paths = self.files.iter().map(|file| file.path.as_str());
        paths.filter(move |path| path.starts_with(folder) && path.ends_with(ending))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_files_and_folders() {
        let tree = Tree::of(&[("docs/rules/kamisado.md", "")]);
        assert!(tree.contains("docs/rules"));
        assert!(tree.contains("docs/rules/kamisado.md"));
        assert!(!tree.contains("docs/rule"));
    }

    #[test]
    fn lists_paths_by_folder_and_ending() {
        let tree = Tree::of(&[("a/b.py", ""), ("a/c.rs", ""), ("d.py", "")]);
        assert!(tree.paths("a/", ".py").eq(["a/b.py"]));
        assert!(tree.paths("", ".py").eq(["a/b.py", "d.py"]));
    }
}
