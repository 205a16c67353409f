use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use dragontooth_games::suggestion::did_you_mean;

use crate::bots::SEED;
use crate::info::Settings;
use crate::{BOTS, BotInfo, MakeError, OptionInfo};
use crate::{Bot, MatchInfo};

/// A built-in bot with its options.
///
/// As text it is the name, followed by a colon and the options if any are set:
/// `alphabeta:nodes=20000,seed=7`.
///
/// ```
/// use dragontooth_bots_builtin::BotSpec;
///
/// let spec: BotSpec = "alphabeta:nodes=20000,seed=7".parse()?;
/// assert!(spec.plays("kamisado"));
/// assert_eq!(spec.seed(), 7);
/// assert_eq!(spec.to_string(), "alphabeta:nodes=20000,seed=7");
/// # Ok::<(), dragontooth_bots_builtin::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotSpec {
    info: &'static BotInfo,
    settings: Settings,
}

/// Error of the name or the options of a bot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// No bot has that name.
    #[error("unknown bot {0:?}; expected one of {known}", known = list(.0, BOTS, |bot| bot.name))]
    UnknownBot(String),
    /// The bot has no option of that name.
    #[error("the bot {} has no option {option:?}; it has {}", bot.name, list(option, bot.options, |o| o.name))]
    UnknownOption {
        /// The bot.
        bot: &'static BotInfo,
        /// Name of the option.
        option: String,
    },
    /// The value of an option is invalid.
    #[error("{} is a number from {} to {}, not {value:?}", option.name, option.min, option.max)]
    BadValue {
        /// The option.
        option: &'static OptionInfo,
        /// The value.
        value: String,
    },
    /// An option is set twice.
    #[error("the option {0} is set twice")]
    SetTwice(String),
    /// A part of the text does not set an option.
    #[error("an option has the form NAME=NUMBER, not {0:?}")]
    NoSetting(String),
}

impl BotSpec {
    /// Finds the bot `name` and sets its options.
    ///
    /// # Errors
    ///
    /// The bot or an option does not exist, or a value is invalid.
    pub fn new(name: &str, options: &BTreeMap<String, String>) -> Result<Self, SpecError> {
        let info = BOTS.iter().find(|info| info.name == name);
        let info = info.ok_or_else(|| SpecError::UnknownBot(name.to_owned()))?;
        let mut settings = Settings::default();
        for (name, value) in options {
            let option = info
                .options
                .iter()
                .find(|option| option.name == name)
                .ok_or_else(|| SpecError::UnknownOption {
                    bot: info,
                    option: name.clone(),
                })?;
            let bad_value = || SpecError::BadValue {
                option,
                value: value.clone(),
            };
            settings.set(option, option.parse(value).ok_or_else(bad_value)?);
        }
        Ok(Self { info, settings })
    }

    /// The bot's description.
    #[must_use]
    pub const fn info(&self) -> &'static BotInfo {
        self.info
    }

    /// The bot's seed, from which the seeds of its decisions are derived; 0 by default.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.settings.get(&SEED).unwrap_or(0)
    }

    /// Returns true if the bot plays the game of this name.
    #[must_use]
    pub fn plays(&self, game: &str) -> bool {
        crate::bots::line(self.info.name, game).is_some()
    }

    /// Creates the bot for a match.
    ///
    /// # Errors
    ///
    /// The bot does not play the game.
    pub fn make(&self, info: &MatchInfo) -> Result<Box<dyn Bot>, MakeError> {
        crate::bots::make(self.info.name, &self.settings, info)
    }
}

impl fmt::Display for BotSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)?;
        for (place, (name, number)) in self.settings.iter().enumerate() {
            let separator = if place == 0 { ':' } else { ',' };
            write!(f, "{separator}{name}={number}")?;
        }
        Ok(())
    }
}

impl FromStr for BotSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, settings) = match text.split_once(':') {
            Some((name, settings)) => (name, settings.split(',').collect()),
            None => (text, Vec::new()),
        };
        let mut options = BTreeMap::new();
        for setting in settings {
            let (option, value) = setting
                .split_once('=')
                .ok_or_else(|| SpecError::NoSetting(setting.to_owned()))?;
            if options
                .insert(option.to_owned(), value.to_owned())
                .is_some()
            {
                return Err(SpecError::SetTwice(option.to_owned()));
            }
        }
        Self::new(name, &options)
    }
}

/// The known names, with a suggestion for `unknown`.
fn list<T>(unknown: &str, items: &[T], name: impl Fn(&T) -> &'static str) -> String {
    let names: Vec<&str> = items.iter().map(name).collect();
    let hint = did_you_mean(unknown, names.iter().copied());
    format!("{}{hint}", names.join(", "))
}
