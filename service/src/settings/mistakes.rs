use super::error::SettingsError;

/// What is wrong with the settings, as far as it can be told at once: at least one thing.
#[derive(Debug)]
pub(crate) struct Mistakes(Vec<SettingsError>);

impl Mistakes {
    /// Nothing, or what is wrong.
    pub(super) fn check(found: Vec<SettingsError>) -> Result<(), Self> {
        if found.is_empty() {
            Ok(())
        } else {
            Err(Self(found))
        }
    }

    /// All of them, those of the file first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SettingsError> {
        self.0.iter()
    }
}
