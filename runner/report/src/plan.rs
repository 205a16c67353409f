use serde::Serialize;

use dragontooth_games::counted;
use dragontooth_runner_tournament::statistics::Plan;

/// The expected precision of a round robin of equal bots, for people and as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanFigures {
    bots: u64,
    encounters: u64,
    matches: u128,
    rating_error: f64,
    difference_error: f64,
}

impl PlanFigures {
    /// The figures of a plan in which every two bots meet `encounters` times; `None` without two bots
    /// or encounters.
    #[must_use]
    pub fn new(plan: Plan, bots: u64, encounters: u64) -> Option<Self> {
        Some(Self {
            bots,
            encounters,
            matches: u128::from(bots) * u128::from(bots.checked_sub(1)?) * u128::from(encounters),
            rating_error: plan.rating_error(bots, encounters)?,
            difference_error: plan.difference_error(bots, encounters)?,
        })
    }

    /// The figures as lines for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        format!(
            "{}, {} of every two, {}\n95 %: ± {:.1} Elo for a rating, ± {:.1} for \
             the difference of two\n",
            counted(self.bots, "bot"),
            counted(self.encounters, "encounter"),
            counted(self.matches, "match"),
            self.rating_error,
            self.difference_error
        )
    }
}
