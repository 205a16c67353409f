use dragontooth_games::Seat;

/// What a bot decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// To play this action.
    Action(String),
    /// To give up the match.
    Resign,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchEnd {
    /// The winner; none if there is none.
    pub winner: Option<Seat>,
    /// Why, in a word: `normal`.
    pub termination: String,
    /// The points, by seat.
    pub score: [u32; 2],
}
