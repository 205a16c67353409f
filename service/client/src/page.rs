use dragontooth_service_vocabulary::{PlayerId, Stage};

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// What is in this part.
    pub items: Vec<T>,
    /// Where the next part begins; none if this is the last.
    pub next: Option<PageToken>,
}

/// Where a part of a list begins. Only the service knows what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageToken(pub(crate) String);

/// Which matches to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchFilter {
    /// Only matches in this stage.
    pub state: Option<Stage>,
    /// Only matches of this game.
    pub game: Option<String>,
    /// Only matches in which this player has a seat or one kept.
    pub player: Option<PlayerId>,
    /// The most matches in a page; none for the service's choice.
    pub page_size: Option<u16>,
}
