use std::fmt;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use dragontooth_games::suggestion::did_you_mean;
use dragontooth_service_postgres::{AddressError, PostgresAddress};
use dragontooth_service_vocabulary::{HostNames, InvalidHostName};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

use super::address::socket_address;
use super::values::{LogFilter, LogFormat, Values};
use crate::{AuthMode, Limits};

/// The word for an unset value where one is set by default.
const OFF: &str = "off";

/// The levels of a log filter.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The place of a value of type `T` among all values.
type Of<T> = fn(&mut Values) -> &mut T;

/// The type and range of a setting, and where its value is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// An IP address or the name of a host, and a port.
    Address(Of<SocketAddr>),
    /// An IP address or the name of a host, and a port, or nothing.
    AddressOrOff(Of<Option<SocketAddr>>),
    /// A file or a folder.
    Path(Of<Option<PathBuf>>),
    /// Yes or no.
    Switch(Of<bool>),
    /// A whole number of something.
    Count {
        unit: &'static str,
        least: u64,
        most: u64,
        of: Number,
    },
    /// A length of time.
    Duration {
        least: Duration,
        most: Duration,
        of: Of<Duration>,
    },
    /// The tokens that are accepted.
    Auth(Of<AuthMode>),
    /// The form of the logs.
    LogFormat(Of<LogFormat>),
    /// The filter of the log.
    LogFilter(Of<LogFilter>),
    /// Names of hosts, separated by commas; or none.
    HostNames(Of<HostNames>),
    /// An address of HTTP, or nothing.
    Url(Of<Option<String>>),
    /// The address of a PostgreSQL database, or nothing. It is shown without user and password.
    Database(Of<Option<PostgresAddress>>),
}

/// The place of a whole number among the limits, by its type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Usize(fn(&mut Limits) -> &mut usize),
    U32(fn(&mut Limits) -> &mut u32),
}

impl Number {
    /// Sets the number, unless it is too great for its type.
    fn set(self, limits: &mut Limits, number: u64) -> Option<()> {
        match self {
            Self::Usize(of) => *of(limits) = number.try_into().ok()?,
            Self::U32(of) => *of(limits) = number.try_into().ok()?,
        }
        Some(())
    }

    fn show(self, limits: &mut Limits) -> String {
        match self {
            Self::Usize(of) => of(limits).to_string(),
            Self::U32(of) => of(limits).to_string(),
        }
    }
}

/// The form of a value in a TOML file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TomlForm {
    Text,
    Integer,
    Boolean,
}

impl fmt::Display for TomlForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "a string",
            Self::Integer => "a whole number",
            Self::Boolean => "true or false",
        })
    }
}

impl Kind {
    /// A number of `unit` in a range.
    pub(super) const fn count(unit: &'static str, range: RangeInclusive<u64>, of: Number) -> Self {
        Self::Count {
            unit,
            least: *range.start(),
            most: *range.end(),
            of,
        }
    }

    /// A length of time in a range.
    pub(super) const fn time(range: RangeInclusive<Duration>, of: Of<Duration>) -> Self {
        Self::Duration {
            least: *range.start(),
            most: *range.end(),
            of,
        }
    }

    /// Sets the value to what `text` says; without it being in range, nothing changes and the error
    /// says why not, without what is [expected](Self::expects).
    pub(crate) fn set(&self, all: &mut Values, text: &str) -> Result<(), String> {
        match self {
            Self::Address(of) => *of(all) = socket_address(text)?,
            Self::AddressOrOff(of) => {
                *of(all) = match text {
                    OFF => None,
                    _ => Some(socket_address(text)?),
                }
            }
            Self::Path(of) => {
                if text.is_empty() {
                    return Err(no_value(text));
                }
                *of(all) = Some(PathBuf::from(text));
            }
            Self::Switch(of) => *of(all) = text.parse().map_err(|_| no_value(text))?,
            Self::Count {
                least, most, of, ..
            } => {
                let number: u64 = text.parse().map_err(|_| no_value(text))?;
                let in_range = (*least..=*most).contains(&number);
                in_range
                    .then(|| of.set(&mut all.config.limits, number))
                    .flatten()
                    .ok_or_else(|| no_value(text))?;
            }
            Self::Duration { least, most, of } => {
                let time = humantime::parse_duration(text)
                    .map_err(|error| format!("{}: {error}", no_value(text)))?;
                if !(*least..=*most).contains(&time) {
                    return Err(no_value(text));
                }
                *of(all) = time;
            }
            Self::Auth(of) => {
                *of(all) = match text {
                    "open" => AuthMode::Open,
                    "tokens" => AuthMode::Tokens,
                    _ => return Err(no_value(text)),
                }
            }
            Self::LogFormat(of) => {
                *of(all) = match text {
                    "text" => LogFormat::Text,
                    "json" => LogFormat::Json,
                    _ => return Err(no_value(text)),
                }
            }
            Self::Url(of) => {
                let is_http = ["http://", "https://"]
                    .into_iter()
                    .any(|scheme| text.starts_with(scheme) && text.len() > scheme.len());
                if !is_http || text.parse::<axum::http::Uri>().is_err() {
                    return Err(no_value(text));
                }
                *of(all) = Some(text.to_owned());
            }
            Self::HostNames(of) => {
                *of(all) = text
                    .parse()
                    .map_err(|error: InvalidHostName| format!("{}: {error}", no_value(text)))?;
            }
            // The text may have a password.
            Self::Database(of) => {
                *of(all) = Some(text.parse().map_err(address_fault)?);
            }
            Self::LogFilter(of) => {
                if text.is_empty() {
                    return Err(no_value(text));
                }
                EnvFilter::try_new(text).map_err(|error| format!("{}: {error}", no_value(text)))?;
                if let Some(word) = text.split(',').find(|word| is_mistyped(word.trim())) {
                    return Err(format!("{}: {}", no_value(text), no_level(word.trim())));
                }
                *of(all) = LogFilter(text.to_owned());
            }
        }
        Ok(())
    }

    /// The value as text; `None` if it is unset.
    pub(crate) fn show(&self, all: &mut Values) -> Option<String> {
        Some(match self {
            Self::Address(of) => of(all).to_string(),
            Self::AddressOrOff(of) => {
                of(all).map_or_else(|| OFF.to_owned(), |address| address.to_string())
            }
            Self::Path(of) => of(all).as_ref()?.display().to_string(),
            Self::Switch(of) => of(all).to_string(),
            Self::Count { of, .. } => of.show(&mut all.config.limits),
            Self::Duration { of, .. } => humantime::format_duration(*of(all)).to_string(),
            Self::Auth(of) => match of(all) {
                AuthMode::Open => "open".to_owned(),
                AuthMode::Tokens => "tokens".to_owned(),
            },
            Self::LogFormat(of) => match of(all) {
                LogFormat::Text => "text".to_owned(),
                LogFormat::Json => "json".to_owned(),
            },
            Self::LogFilter(of) => of(all).0.clone(),
            Self::Url(of) => of(all).clone()?,
            Self::HostNames(of) => {
                let names = of(all);
                (!names.is_empty()).then(|| names.to_string())?
            }
            Self::Database(of) => format!("postgres://{}", of(all).as_ref()?.place()),
        })
    }

    /// The unit of a number; empty for other values.
    pub(crate) const fn unit(&self) -> &'static str {
        match self {
            Self::Count { unit, .. } => unit,
            Self::Address(_)
            | Self::AddressOrOff(_)
            | Self::Path(_)
            | Self::Switch(_)
            | Self::Duration { .. }
            | Self::Auth(_)
            | Self::LogFormat(_)
            | Self::LogFilter(_)
            | Self::HostNames(_)
            | Self::Url(_)
            | Self::Database(_) => "",
        }
    }

    /// A description of the accepted values.
    pub(crate) fn expects(&self) -> String {
        match self {
            Self::Address(_) => "an IP address or host name, and a port".to_owned(),
            Self::AddressOrOff(_) => format!("an IP address or host name, and a port; or {OFF}"),
            Self::Path(_) => "a path".to_owned(),
            Self::Switch(_) => "true or false".to_owned(),
            Self::Count {
                unit, least, most, ..
            } => format!("{least} to {most} {unit}"),
            Self::Duration { least, most, .. } => {
                let [least, most] = [*least, *most].map(humantime::format_duration);
                format!("a duration from {least} to {most}")
            }
            Self::Auth(_) => "open or tokens".to_owned(),
            Self::LogFormat(_) => "text or json".to_owned(),
            Self::LogFilter(_) => "a log filter".to_owned(),
            Self::HostNames(_) => "host names, separated by commas".to_owned(),
            Self::Url(_) => "an http:// or https:// URL".to_owned(),
            Self::Database(_) => "postgres://user@host/database".to_owned(),
        }
    }

    /// The placeholder of the value in the help.
    pub(crate) const fn placeholder(&self) -> &'static str {
        match self {
            Self::Address(_) | Self::AddressOrOff(_) => "ADDRESS",
            Self::Path(_) => "PATH",
            Self::Switch(_) => "BOOL",
            Self::Count { .. } => "COUNT",
            Self::Duration { .. } => "TIME",
            Self::Auth(_) => "MODE",
            Self::LogFormat(_) => "FORMAT",
            Self::LogFilter(_) => "FILTER",
            Self::HostNames(_) => "NAMES",
            Self::Url(_) | Self::Database(_) => "URL",
        }
    }

    /// The form of the value in a file.
    pub(crate) const fn written(&self) -> TomlForm {
        match self {
            Self::Switch(_) => TomlForm::Boolean,
            Self::Count { .. } => TomlForm::Integer,
            Self::Address(_)
            | Self::AddressOrOff(_)
            | Self::Path(_)
            | Self::Duration { .. }
            | Self::Auth(_)
            | Self::LogFormat(_)
            | Self::LogFilter(_)
            | Self::HostNames(_)
            | Self::Url(_)
            | Self::Database(_) => TomlForm::Text,
        }
    }
}

/// Returns true for a word of a log filter that is no level. The filter takes it for a target all of whose lines
/// are logged, so that a slip would silence everything else; targets of this program may stand so.
fn is_mistyped(word: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || ['_', '-'].contains(&letter);
    let is_known = word.parse::<LevelFilter>().is_ok()
        || ["dragontooth", "rustls"]
            .iter()
            .any(|target| word.starts_with(target));
    !word.is_empty() && word.chars().all(is_plain) && !is_known
}

/// The message that a word is no level.
fn no_level(word: &str) -> String {
    let hint = did_you_mean(word, LEVELS);
    let levels = LEVELS.join(", ");
    format!("`{word}` is none of the levels {levels}, and a target needs one: `{word}=debug`{hint}")
}

/// The message that a text is not a value of its setting.
fn no_value(text: &str) -> String {
    format!("`{text}` is not a valid value")
}

/// The message that a text is not the address of a database, without the text: it may have a password.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is the error of a parse, as `map_err` gives it"
)]
fn address_fault(error: AddressError) -> String {
    format!("the address is not valid: {error}")
}
