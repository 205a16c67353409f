use std::env;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use dragontooth_service_postgres::PostgresOptions;

use super::error::{Mistakes, SettingsError};
use super::file::{self, Contents};
use super::flags::{FILE_VARIABLE, Flags};
use super::misspelt::{Misspelt, misspelt};
use super::origin::Origin;
use super::setting::Setting;
use super::table::SETTINGS;
use super::values::Values;
use crate::{Config, ServerTlsFiles, Storage};

/// The values that hold, and where each came from.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) values: Values,
    /// In the order of the settings.
    pub(crate) origins: Vec<(&'static Setting, Origin)>,
}

/// Resolves flags, environment and file, in this order of precedence.
///
/// # Errors
///
/// The mistakes in all of them, even where a value is overridden.
pub(crate) fn resolve(flags: &Flags) -> Result<Resolved, Mistakes> {
    resolve_with(SETTINGS, flags, |name| env::var_os(name))
}

/// Variables that set nothing and look as if they should.
pub(crate) fn misspelt_variables() -> Vec<Misspelt> {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    misspelt(SETTINGS, names)
}

/// The same with other settings and another environment.
pub(super) fn resolve_with(
    settings: &'static [Setting],
    flags: &Flags,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Resolved, Mistakes> {
    let file = flags
        .file
        .clone()
        .or_else(|| variable(FILE_VARIABLE).map(PathBuf::from))
        // As it is usual, an empty variable says nothing.
        .filter(|path| !path.as_os_str().is_empty());
    let read = file.map(|path| file::read(&path, settings)).transpose();
    let (contents, unread) = match read {
        Ok(contents) => (contents.unwrap_or_default(), None),
        Err(error) => (Contents::default(), Some(error)),
    };
    let mut mistakes = contents.mistakes;
    mistakes.extend(unread);
    let mut resolved = Resolved {
        values: Values::default(),
        origins: Vec::new(),
    };
    for setting in settings {
        let mut texts: Vec<(Origin, OsString)> = Vec::new();
        if let Some(name) = setting.usual_variable
            // Who shares such a variable takes an empty one for unset.
            && let Some(text) = variable(name).filter(|text| !text.is_empty())
        {
            texts.push((Origin::UsualVariable(name), text));
        }
        let mut entries = contents.entries.iter();
        if let Some(entry) = entries.find(|entry| entry.setting.key == setting.key) {
            let text = entry.text.clone().into();
            texts.push((Origin::File(entry.place.clone()), text));
        }
        let name = setting.variable();
        if let Some(text) = variable(&name) {
            texts.push((Origin::Variable(name), text));
        }
        if let Some(text) = flags.texts.get(setting.key) {
            texts.push((Origin::Flag(setting.flag), text.into()));
        }
        let mut holds = Origin::Default;
        for (origin, text) in texts {
            match set(setting, &mut resolved.values, text, &origin) {
                Ok(()) => holds = origin,
                Err(mistake) => mistakes.push(mistake),
            }
        }
        resolved.origins.push((setting, holds));
    }
    Mistakes::check(mistakes)?;
    resolved.choose_storage()?;
    resolved.choose_rates();
    Ok(resolved)
}

fn set(
    setting: &Setting,
    values: &mut Values,
    text: OsString,
    origin: &Origin,
) -> Result<(), SettingsError> {
    let text = text.into_string().map_err(|_| SettingsError::NoText {
        name: origin.to_string(),
    })?;
    setting
        .kind
        .set(values, &text)
        .map_err(|why| SettingsError::BadValue {
            key: setting.key,
            origin: origin.clone(),
            why: if setting.secret {
                "the value is not valid".to_owned()
            } else {
                why
            },
            expected: setting.kind.expects(),
        })
}

impl Resolved {
    /// The configuration of a service.
    ///
    /// # Errors
    ///
    /// Values that are valid each but contradict each other.
    pub(crate) fn config(&self) -> Result<Config, Mistakes> {
        let mut mistakes = Vec::new();
        let values = self.values.clone();
        let storage = match (values.data, values.database, values.in_memory) {
            (_, _, true) => Storage::Memory,
            (Some(folder), ..) => Storage::Folder(folder),
            (None, Some(address), false) => Storage::Postgres(PostgresOptions {
                address,
                password_file: values.database_password,
                ca: values.database_ca,
                requires_standby: values.requires_standby,
            }),
            (None, None, false) => {
                mistakes.push(SettingsError::NoStorage);
                Storage::Memory
            }
        };
        let tls = match (values.tls_cert, values.tls_key, values.tls_client_ca) {
            (None, None, None) => None,
            (cert, key, client_ca) => {
                let half = match (&cert, &key) {
                    (Some(_), Some(_)) => None,
                    (Some(_), None) => Some(("tls-cert", "access.tls_cert", "--tls-key")),
                    (None, Some(_)) => Some(("tls-key", "access.tls_key", "--tls-cert")),
                    (None, None) => {
                        let both = "--tls-cert and --tls-key";
                        Some(("tls-client-ca", "access.tls_client_ca", both))
                    }
                };
                mistakes.extend(half.map(|(flag, key, missing)| SettingsError::HalfTls {
                    set: (flag, self.origin(key)),
                    missing,
                }));
                // It is meant, if not whole.
                Some(ServerTlsFiles {
                    cert: cert.unwrap_or_default(),
                    key: key.unwrap_or_default(),
                    client_ca,
                })
            }
        };
        let config = Config {
            storage,
            tls,
            ..values.config
        };
        let ports = [
            ("listen", "listen", Some(config.listen)),
            ("side-listen", "side.listen", config.side_listen),
            ("web", "web.listen", config.web_listen),
        ];
        for (at, (flag, key, address)) in ports.into_iter().enumerate() {
            let taken = |(.., other): &(_, _, Option<SocketAddr>)| *other == address;
            if let Some(address) = address.filter(|address| address.port() != 0)
                && let Some((earlier, earlier_key, _)) = ports[..at].iter().copied().find(taken)
            {
                mistakes.push(SettingsError::OneAddress {
                    address,
                    flags: [earlier, flag],
                    origins: Box::new([earlier_key, key].map(|key| self.origin(key))),
                });
            }
        }
        mistakes.extend(config.dangers().map(SettingsError::Unsafe));
        Mistakes::check(mistakes)?;
        Ok(config)
    }

    /// Lets the rates that are not set follow from the addresses.
    fn choose_rates(&mut self) {
        let is_set = |key| self.origin(key) != Origin::Default;
        let [has_actions, has_calls] =
            ["limits.actions_per_second", "limits.calls_per_second"].map(is_set);
        let usual = self.values.config.usual_limits();
        let limits = &mut self.values.config.limits;
        if !has_actions {
            limits.actions_per_second = usual.actions_per_second;
        }
        if !has_calls {
            limits.calls_per_second = usual.calls_per_second;
        }
    }

    /// Keeps the folder, the database or the memory, whichever has the strongest origin.
    fn choose_storage(&mut self) -> Result<(), Mistakes> {
        let values = &self.values;
        let places = [
            ("data", "data", values.data.is_some()),
            ("log", "postgres.address", values.database.is_some()),
            ("in-memory", "in_memory", values.in_memory),
        ];
        let named = places.into_iter().filter(|(_, _, is_named)| *is_named);
        let mut named: Vec<_> = named
            .map(|(flag, key, _)| (flag, self.origin(key)))
            .collect();
        // The stronger ones first, in their order.
        named.sort_by_key(|(_, origin)| std::cmp::Reverse(origin.rank()));
        let mut named = named.into_iter();
        let Some(first) = named.next() else {
            return Ok(());
        };
        if let Some(second) = named.next()
            && second.1.rank() == first.1.rank()
        {
            let both = SettingsError::TwoStorages { first, second };
            return Mistakes::check(vec![both]);
        }
        let kept = first.0;
        let values = &mut self.values;
        values.data.take_if(|_| kept != "data");
        values.database.take_if(|_| kept != "log");
        values.in_memory &= kept == "in-memory";
        Ok(())
    }

    /// Returns the origin of the value of a setting.
    fn origin(&self, key: &str) -> Origin {
        let found = self.origins.iter().find(|(setting, _)| setting.key == key);
        found.map_or(Origin::Default, |(_, origin)| origin.clone())
    }
}
