use std::cell::RefCell;

use dragontooth_games::suggestion::did_you_mean;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::field::Field;
use super::findings::Findings;

/// A table of the file with the keys that it may have.
pub(super) struct Section<'a> {
    findings: &'a Findings<'a>,
    path: String,
    offset: usize,
    table: &'a DeTable<'a>,
    known: RefCell<Vec<&'static str>>,
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

    /// The table that is the value of `field`; another value is a problem.
    pub(super) fn of(field: &Field<'a>) -> Option<Self> {
        let table = field.table()?;
        Some(Self::new(
            field.findings(),
            field.key(),
            field.offset(),
            table,
        ))
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
                let hint = did_you_mean(name, known.iter().copied());
                let message = format!("unknown key; expected one of {}{hint}", known.join(", "));
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
