use std::collections::HashMap;

use dragontooth_games::Seat;

use super::{Results, Schedule, Tally};

/// The results of the first seat after an opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningScore {
    /// The name of the opening.
    pub opening: String,
    /// The matches that count, from the side of the first seat.
    pub first_seat: Tally,
}

/// Returns the results by opening, in the order of the schedule; void matches do not count.
#[must_use]
pub fn opening_scores(schedule: &Schedule, results: &Results) -> Vec<OpeningScore> {
    let mut scores: Vec<OpeningScore> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (_, result) in results.with_match(schedule.matches()) {
        let Some(opening) = &result.opening else {
            continue;
        };
        let place = *places.entry(opening).or_insert(scores.len());
        if place == scores.len() {
            scores.push(OpeningScore {
                opening: opening.clone(),
                first_seat: Tally::default(),
            });
        }
        scores[place].first_seat += Tally::of(result.verdict(), Seat::First);
    }
    scores
}
