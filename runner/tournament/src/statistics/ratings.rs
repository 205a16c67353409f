use super::elo::ELO_PER_LOGIT;
use super::matrix::Matrix;
use super::normal::normal_below;
use super::{Z_95, score_of_elo};

/// Ratings of bots from a joint fit, in Elo, with their errors.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    bots: usize,
    parameters: Vec<f64>,
    spread: Spread,
    prior: bool,
}

/// A rating or a difference of ratings, in Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The value.
    pub elo: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// The covariances of the parameters, in units in which the odds grow by e.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spread {
    /// From the inverse of the information, as if matches were independent wins and losses.
    pub(super) fisher: Matrix,
    /// From the scatter of the encounters.
    pub(super) sandwich: Matrix,
    /// The same, but heavy duplicates scatter like independent matches.
    pub(super) guarded: Matrix,
    /// The bots for which the scatter alone is unreliable.
    pub(super) doubtful: Vec<bool>,
}

impl Spread {
    fn variance(&self, of: &[(usize, f64)]) -> f64 {
        let sandwich = self.sandwich.form(of).max(self.guarded.form(of));
        let fisher = self.fisher.form(of);
        // Rounding may leave a small residue, of either sign.
        let scattered = sandwich > fisher * 1e-9;
        let mut places = of.iter().map(|(place, _)| *place);
        // The value of the first seat, which follows the bots, rests on all of them.
        let any = self.doubtful.contains(&true);
        let doubtful = places.any(|place| self.doubtful.get(place).copied().unwrap_or(any));
        let variance = if doubtful || !scattered {
            sandwich.max(fisher)
        } else {
            sandwich
        };
        variance.max(0.0)
    }
}

impl Ratings {
    pub(super) const fn new(
        bots: usize,
        parameters: Vec<f64>,
        spread: Spread,
        prior: bool,
    ) -> Self {
        Self {
            bots,
            parameters,
            spread,
            prior,
        }
    }

    /// The number of bots.
    #[must_use]
    pub const fn bots(&self) -> usize {
        self.bots
    }

    /// True if a virtual draw was added for every bot, because there is no finite fit without a
    /// prior.
    #[must_use]
    pub const fn has_prior(&self) -> bool {
        self.prior
    }

    /// True if some errors are the larger of the sandwich estimate and the inverse information:
    /// those of bots with fewer than [`FEW_UNITS`](super::FEW_UNITS) encounters, and all with a
    /// prior.
    #[must_use]
    pub fn is_cautious(&self) -> bool {
        self.spread.doubtful.contains(&true)
    }

    /// Returns the rating of a bot; the ratings sum to 0.
    ///
    /// # Panics
    ///
    /// If there is no such bot.
    #[must_use]
    pub fn of(&self, bot: usize) -> Rating {
        self.rating(&[(bot, 1.0)])
    }

    /// Returns the difference between the ratings of two bots.
    ///
    /// # Panics
    ///
    /// If there is no such bot.
    #[must_use]
    pub fn difference(&self, bot: usize, other: usize) -> Rating {
        if bot == other {
            return Rating {
                elo: 0.0,
                standard_error: 0.0,
            };
        }
        self.rating(&[(bot, 1.0), (other, -1.0)])
    }

    /// The advantage of the first seat; `None` if it was not fitted.
    #[must_use]
    pub fn first_seat(&self) -> Option<Rating> {
        (self.parameters.len() > self.bots).then(|| self.rating(&[(self.bots, 1.0)]))
    }

    /// Returns the likelihood that a bot is stronger than another, from 0 to 1; one half for a bot
    /// and itself.
    ///
    /// # Panics
    ///
    /// If there is no such bot.
    #[must_use]
    pub fn superiority(&self, bot: usize, other: usize) -> f64 {
        let difference = self.difference(bot, other);
        if difference.standard_error > 0.0 {
            normal_below(difference.elo / difference.standard_error)
        } else {
            0.5
        }
    }

    /// Returns the expected score, from 0 to 1, of a bot in the first seat against another.
    ///
    /// # Panics
    ///
    /// If there is no such bot.
    #[must_use]
    pub fn expected_score(&self, first: usize, second: usize) -> f64 {
        let seat = self.first_seat().map_or(0.0, |seat| seat.elo);
        score_of_elo(self.of(first).elo - self.of(second).elo + seat)
    }

    fn rating(&self, of: &[(usize, f64)]) -> Rating {
        let parts = of
            .iter()
            .map(|(place, sign)| sign * self.parameters[*place]);
        Rating {
            elo: ELO_PER_LOGIT * parts.sum::<f64>(),
            standard_error: ELO_PER_LOGIT * self.spread.variance(of).sqrt(),
        }
    }
}

impl Rating {
    /// Half the width of its 95 % interval.
    #[must_use]
    pub fn error(self) -> f64 {
        Z_95 * self.standard_error
    }
}
