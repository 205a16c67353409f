/// Weights of the terms of the evaluation, in hundredths of the logarithm of the odds to win.
///
/// Rows are seen by the side whose pieces they hold: its home row first. Tables begin with 0; more
/// than their last place counts as that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The steps of the move that is due, 0 for a first move: in a usual turn and in an extra turn.
    pub due: [[i32; 6]; 2],
    /// The most steps that the first move, if it is due, can earn.
    pub own_steps: [i32; 6],
    /// The most steps that the opponent's next first move can earn.
    pub others_steps: [i32; 6],
    /// A piece on each row: at the start of a game, when every piece is on its target row, and at three
    /// stages between, equally many steps apart. Values between the stages are interpolated.
    pub rows: [[i32; 8]; 5],
    /// The row of a side's last pieces.
    pub last_row: [i32; 8],
    /// The number of pieces on that row.
    pub last_count: [i32; 7],
    /// A step that a side's pieces need until all of them are beyond the opponent's last.
    pub to_pass: i32,
    /// A point of lead at the end of a game.
    pub lead: i32,
}

impl Weights {
    /// A logistic regression of the results of 17,000 games that the search played against itself
    /// at 1,000 and 2,000 nodes a decision, with every twelfth action a random one, rounded.
    pub const STANDARD: Self = Self {
        due: [[13, 12, 20, 26, 35, 29], [14, -17, 18, 35, 50, 50]],
        own_steps: [-134, 38, 15, 22, 34, 39],
        others_steps: [158, 31, 16, -1, -9, -12],
        rows: [
            [19, 15, -1, -1, -2, -6, -25, -11],
            [0, -4, 2, 4, 1, 3, 0, 10],
            [-11, -10, -10, -4, -4, -4, 5, 16],
            [-83, -62, -32, -19, -8, 3, 20, 52],
            [-305, -353, -207, -18, 42, 142, 198, 232],
        ],
        last_row: [-86, 57, 100, 91, 54, -20, 16, 148],
        last_count: [0, 19, 13, 6, -8, -27, -53],
        to_pass: -12,
        lead: 187,
    };
}
