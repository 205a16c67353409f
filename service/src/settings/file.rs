use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use dragontooth_games::suggestion::{did_you_mean, suggestion};
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::error::SettingsError;
use super::kind::TomlForm;
use super::origin::Place;
use super::setting::Setting;

/// The most bytes of a file of settings.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A value in the file.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) setting: &'static Setting,
    pub(super) text: String,
    pub(super) place: Place,
}

/// The content of a file.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) entries: Vec<Entry>,
    /// In the order of the text.
    pub(super) mistakes: Vec<SettingsError>,
}

/// The values in a file, and its mistakes: unknown keys and values of a wrong type.
///
/// # Errors
///
/// It cannot be read.
pub(super) fn read(path: &Path, settings: &'static [Setting]) -> Result<Contents, SettingsError> {
    let unreadable = |source| SettingsError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(SettingsError::TooLarge {
            path: path.to_owned(),
            limit: MAX_FILE_BYTES,
        });
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| unreadable(io::Error::new(io::ErrorKind::InvalidData, error)))?;
    let reader = Reader {
        path,
        text: &text,
        settings,
    };
    reader.contents()
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    settings: &'static [Setting],
}

impl Reader<'_> {
    fn contents(&self) -> Result<Contents, SettingsError> {
        let root = DeTable::parse(self.text).map_err(|error| SettingsError::NoToml {
            place: self.place(error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        let mut contents = Contents::default();
        self.table("", root.get_ref(), &mut contents);
        Ok(contents)
    }

    fn table(&self, path: &str, table: &DeTable<'_>, contents: &mut Contents) {
        let mut fields: Vec<_> = table.iter().collect();
        fields.sort_by_key(|(key, _)| key.span().start);
        for (name, value) in fields {
            let key = if path.is_empty() {
                name.get_ref().to_string()
            } else {
                format!("{path}.{}", name.get_ref())
            };
            if let Some(setting) = self.settings.iter().find(|setting| setting.key == key) {
                match self.entry(setting, name, value) {
                    Ok(entry) => contents.entries.push(entry),
                    Err(mistake) => contents.mistakes.push(mistake),
                }
            } else if let DeValue::Table(inner) = value.get_ref()
                && self.is_table(&key)
            {
                self.table(&key, inner, contents);
            } else {
                contents.mistakes.push(SettingsError::UnknownKey {
                    place: self.place(name.span().start),
                    hint: self.hint(&key),
                    key,
                });
            }
        }
    }

    fn entry(
        &self,
        setting: &'static Setting,
        name: &Spanned<impl Sized>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Entry, SettingsError> {
        let written = setting.kind.written();
        let text = match (value.get_ref(), written) {
            (DeValue::String(text), TomlForm::Text) => text.to_string(),
            (DeValue::Integer(integer), TomlForm::Integer) => whole(integer),
            (DeValue::Boolean(value), TomlForm::Boolean) => value.to_string(),
            (other, _) => {
                return Err(SettingsError::WrongType {
                    place: self.place(value.span().start),
                    key: setting.key,
                    expected: format!("{written} ({})", setting.kind.expects()),
                    found: name_of(other),
                });
            }
        };
        Ok(Entry {
            setting,
            text,
            place: self.place(name.span().start),
        })
    }

    fn is_table(&self, key: &str) -> bool {
        self.settings
            .iter()
            .any(|setting| setting.place().0 == Some(key))
    }

    /// The end of an error about an unknown key: the setting that may have been meant. The right name in
    /// the wrong table is one, too.
    fn hint(&self, key: &str) -> String {
        let settings = self.settings.iter();
        let tables = settings.clone().filter_map(|setting| setting.place().0);
        let keys = settings.clone().map(|setting| setting.key).chain(tables);
        let whole = did_you_mean(key, keys);
        if !whole.is_empty() {
            return whole;
        }
        let (_, name) = key.rsplit_once('.').unwrap_or(("", key));
        let meant = suggestion(name, settings.clone().map(|setting| setting.place().1));
        let mut settings = settings.filter(|setting| Some(setting.place().1) == meant);
        settings.next().map_or_else(
            || "; `dragontooth-service config example` lists them".to_owned(),
            |setting| format!("; did you mean {:?}?", setting.key),
        )
    }

    fn place(&self, offset: usize) -> Place {
        Place::new(PathBuf::from(self.path), self.text, offset)
    }
}

fn whole(integer: &DeInteger<'_>) -> String {
    u64::from_str_radix(integer.as_str(), integer.radix())
        .map_or_else(|_| integer.to_string(), |number| number.to_string())
}

const fn name_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a decimal number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or a time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
