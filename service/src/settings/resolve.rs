use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use super::error::SettingsError;
use super::file;
use super::flags::{FILE_VARIABLE, Flags};
use super::misspelt::{Misspelt, misspelt};
use super::origin::Origin;
use super::setting::Setting;
use super::table::SETTINGS;
use super::values::Values;

/// The values that hold, and where each came from.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) values: Values,
    /// In the order of the settings.
    pub(crate) origins: Vec<(&'static Setting, Origin)>,
    /// Variables that set nothing and look as if they should.
    pub(crate) misspelt: Vec<Misspelt>,
}

/// What the flags, the environment and the file say, in this order of strength.
///
/// # Errors
///
/// The first thing that is wrong in any of them, also where something stronger holds.
pub(crate) fn resolve(flags: &Flags) -> Result<Resolved, SettingsError> {
    let mut resolved = resolve_with(SETTINGS, flags, |name| env::var_os(name))?;
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    resolved.misspelt = misspelt(SETTINGS, names);
    Ok(resolved)
}

/// The same with other settings and another environment.
pub(super) fn resolve_with(
    settings: &'static [Setting],
    flags: &Flags,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Resolved, SettingsError> {
    let file = flags
        .file
        .clone()
        .or_else(|| variable(FILE_VARIABLE).map(PathBuf::from))
        // As it is usual, an empty variable says nothing.
        .filter(|path| !path.as_os_str().is_empty());
    let entries = match file {
        Some(path) => file::read(&path, settings)?,
        None => Vec::new(),
    };
    let text_of = |name: &str| {
        let to_text = |value: OsString| {
            value.into_string().map_err(|_| SettingsError::NoText {
                name: name.to_owned(),
            })
        };
        variable(name).map(to_text).transpose()
    };
    let mut resolved = Resolved {
        values: Values::default(),
        origins: Vec::new(),
        misspelt: Vec::new(),
    };
    for setting in settings {
        let mut said: Vec<(Origin, String)> = Vec::new();
        if let Some(name) = setting.usual_variable
            && let Some(text) = text_of(name)?
        {
            said.push((Origin::UsualVariable(name), text));
        }
        if let Some(entry) = entries
            .iter()
            .find(|entry| entry.setting.key == setting.key)
        {
            said.push((Origin::File(entry.place.clone()), entry.text.clone()));
        }
        let name = setting.variable();
        if let Some(text) = text_of(&name)? {
            said.push((Origin::Variable(name), text));
        }
        if let Some(text) = flags.texts.get(setting.key) {
            said.push((Origin::Flag(setting.flag), text.clone()));
        }
        let mut holds = Origin::Default;
        for (origin, text) in said {
            set(setting, &mut resolved.values, &text, &origin)?;
            holds = origin;
        }
        resolved.origins.push((setting, holds));
        // The first of the table: what is usual for the others depends on it.
        if setting.key == "listen" {
            resolved.values.follow_address();
        }
    }
    resolved.choose_storage()?;
    Ok(resolved)
}

fn set(
    setting: &Setting,
    values: &mut Values,
    text: &str,
    origin: &Origin,
) -> Result<(), SettingsError> {
    setting
        .kind
        .set(values, text)
        .map_err(|why| SettingsError::BadValue {
            key: setting.key,
            origin: origin.clone(),
            why: if setting.secret {
                "this is no value".to_owned()
            } else {
                why
            },
            expected: setting.kind.expects(),
        })
}

impl Resolved {
    /// Of a folder and the memory the one with the stronger origin holds.
    fn choose_storage(&mut self) -> Result<(), SettingsError> {
        let origin = |key: &str| {
            let found = self.origins.iter().find(|(setting, _)| setting.key == key);
            found.map_or(Origin::Default, |(_, origin)| origin.clone())
        };
        if !self.values.in_memory || self.values.data.is_none() {
            return Ok(());
        }
        let (data, in_memory) = (origin("data"), origin("in_memory"));
        match data.rank().cmp(&in_memory.rank()) {
            std::cmp::Ordering::Less => self.values.data = None,
            std::cmp::Ordering::Greater => self.values.in_memory = false,
            std::cmp::Ordering::Equal => {
                return Err(SettingsError::TwoStorages { data, in_memory });
            }
        }
        Ok(())
    }
}
