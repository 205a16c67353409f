use std::fmt::Write as _;
use std::iter;
use std::num::NonZeroUsize;
use std::time::Duration;

use dragontooth_games::counted;
use dragontooth_runner_tournament::statistics::{PairSpread, Plan};
use dragontooth_runner_tournament::{Format, Leg, Schedule};
use dragontooth_service_vocabulary::TimeControl;

use super::document::kind;
use super::typical_length::{mean_longest_match, typical_decisions};

/// The duration of a decision in the estimate for an event without clocks.
const EXAMPLE_DECISION: Duration = Duration::from_millis(10);

/// The forecast of an event before it is played.
#[derive(Clone, Copy, Debug)]
pub struct Forecast<'a> {
    /// The schedule, as far as it is known.
    pub schedule: &'a Schedule,
    /// The time control of each bot; `None` means no clock.
    pub time_controls: &'a [Option<TimeControl>],
    /// The matches that are played at the same time.
    pub concurrency: NonZeroUsize,
}

impl Forecast<'_> {
    /// The forecast, as lines for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let (schedule, event) = (self.schedule, self.schedule.event());
        let rules = event.rules();
        let (expected, most) = (schedule.expected_matches(), event.most_matches());
        let at_most = if most > expected {
            format!(", at most {most}")
        } else {
            String::new()
        };
        let mut text = format!(
            "{}: {}, {} ({}) to {}, seed {}\n{} in {} (two each, seats swapped){at_most}; {} at the same time\n",
            event.name(),
            kind(event.format(), event.bots().len()),
            rules.game(),
            rules.variant(),
            rules.target(),
            event.seed(),
            matches(expected),
            encounters(expected / Leg::BOTH.len() as u64),
            self.concurrency,
        );
        for line in [self.duration(), self.errors()] {
            writeln!(text, "{line}").expect("writing to a string does not fail");
        }
        text
    }

    /// The duration.
    fn duration(&self) -> String {
        let rules = self.schedule.event().rules();
        let Some(decisions) = typical_decisions(rules.game(), rules.target()) else {
            return "duration: not known; no typical length of the game is".to_owned();
        };
        let turns = u32::try_from(self.turns()).unwrap_or(u32::MAX);
        let all = |a_match: Duration| told(a_match.saturating_mul(turns));
        let known = format!("duration: about {decisions} decisions a match");
        let seats = self.seats();
        let clocks = seats.iter().copied().flatten();
        let count = u32::try_from(seats.len()).unwrap_or(u32::MAX);
        if let Some(longest) = mean_longest_match(clocks, count, decisions) {
            let longest = all(longest);
            return if self.time_controls.iter().all(Option::is_some) {
                format!("{known}; {longest} if every bot takes all of its time, less if not")
            } else {
                format!(
                    "{known}; {longest} if every bot with a clock takes all of its time, and what those without \
                     take"
                )
            };
        }
        let limit = EXAMPLE_DECISION;
        let example =
            mean_longest_match([TimeControl::PerAction { limit }].into_iter(), 1, decisions);
        let example = all(example.unwrap_or_default());
        let each = limit.as_millis();
        format!("{known} without clocks; {example} for each {each} ms that a decision takes")
    }

    /// The time controls of the seats of all matches; of every bot once if the matches are not known.
    fn seats(&self) -> Vec<Option<TimeControl>> {
        let known = self.schedule.matches();
        if self.schedule.expected_matches() > known.len() as u64 {
            return self.time_controls.to_vec();
        }
        let seats = known.iter().flat_map(|planned| planned.bots);
        seats.map(|bot| self.time_controls[bot.get()]).collect()
    }

    /// The number of matches that follow each other. A round whose pairings depend on results waits for those
    /// of the round before it.
    fn turns(&self) -> u64 {
        let event = self.schedule.event();
        let bots = event.bots().len() as u64;
        let at_once = u64::try_from(self.concurrency.get()).unwrap_or(u64::MAX);
        let turns = |encounters: u64| (encounters * Leg::BOTH.len() as u64).div_ceil(at_once);
        match event.format() {
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Sprt { .. }
            | Format::Arena { .. } => self.schedule.expected_matches().div_ceil(at_once),
            Format::Swiss { rounds, .. } => u64::from(*rounds) * turns(bots / 2),
            Format::Ladder { rounds, .. } => {
                // In even rounds the bot at the top of three or more has no opponent.
                let even = u64::from(rounds / 2);
                let odd = u64::from(*rounds) - even;
                odd * turns(bots / 2) + even * turns(((bots - 1) / 2).max(1))
            }
            Format::Knockout { .. } => {
                // The bots for whom there is a place in the next round.
                let next = |bots: u64| (bots > 1).then(|| bots.next_power_of_two() / 2);
                let rounds = iter::successors(Some(bots), |bots| next(*bots));
                rounds
                    .map(|bots| turns(bots - next(bots).unwrap_or(bots)))
                    .sum()
            }
        }
    }

    /// The expected error of the ratings.
    fn errors(&self) -> String {
        let plan = Plan {
            spread: PairSpread::UNKNOWN,
        };
        let event = self.schedule.event();
        let bots = event.bots().len() as u64;
        let assumed = "between equals, without draws";
        let unknown = "errors: they depend on who meets whom".to_owned();
        match event.format() {
            Format::RoundRobin { cycles } => {
                let cycles = u64::from(*cycles);
                let errors = plan.rating_error(bots, cycles);
                let errors = errors.zip(plan.difference_error(bots, cycles));
                errors.map_or(unknown, |(rating, difference)| {
                    format!(
                        "errors, 95 %: about ± {rating:.0} Elo for a rating, ± {difference:.0} for the difference of \
                         two, {assumed}"
                    )
                })
            }
            Format::Gauntlet { cycles, .. } => {
                let error = plan.elo_error(0.5, u64::from(*cycles));
                error.map_or(
                    "errors: too few encounters of two for an estimate".to_owned(),
                    |error| {
                        format!(
                            "errors, 95 %: about ± {error:.0} Elo for a challenger against one of the others by their \
                             own encounters, {assumed}"
                        )
                    },
                )
            }
            Format::Sprt { test, .. } => {
                let [elo0, elo1] = test.hypotheses();
                format!("errors: the test of {elo0} against {elo1} ends when it is decided")
            }
            Format::Swiss { .. }
            | Format::Knockout { .. }
            | Format::Ladder { .. }
            | Format::Arena { .. } => unknown,
        }
    }
}

fn matches(count: u64) -> String {
    counted(count, "match").to_string()
}

fn encounters(count: u64) -> String {
    counted(count, "encounter").to_string()
}

/// A duration in whole seconds, or in whole minutes above an hour.
fn told(duration: Duration) -> String {
    let seconds = duration.as_secs().max(1);
    let whole = if seconds >= 3600 {
        seconds / 60 * 60
    } else {
        seconds
    };
    format!(
        "about {}",
        humantime::format_duration(Duration::from_secs(whole))
    )
}
