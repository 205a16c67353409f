/// What the terms of the evaluation weigh, in hundredths of the logarithm of the odds to win.
///
/// The standard weights are a logistic regression of the results of 6,000 games that the search
/// played against itself at 3,000 nodes a decision, rounded. [`Side`](super::side::Side) tells the
/// terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The tower that is asked for has no, one, two, or more safe moves.
    pub safe_moves: [i32; 4],
    /// One of them asks for a trapped tower.
    pub trap: i32,
    /// A striker, by its rank.
    pub striker: [i32; 4],
    /// A trapped tower.
    pub trapped: i32,
    /// A blocked tower.
    pub blocked: i32,
    /// A square to which a tower can move.
    pub mobility: i32,
    /// A row that a tower has advanced.
    pub advance: i32,
    /// A tooth on a tower.
    pub tooth: i32,
}

impl Weights {
    /// Those that play best.
    pub const STANDARD: Self = Self {
        safe_moves: [-180, -25, 30, 100],
        trap: 100,
        striker: [22, 22, 40, 60],
        trapped: -14,
        blocked: -40,
        mobility: 8,
        advance: 21,
        tooth: 16,
    };
}
