/// The stage of a match. The order is that in which a match goes through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// A seat is still free: nothing is played and no clock runs.
    Open,
    /// Both seats are taken and the match is played.
    Active,
    /// The match is over.
    Ended,
}
