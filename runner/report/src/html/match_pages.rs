use std::collections::HashMap;

/// The pages of matches, by the title of the match: where they are, seen from the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchPages(HashMap<String, String>);

impl MatchPages {
    /// Pages with their places.
    #[must_use]
    pub const fn new(places: HashMap<String, String>) -> Self {
        Self(places)
    }

    /// Returns the link to the page of a match.
    #[must_use]
    pub fn of(&self, title: &str) -> Option<&str> {
        self.0.get(title).map(String::as_str)
    }

    /// Number of pages.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no pages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
