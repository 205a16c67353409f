use dragontooth_games::Seat;
use uuid::Uuid;

use super::{BotIndex, Event, Leg, MatchNumber, Pairing, Slot, berger_rounds, ids};

/// Who meets whom, in the order in which the matches are started.
///
/// It follows from the event alone. Every two bots meet once in a cycle, in an *encounter* of two
/// matches with the same seed and the seats swapped; in each next cycle the other bot of a pairing
/// has the first seat first.
#[derive(Clone, Debug)]
pub struct Schedule {
    event: Event,
    rounds: Vec<Vec<Pairing>>,
    matches: Vec<ScheduledMatch>,
    namespace: Uuid,
}

/// One match of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledMatch {
    /// Its number in the schedule.
    pub number: MatchNumber,
    /// Where it stands.
    pub slot: Slot,
    /// The number of its encounter in the event, from 1.
    pub encounter: u32,
    /// The bots by seat.
    pub bots: [BotIndex; 2],
}

impl Schedule {
    /// The round robin of `event` by Berger tables.
    #[must_use]
    pub fn round_robin(event: Event) -> Self {
        let rounds = berger_rounds(event.bots().len());
        let mut matches = Vec::new();
        let mut encounter = 0;
        for cycle in 1..=event.cycles() {
            for (round, pairings) in (1..).zip(&rounds) {
                for (pairing, bots) in (1..).zip(pairings) {
                    encounter += 1;
                    let bots = in_cycle(*bots, cycle);
                    for leg in Leg::BOTH {
                        let seated = leg.seated(bots);
                        matches.push(ScheduledMatch {
                            number: MatchNumber(matches.len()),
                            slot: Slot {
                                cycle,
                                round,
                                pairing,
                                leg,
                            },
                            encounter,
                            bots: [seated.first, seated.second],
                        });
                    }
                }
            }
        }
        let namespace = ids::namespace(event.seed());
        Self {
            event,
            rounds,
            matches,
            namespace,
        }
    }

    /// The event.
    #[must_use]
    pub const fn event(&self) -> &Event {
        &self.event
    }

    /// All matches in order.
    #[must_use]
    pub fn matches(&self) -> &[ScheduledMatch] {
        &self.matches
    }

    /// The rounds in a cycle.
    #[must_use]
    pub fn rounds_per_cycle(&self) -> usize {
        self.rounds.len()
    }

    /// The bot that does not play in a round of a cycle, from 1; none if all play or there is no
    /// such round.
    #[must_use]
    pub fn bye(&self, round: u32) -> Option<BotIndex> {
        let index = usize::try_from(round).ok()?.checked_sub(1)?;
        let pairings = self.rounds.get(index)?;
        self.event.bot_indices().find(|bot| {
            pairings
                .iter()
                .all(|pair| pair.first != *bot && pair.second != *bot)
        })
    }

    /// The title of a match: the event's name and the place, `demo/c1/r2/p1/m1`. No two matches of
    /// an event have the same.
    #[must_use]
    pub fn title(&self, planned: &ScheduledMatch) -> String {
        format!("{}/{}", self.event.name(), planned.slot)
    }

    /// The match with this title.
    #[must_use]
    pub fn find(&self, title: &str) -> Option<&ScheduledMatch> {
        let slot: Slot = title
            .strip_prefix(self.event.name().as_str())?
            .strip_prefix('/')?
            .parse()
            .ok()?;
        let found = self
            .matches
            .binary_search_by(|each| each.slot.cmp(&slot))
            .ok()?;
        Some(&self.matches[found])
    }

    /// The id under which a match is created: the same for the same event, so that a match that
    /// is created again after an interruption is the same match.
    #[must_use]
    pub fn request_id(&self, planned: &ScheduledMatch) -> Uuid {
        self.id("match", &self.title(planned))
    }

    /// What everything random in a match follows from: the same in both matches of an encounter.
    #[must_use]
    pub fn match_seed(&self, planned: &ScheduledMatch) -> String {
        let encounter = format!("{}/{}", self.event.name(), planned.slot.encounter());
        self.id("encounter", &encounter).to_string()
    }

    fn id(&self, purpose: &str, text: &str) -> Uuid {
        ids::id(&self.namespace, purpose, text)
    }
}

impl ScheduledMatch {
    /// The bot in `seat`.
    #[must_use]
    pub const fn bot(&self, seat: Seat) -> BotIndex {
        self.bots[seat.index()]
    }

    /// The seat of `bot`, if it plays.
    #[must_use]
    pub fn seat_of(&self, bot: BotIndex) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|seat| self.bot(*seat) == bot)
    }
}

/// The pairing with the seats reversed in every other cycle.
const fn in_cycle(pairing: Pairing, cycle: u32) -> Pairing {
    if cycle.is_multiple_of(2) {
        Leg::Two.seated(pairing)
    } else {
        pairing
    }
}
