/// Weights of the terms of the evaluation, in hundredths of the logarithm of the odds to win.
///
/// A move is *safe* if it does not end on the colour of an opponent's *striker*, a tower that could
/// reach the goal row. Tables begin with 0; more than their last place counts as that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The number of safe moves of the tower that has to move.
    pub safe_moves: [i32; 6],
    /// The least number of safe moves that one of them leaves to the opponent.
    pub replies: [i32; 9],
    /// The number of safe moves of each tower.
    pub safe_freedom: [i32; 10],
    /// A move of any tower.
    pub mobility: i32,
    /// A row that a tower has advanced.
    pub advance: i32,
}

impl Weights {
    /// A logistic regression of the results of 16,000 games that the search played against itself
    /// at 3,000 nodes a decision, rounded.
    pub const STANDARD: Self = Self {
        safe_moves: [-160, -15, 25, 45, 70, 75],
        replies: [100, 35, 5, -15, -25, -30, -40, -50, -55],
        safe_freedom: [-40, -22, -15, -6, 0, 4, 10, 20, 23, 30],
        mobility: 4,
        advance: 21,
    };
}
