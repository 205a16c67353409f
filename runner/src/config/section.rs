use std::cell::RefCell;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Problem;
use super::field::Field;
use super::sources::Sources;

/// The texts of the files and what was found wrong in them so far.
///
/// Whatever reads a value puts what is wrong here and gives `None`, so that one run tells all.
pub(super) struct Findings<'t> {
    sources: &'t Sources,
    problems: RefCell<Vec<Problem>>,
}

/// A table of the file with the keys that it may have.
pub(super) struct Section<'a> {
    findings: &'a Findings<'a>,
    path: String,
    offset: usize,
    table: &'a DeTable<'a>,
    known: RefCell<Vec<&'static str>>,
}

impl<'t> Findings<'t> {
    pub(super) fn new(sources: &'t Sources) -> Self {
        Self {
            sources,
            problems: RefCell::new(Vec::new()),
        }
    }

    /// The folder of the file in which an offset lies.
    pub(super) fn folder(&self, offset: usize) -> &'t Path {
        self.sources.folder(offset)
    }

    /// Notes what is wrong with `key` at an offset.
    pub(super) fn report(&self, offset: usize, key: impl Into<String>, message: impl Into<String>) {
        let problem = self.sources.problem(offset, key.into(), message.into());
        self.problems.borrow_mut().push(problem);
    }

    /// All that was found, in the order of the files.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        problems
    }
}

impl<'a> Section<'a> {
    /// The table at `path` (empty for the file itself), which begins at `offset`.
    pub(super) fn new(
        findings: &'a Findings<'a>,
        path: impl Into<String>,
        offset: usize,
        table: &'a DeTable<'a>,
    ) -> Self {
        Self {
            findings,
            path: path.into(),
            offset,
            table,
            known: RefCell::new(Vec::new()),
        }
    }

    /// The value of `key`, if it is there. The key is known from here on.
    pub(super) fn get(&self, key: &'static str) -> Option<Field<'a>> {
        let mut known = self.known.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
        let value = self.table.get(key)?;
        Some(self.field(key, value))
    }

    /// The value of `key`; without it, a problem.
    pub(super) fn require(&self, key: &'static str) -> Option<Field<'a>> {
        let field = self.get(key);
        if field.is_none() {
            self.findings
                .report(self.offset, self.key(key), "this key is missing");
        }
        field
    }

    /// All values, for a table whose keys somebody else knows.
    pub(super) fn all(&self) -> Vec<(&'a str, Field<'a>)> {
        let all = self.table.iter().map(|(key, value)| {
            let key: &'a str = key.get_ref();
            (key, self.field(key, value))
        });
        all.collect()
    }

    /// A problem of the table itself.
    pub(super) fn report(&self, message: impl Into<String>) {
        self.findings
            .report(self.offset, self.path.clone(), message);
    }

    /// A problem for every key that was not asked for.
    pub(super) fn refuse_others(&self) {
        let known = self.known.borrow();
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let message = format!("there is no such key; there is {}", known.join(", "));
                self.findings
                    .report(key.span().start, self.key(name), message);
            }
        }
    }

    fn field(&self, key: &str, value: &'a Spanned<DeValue<'a>>) -> Field<'a> {
        Field::new(self.findings, self.key(key), value)
    }

    fn key(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }
}
