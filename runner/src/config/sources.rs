use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::merge::{merge, shifted};
use super::{ConfigError, Problem};

/// The most bytes of a configuration.
pub const MAX_CONFIG_BYTES: u64 = 1 << 20;
/// The most files that extend each other.
pub const MAX_EXTENDED: usize = 16;
/// The key by which a file extends another.
const EXTENDS: &str = "extends";

/// A file, the one that it extends, the one that that extends, and so on.
///
/// Their texts stand one after the other, as it were: a place in all of them is an offset from the
/// beginning of the first.
#[derive(Debug)]
pub(super) struct Sources(Vec<Source>);

#[derive(Debug)]
struct Source {
    /// None for the first, whose name others know.
    path: Option<PathBuf>,
    /// The folder to which its programs, folders and files are relative.
    folder: PathBuf,
    text: String,
    /// The offset of its beginning.
    start: usize,
}

impl Sources {
    /// The files behind `text`, which stands in `folder`, in the file `own` if it is known.
    pub(super) fn gather(
        text: &str,
        folder: &Path,
        own: Option<&Path>,
    ) -> Result<Self, Vec<Problem>> {
        let mut sources = Self(vec![Source {
            path: None,
            folder: folder.to_owned(),
            text: text.to_owned(),
            start: 0,
        }]);
        let mut seen: Vec<PathBuf> = own
            .and_then(|own| own.canonicalize().ok())
            .into_iter()
            .collect();
        while let Some((name, offset)) = sources.extended()? {
            let last = &sources.0[sources.0.len() - 1];
            let path = last.folder.join(&name);
            let refuse =
                |message: String| Err(vec![sources.problem(offset, EXTENDS.to_owned(), message)]);
            if let Ok(canonical) = path.canonicalize() {
                if seen.contains(&canonical) {
                    return refuse(format!("{} extends itself", path.display()));
                }
                seen.push(canonical);
            }
            if sources.0.len() == MAX_EXTENDED {
                return refuse(format!("at most {MAX_EXTENDED} files extend each other"));
            }
            let text = match read_bounded(&path) {
                Ok(bytes) => String::from_utf8(bytes),
                Err(ConfigError::Unreadable { source, .. }) => {
                    return refuse(format!("{} cannot be read: {source}", path.display()));
                }
                Err(error) => return refuse(error.to_string()),
            };
            let Ok(text) = text else {
                return refuse(format!("the text of {} is not UTF-8", path.display()));
            };
            let start = last.start + last.text.len() + 1;
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            sources.0.push(Source {
                path: Some(path),
                folder,
                text,
                start,
            });
        }
        Ok(sources)
    }

    /// Returns the merged content: a file overrides what it extends.
    ///
    /// Each has been parsed before without a mistake.
    pub(super) fn merged(&self) -> DeTable<'_> {
        let tables = self.0.iter().rev().map(|source| {
            let (table, _) = DeTable::parse_recoverable(&source.text);
            let mut table = shifted(table.into_inner(), source.start);
            table.remove(EXTENDS);
            table
        });
        tables
            .reduce(|base, over| merge(over, base))
            .unwrap_or_default()
    }

    /// Returns the problem at an offset.
    pub(super) fn problem(&self, offset: usize, key: String, message: String) -> Problem {
        let source = self.at(offset);
        let local = offset - source.start;
        Problem {
            file: source.path.clone(),
            ..Problem::at(&source.text, local, key, message)
        }
    }

    /// The folder of the file in which an offset lies.
    pub(super) fn folder(&self, offset: usize) -> &Path {
        &self.at(offset).folder
    }

    fn at(&self, offset: usize) -> &Source {
        let number = self.0.partition_point(|source| source.start <= offset);
        // The first one starts at 0.
        &self.0[number.saturating_sub(1)]
    }

    /// The file that the last one extends, and where it says so.
    fn extended(&self) -> Result<Option<(String, usize)>, Vec<Problem>> {
        let last = &self.0[self.0.len() - 1];
        let (table, errors) = DeTable::parse_recoverable(&last.text);
        if !errors.is_empty() {
            let problems = errors.iter().map(|error| {
                let offset = error.span().map_or(0, |span| span.start);
                self.problem(
                    last.start + offset,
                    String::new(),
                    error.message().to_owned(),
                )
            });
            let mut problems: Vec<Problem> = problems.collect();
            problems.sort_by_key(|problem| (problem.line, problem.column));
            return Err(problems);
        }
        let Some(value) = table.get_ref().get(EXTENDS) else {
            return Ok(None);
        };
        let offset = last.start + value.span().start;
        match value.get_ref().as_str() {
            Some(name) if !name.is_empty() => Ok(Some((name.to_owned(), offset))),
            Some(_) | None => {
                let message = "must name a file, in quotes".to_owned();
                Err(vec![self.problem(offset, EXTENDS.to_owned(), message)])
            }
        }
    }
}

pub(super) fn read_bounded(path: &Path) -> Result<Vec<u8>, ConfigError> {
    let unreadable = |source: io::Error| ConfigError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_CONFIG_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_CONFIG_BYTES {
        return Err(ConfigError::TooLarge {
            path: path.to_owned(),
            limit: MAX_CONFIG_BYTES,
        });
    }
    Ok(bytes)
}
