/// A built-in bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotInfo {
    /// Its name: `alphabeta`.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What can be set on it.
    pub options: &'static [OptionInfo],
}

/// Something that can be set on a bot. All of them are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// Its name: `nodes`.
    pub name: &'static str,
    /// What it sets and what holds if it is not set, in one line.
    pub summary: &'static str,
    /// The least that it may be.
    pub min: u64,
    /// The most that it may be.
    pub max: u64,
}

impl OptionInfo {
    /// The number that `text` gives for it; none if it is not one in range.
    pub(super) fn parse(&self, text: &str) -> Option<u64> {
        let number = text.parse().ok()?;
        (self.min..=self.max).contains(&number).then_some(number)
    }
}
