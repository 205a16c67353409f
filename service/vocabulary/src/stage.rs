/// The stage of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// A seat is still free: nothing is played and no clock runs.
    Open,
    /// Both seats are taken and the match is played.
    Active,
    /// The match is over.
    Ended,
}
