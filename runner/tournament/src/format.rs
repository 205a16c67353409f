use crate::statistics::{Model, Sprt};

use super::{
    InvalidEvent, MAX_CYCLES, MAX_EXTRA_ENCOUNTERS, MAX_LADDER_ROUNDS, MAX_RATING, MIN_BOTS, Name,
};

/// The pairing system of an event and its length.
#[derive(Clone, Debug, PartialEq)]
pub enum Format {
    /// Every two bots meet once in each cycle.
    RoundRobin {
        /// The number of cycles.
        cycles: u32,
    },
    /// Each challenger meets each of the other bots once in each cycle; the others do not meet.
    Gauntlet {
        /// The challengers: at least one, but not all bots.
        challengers: Vec<Name>,
        /// The number of cycles.
        cycles: u32,
    },
    /// In each round, bots with about equal points that have not met before meet.
    Swiss {
        /// The number of rounds.
        rounds: u32,
        /// All bots, the strongest seed first.
        seeding: Vec<Name>,
    },
    /// The loser of an encounter is out; the last remaining bot wins.
    Knockout {
        /// Most extra encounters that two bots play while theirs is drawn.
        extra_encounters: u32,
        /// All bots, the strongest seed first.
        seeding: Vec<Name>,
    },
    /// Neighbours in an order meet, and the lower one moves up if it wins.
    Ladder {
        /// The number of rounds.
        rounds: u32,
        /// All bots, the one at the top at the start first.
        seeding: Vec<Name>,
    },
    /// The first of two bots is tested against the second until the test accepts a hypothesis.
    Sprt {
        /// The test.
        test: Sprt,
        /// The test ends undecided after this many encounters.
        max_encounters: u32,
    },
    /// Players that are present on a service meet without an end; the bots are the anchors. The pairings do not
    /// follow from a schedule, but as [`arena`](crate::arena) says.
    Arena {
        /// The frozen ratings of the bots, in the order of the event's list, in Elo.
        ratings: Vec<f64>,
        /// See [`ArenaRules::pair_cap`](crate::arena::ArenaRules::pair_cap).
        pair_cap: u32,
        /// See [`ArenaRules::park_after`](crate::arena::ArenaRules::park_after).
        park_after: u32,
    },
}

impl Format {
    /// Its name in the file of an event.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::RoundRobin { .. } => "round_robin",
            Self::Gauntlet { .. } => "gauntlet",
            Self::Swiss { .. } => "swiss",
            Self::Knockout { .. } => "knockout",
            Self::Ladder { .. } => "ladder",
            Self::Sprt { .. } => "sprt",
            Self::Arena { .. } => "arena",
        }
    }

    /// True for an arena, which has no schedule.
    #[must_use]
    pub const fn is_arena(&self) -> bool {
        matches!(self, Self::Arena { .. })
    }

    /// Number of encounters of every two bots that meet; 1 if it depends on the results.
    #[must_use]
    pub const fn cycles(&self) -> u32 {
        match self {
            Self::RoundRobin { cycles } | Self::Gauntlet { cycles, .. } => *cycles,
            Self::Swiss { .. }
            | Self::Knockout { .. }
            | Self::Ladder { .. }
            | Self::Arena { .. } => 1,
            Self::Sprt { max_encounters, .. } => *max_encounters,
        }
    }

    /// The bots that it names: the challengers, or all bots in the order of their seeds.
    #[must_use]
    pub fn named(&self) -> &[Name] {
        match self {
            Self::Gauntlet { challengers, .. } => challengers,
            Self::Swiss { seeding, .. }
            | Self::Knockout { seeding, .. }
            | Self::Ladder { seeding, .. } => seeding,
            Self::RoundRobin { .. } | Self::Sprt { .. } | Self::Arena { .. } => &[],
        }
    }

    /// Number of matches in an event of `bots` bots. An upper bound for a knockout, which may need
    /// extra encounters, and for a sequential test; 0 for an arena, which has no schedule.
    #[must_use]
    pub fn most_matches(&self, bots: usize) -> u64 {
        let bots = bots as u64;
        let encounters = match self {
            Self::RoundRobin { cycles } => bots * (bots - 1) / 2 * u64::from(*cycles),
            Self::Gauntlet {
                challengers,
                cycles,
            } => {
                let challengers = challengers.len() as u64;
                challengers * (bots - challengers) * u64::from(*cycles)
            }
            Self::Knockout {
                extra_encounters, ..
            } => (bots - 1) * u64::from(1 + *extra_encounters),
            Self::Swiss { rounds, .. } => bots / 2 * u64::from(*rounds),
            Self::Ladder { rounds, .. } => ladder_encounters(bots, u64::from(*rounds)),
            Self::Sprt { max_encounters, .. } => u64::from(*max_encounters),
            Self::Arena { .. } => 0,
        };
        2 * encounters
    }

    /// Fewest bots in an event of this format.
    pub(super) const fn least_bots(&self) -> usize {
        match self {
            Self::Arena { .. } => 1,
            Self::RoundRobin { .. }
            | Self::Gauntlet { .. }
            | Self::Swiss { .. }
            | Self::Knockout { .. }
            | Self::Ladder { .. }
            | Self::Sprt { .. } => MIN_BOTS,
        }
    }

    /// Checks that the format fits this number of bots, apart from the names in it.
    pub(super) fn check(&self, bots: usize) -> Result<(), InvalidEvent> {
        match self {
            Self::RoundRobin { cycles } => check_cycles(*cycles),
            Self::Gauntlet {
                challengers,
                cycles,
            } => {
                check_cycles(*cycles)?;
                if challengers.is_empty() || challengers.len() >= bots {
                    let challengers = challengers.len();
                    return Err(InvalidEvent::BadChallengers { challengers, bots });
                }
                Ok(())
            }
            Self::Knockout {
                extra_encounters, ..
            } => {
                if *extra_encounters > MAX_EXTRA_ENCOUNTERS {
                    return Err(InvalidEvent::TooManyExtraEncounters(*extra_encounters));
                }
                Ok(())
            }
            Self::Swiss { rounds, .. } => check_rounds(*rounds, most_swiss_rounds(bots)),
            Self::Ladder { rounds, .. } => check_rounds(*rounds, MAX_LADDER_ROUNDS),
            Self::Sprt {
                test,
                max_encounters,
            } => {
                if test.model() == Model::BayesElo {
                    return Err(InvalidEvent::TestOfMatches);
                }
                if bots != 2 {
                    return Err(InvalidEvent::NotTwoBots(bots));
                }
                if *max_encounters == 0 {
                    return Err(InvalidEvent::NoEncounters);
                }
                Ok(())
            }
            Self::Arena {
                ratings,
                pair_cap,
                park_after,
            } => {
                let are_ratings = ratings.iter().all(|elo| elo.abs() <= MAX_RATING);
                if ratings.len() == bots && are_ratings && *pair_cap > 0 && *park_after > 0 {
                    Ok(())
                } else {
                    Err(InvalidEvent::BadArena)
                }
            }
        }
    }
}

/// The most rounds of a Swiss system: half the number of bots, rounded up. Up to there no two bots
/// need meet again and no bot needs a second bye, because each still has at least half of the
/// others as opponents, so that all can be paired (Dirac, 1952).
#[must_use]
pub fn most_swiss_rounds(bots: usize) -> u32 {
    u32::try_from(bots.div_ceil(2)).unwrap_or(u32::MAX)
}

fn check_cycles(cycles: u32) -> Result<(), InvalidEvent> {
    if (1..=MAX_CYCLES).contains(&cycles) {
        Ok(())
    } else {
        Err(InvalidEvent::BadCycles(cycles))
    }
}

fn check_rounds(rounds: u32, most: u32) -> Result<(), InvalidEvent> {
    if (1..=most).contains(&rounds) {
        Ok(())
    } else {
        Err(InvalidEvent::BadRounds { rounds, most })
    }
}

/// With an even number of bots, odd rounds have one pair more than even ones.
fn ladder_encounters(bots: u64, rounds: u64) -> u64 {
    if bots == 2 {
        return rounds;
    }
    let (odd, even) = (rounds.div_ceil(2), rounds / 2);
    odd * (bots / 2) + even * ((bots - 1) / 2)
}
