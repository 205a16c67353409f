use crate::search::Value;

/// The chances to win a match from every score, if both sides are equally strong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Equity {
    /// As parts of [`CERTAIN`], by the points that the side and its opponent lack.
    chances: [[u16; MISSING_MAX + 1]; MISSING_MAX + 1],
    target: usize,
}

/// The chance of what is certain.
const CERTAIN: u16 = Value::GAIN_MAX;
/// The points of the longest match.
const MISSING_MAX: usize = 15;
/// How many games of a hundred are worth so many points, in matches of the search with itself to
/// fifteen points.
const WORTHS: [(usize, u32); 3] = [(1, 69), (2, 28), (4, 3)];

impl Equity {
    /// The chances in a match to `target` points; more than fifteen count as fifteen.
    pub(super) fn new(target: u32) -> Self {
        let mut chances = [[0; MISSING_MAX + 1]; MISSING_MAX + 1];
        chances[0] = [CERTAIN; MISSING_MAX + 1];
        for own in 1..=MISSING_MAX {
            for other in 1..=MISSING_MAX {
                let weighed = WORTHS.map(|(worth, weight)| {
                    let won: u16 = chances[own.saturating_sub(worth)][other];
                    let lost = chances[own][other.saturating_sub(worth)];
                    weight * (u32::from(won) + u32::from(lost))
                });
                let mean = weighed.iter().sum::<u32>() / 200;
                chances[own][other] = u16::try_from(mean).unwrap_or(CERTAIN);
            }
        }
        let target = usize::try_from(target)
            .unwrap_or(MISSING_MAX)
            .clamp(1, MISSING_MAX);
        Self { chances, target }
    }

    /// The chance of a side with so many points to win the match, in ten-thousandths.
    pub(super) fn at(&self, points: u32, opponent_points: u32) -> u16 {
        let missing = |points| {
            self.target
                .saturating_sub(usize::try_from(points).unwrap_or(MISSING_MAX))
        };
        self.chances[missing(points)][missing(opponent_points)]
    }
}
