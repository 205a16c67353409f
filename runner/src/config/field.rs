use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::findings::Findings;

/// A value of the file and where it stands.
pub(super) struct Field<'a> {
    findings: &'a Findings<'a>,
    path: String,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Field<'a> {
    pub(super) fn new(
        findings: &'a Findings<'a>,
        path: String,
        value: &'a Spanned<DeValue<'a>>,
    ) -> Self {
        Self {
            findings,
            path,
            value,
        }
    }

    /// Its key, with those of the tables around it.
    pub(super) fn key(&self) -> &str {
        &self.path
    }

    /// The collection of problems with it.
    pub(super) const fn findings(&self) -> &'a Findings<'a> {
        self.findings
    }

    /// The offset of its beginning, as in [`Findings`].
    pub(super) fn offset(&self) -> usize {
        self.value.span().start
    }

    /// The folder of the file in which it stands.
    pub(super) fn folder(&self) -> &'a Path {
        self.findings.folder(self.offset())
    }

    /// Notes what is wrong with the value.
    pub(super) fn report(&self, message: impl Display) {
        self.findings
            .report(self.offset(), self.path.clone(), message.to_string());
    }

    /// Returns the value of `result`; reports an error as a problem of this field.
    pub(super) fn check<T, E: Display>(&self, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.report(error)).ok()
    }

    /// The value as text.
    pub(super) fn text(&self) -> Option<&'a str> {
        self.expect("a string", self.value.get_ref().as_str())
    }

    /// The value as `true` or `false`.
    pub(super) fn boolean(&self) -> Option<bool> {
        self.expect("true or false", self.value.get_ref().as_bool())
    }

    /// The value as a whole number in `range`.
    pub(super) fn integer(&self, range: RangeInclusive<u64>) -> Option<u64> {
        let integer = self.expect("a whole number", self.value.get_ref().as_integer())?;
        let number = number(integer).filter(|number| range.contains(number));
        if number.is_none() {
            let (low, high) = range.into_inner();
            self.report(format!("must be from {low} to {high}, not {integer}"));
        }
        number
    }

    /// The value as a whole number in `range`, for counts.
    pub(super) fn count(&self, range: RangeInclusive<u32>) -> Option<u32> {
        let (low, high) = range.into_inner();
        let number = self.integer(u64::from(low)..=u64::from(high))?;
        Some(u32::try_from(number).expect("the range is within the type's"))
    }

    /// The value as a whole number; `u32::MAX` for one beyond the type, which has to be refused as
    /// [`Self::shown`].
    pub(super) fn capped(&self) -> Option<u32> {
        let integer = self.expect("a whole number", self.value.get_ref().as_integer())?;
        let number = number(integer).and_then(|number| number.try_into().ok());
        Some(number.unwrap_or(u32::MAX))
    }

    /// A whole number as it is written; `None` for another value.
    pub(super) fn shown(&self) -> Option<String> {
        let integer = self.value.get_ref().as_integer()?;
        Some(integer.to_string())
    }

    /// The value as a number, with a fraction or without.
    pub(super) fn number(&self) -> Option<f64> {
        let number = match self.value.get_ref() {
            DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
                .ok()
                .and_then(|integer| i32::try_from(integer).ok())
                .map(f64::from),
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::String(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_) => return self.expect("a number", None),
        };
        if number.is_none() {
            self.report("the number is too large");
        }
        number
    }

    /// The value as a table.
    pub(super) fn table(&self) -> Option<&'a DeTable<'a>> {
        self.expect("a table", self.value.get_ref().as_table())
    }

    /// The value as a list. Its items have the keys `path[1]`, `path[2]`, ….
    pub(super) fn list(&self) -> Option<Vec<Field<'a>>> {
        let array = self.expect("a list", self.value.get_ref().as_array())?;
        let item =
            |(number, value)| Field::new(self.findings, format!("{}[{number}]", self.path), value);
        Some((1..).zip(array.iter()).map(item).collect())
    }

    /// The value of an option of a bot as text, whatever its type.
    pub(super) fn scalar(&self) -> Option<String> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(integer) => {
                Some(number(integer).map_or_else(|| integer.to_string(), |n| n.to_string()))
            }
            DeValue::Boolean(value) => Some(value.to_string()),
            DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
                self.expect("a whole number, a string, true or false", None)
            }
        }
    }

    /// Returns true if the value is a string.
    pub(super) fn is_text(&self) -> bool {
        self.value.get_ref().is_str()
    }

    /// Returns true if the value is a table.
    pub(super) fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    fn expect<T>(&self, what: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            let found = match self.value.get_ref() {
                DeValue::String(_) => "a string",
                DeValue::Integer(_) => "a whole number",
                DeValue::Float(_) => "a decimal number",
                DeValue::Boolean(_) => "a boolean",
                DeValue::Datetime(_) => "a date or a time",
                DeValue::Array(_) => "a list",
                DeValue::Table(_) => "a table",
            };
            self.report(format!("must be {what}, not {found}"));
        }
        value
    }
}

fn number(integer: &DeInteger<'_>) -> Option<u64> {
    u64::from_str_radix(integer.as_str(), integer.radix()).ok()
}
