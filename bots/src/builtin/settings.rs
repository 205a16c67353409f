use std::collections::BTreeMap;

use super::OptionInfo;

/// What is set on a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings(BTreeMap<&'static str, u64>);

impl Settings {
    /// What the option is set to.
    pub(super) fn get(&self, option: &OptionInfo) -> Option<u64> {
        self.0.get(option.name).copied()
    }

    /// Sets the option.
    pub(super) fn set(&mut self, option: &OptionInfo, value: u64) {
        self.0.insert(option.name, value);
    }

    /// What is set, by the names of the options.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(name, value)| (*name, *value))
    }
}
