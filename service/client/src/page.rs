use dragontooth_service_vocabulary::{ListOrder, PlayerId, Stage, Timestamp};

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// The start of the next page; `None` on the last one.
    pub next: Option<PageToken>,
}

/// The start of a page: opaque to clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageToken(pub(crate) String);

impl PageToken {
    /// A token that was kept as text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text, for keeping it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A filter for matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchFilter {
    /// Only matches in this stage.
    pub state: Option<Stage>,
    /// Only matches of this game.
    pub game: Option<String>,
    /// Only matches in which this player has a seat or a reserved one.
    pub player: Option<PlayerId>,
    /// Only matches of this variant of the game.
    pub variant: Option<String>,
    /// Only matches in which this player has a seat or a reserved one besides `player`.
    pub opponent: Option<PlayerId>,
    /// Only matches that this player has created.
    pub creator: Option<PlayerId>,
    /// Only matches created at this time or later, by the time in their ids.
    pub created_from: Option<Timestamp>,
    /// Only matches created before this time.
    pub created_before: Option<Timestamp>,
    /// The order.
    pub order: ListOrder,
    /// Largest page; `None` lets the service choose.
    pub page_size: Option<u16>,
}
