use std::collections::BTreeMap;

/// A built-in bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotInfo {
    /// Its name: `alphabeta`.
    pub name: &'static str,
    /// Its behaviour, in one line.
    pub summary: &'static str,
    /// Its options.
    pub options: &'static [OptionInfo],
}

/// An option of a bot. All options are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// Its name: `nodes`.
    pub name: &'static str,
    /// Its meaning and its default, in one line.
    pub summary: &'static str,
    /// Smallest allowed value.
    pub min: u64,
    /// Largest allowed value.
    pub max: u64,
}

impl OptionInfo {
    /// Parses a value; `None` if it is not a number in range.
    pub(super) fn parse(&self, text: &str) -> Option<u64> {
        let number = text.parse().ok()?;
        (self.min..=self.max).contains(&number).then_some(number)
    }
}

/// The options that are set on a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings(BTreeMap<&'static str, u64>);

impl Settings {
    /// The value of an option, if it is set.
    pub(super) fn get(&self, option: &OptionInfo) -> Option<u64> {
        self.0.get(option.name).copied()
    }

    /// Sets the option.
    pub(super) fn set(&mut self, option: &OptionInfo, value: u64) {
        self.0.insert(option.name, value);
    }

    /// The values by the names of the options.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(name, value)| (*name, *value))
    }
}
