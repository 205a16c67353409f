/// Weights of the terms of the evaluation, in hundredths of the logarithm of the odds to win.
///
/// Where a table has two parts *whose*, the first is for the side whose action is due and the
/// second for its opponent; of two *steps*, the first is for the first action of a turn and the
/// second for the second. Kinds are in their order: Tzaar, Tzarra, Tott. More than the last place
/// of a table counts as that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// To have the opening capture to make.
    pub opening: i32,
    /// To have the first action of a turn to make.
    pub first: i32,
    /// To have the second action of a turn to make.
    pub second: i32,
    /// A unit by its kind and height, from 1: on a full board and late in the game.
    pub heights: [[[i32; 6]; 3]; 2],
    /// The number of units of each kind, from 0.
    pub shown: [[i32; 16]; 3],
    /// The number of units of each kind, from 0, that cannot be captured; by whose and step.
    pub safe: [[[[i32; 6]; 3]; 2]; 2],
    /// A piece below the top of a unit of each kind that can be captured; by whose and step.
    pub in_danger: [[[i32; 3]; 2]; 2],
    /// The number of captures, from 0; by whose and step.
    pub captures: [[[i32; 24]; 2]; 2],
}

impl Weights {
    /// A logistic regression of the results of 22,000 games that the search played against itself
    /// at 1,000 and 3,000 nodes a decision, with every twelfth action a random one, rounded.
    pub const STANDARD: Self = Self {
        opening: -30,
        first: 19,
        second: 7,
        heights: [
            [
                [-37, 13, 70, 116, 95, 129],
                [-7, 34, 82, 110, 98, 85],
                [13, 56, 86, 92, 119, 75],
            ],
            [
                [-38, -2, 42, 78, 109, 123],
                [-13, 29, 72, 108, 131, 157],
                [-2, 34, 69, 108, 121, 124],
            ],
        ],
        shown: [
            [0, -109, -60, -14, 30, 75, 118, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            [0, -80, -51, -27, -6, 11, 25, 40, 53, 66, 0, 0, 0, 0, 0, 0],
            [
                0, -92, -47, -17, 1, 11, 19, 23, 28, 26, 26, 23, 18, 12, 6, 3,
            ],
        ],
        safe: [
            [
                [
                    [-4, 13, 12, 9, 11, -14],
                    [-2, 13, 12, 11, 8, 1],
                    [-1, 11, 12, 13, 10, -1],
                ],
                [
                    [-8, 8, 9, 4, 7, -1],
                    [-6, 10, 11, 8, 7, 4],
                    [-8, 8, 10, 11, 10, -5],
                ],
            ],
            [
                [
                    [-20, -4, -2, -4, 1, -10],
                    [-18, -3, -2, -3, -8, 1],
                    [-17, -4, -1, -2, 1, -20],
                ],
                [
                    [-17, -1, -1, -4, 8, -6],
                    [-11, 2, 1, -4, -3, -8],
                    [-10, 0, 1, -2, 0, -22],
                ],
            ],
        ],
        in_danger: [
            [[-12, -13, -8], [-12, -14, -11]],
            [[-27, -34, -27], [-28, -27, -18]],
        ],
        captures: [
            [
                [
                    -286, -240, -192, -144, -111, -84, -61, -47, -25, -14, -4, 10, 15, 28, 34, 36,
                    45, 53, 54, 63, 64, 68, 67, 80,
                ],
                [
                    -286, -182, -145, -110, -71, -55, -34, -17, 3, 12, 20, 31, 42, 51, 52, 60, 71,
                    72, 80, 81, 84, 85, 96, 102,
                ],
            ],
            [
                [
                    -361, -224, -152, -111, -71, -47, -31, -6, 8, 18, 25, 38, 48, 52, 59, 67, 76,
                    79, 90, 88, 91, 101, 101, 114,
                ],
                [
                    -421, -194, -112, -75, -41, -23, -7, 10, 17, 29, 45, 48, 58, 69, 70, 79, 85,
                    88, 93, 96, 104, 107, 110, 118,
                ],
            ],
        ],
    };
}
