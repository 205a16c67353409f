use dragontooth_games::Seat;
use uuid::Uuid;

use super::gauntlet::gauntlet_rounds;
use super::knockout::Knockout;
use super::ladder::{ladder_order, ladder_round};
use super::swiss::SwissTable;
use super::{
    BotIndex, Event, Format, Leg, MatchNumber, Pairing, Results, Round, Sequential, Slot,
    berger_rounds, ids,
};

/// Who meets whom, in the order in which the matches are started, as far as that is known.
///
/// Two bots that meet play an *encounter*: two matches with the same seed and the seats swapped. In
/// a round robin and in a gauntlet all of them are known from the start. In the other formats the
/// schedule [follows](Self::follow) the results: it grows by a round when all matches so far are
/// over, or ends early. It depends on nothing but the event and the results, not on the order in
/// which they came.
#[derive(Clone, Debug)]
pub struct Schedule {
    event: Event,
    matches: Vec<ScheduledMatch>,
    sequential: Option<Sequential>,
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
    /// What is known of `event` before a match is played.
    #[must_use]
    pub fn new(event: Event) -> Self {
        let namespace = ids::namespace(event.seed());
        let mut schedule = Self {
            matches: Vec::new(),
            sequential: None,
            namespace,
            event,
        };
        let bots = schedule.event.bots().len();
        match schedule.event.format().clone() {
            Format::RoundRobin { cycles } => schedule.add_cycles(cycles, &berger_rounds(bots)),
            Format::Gauntlet { cycles, .. } => {
                let rounds = gauntlet_rounds(bots, schedule.event.named());
                schedule.add_cycles(cycles, &rounds);
            }
            Format::Sprt {
                test,
                max_encounters,
            } => {
                schedule.sequential = Some(Sequential::new(test));
                schedule.add_cycles(max_encounters, &berger_rounds(bots));
            }
            Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => {
                let none = Results::none(&schedule);
                if let Some(round) = schedule.next_round(&none) {
                    schedule.add(&round);
                }
            }
        }
        schedule
    }

    /// Takes into account what follows from `results`: more matches, or that those after a decision
    /// do not count. To be called after every result; then nothing is left to play as soon as
    /// nothing [remains](Results::remaining).
    ///
    /// Results of matches that do not count are dropped.
    pub fn follow(&mut self, results: &mut Results) {
        match &mut self.sequential {
            Some(sequential) => {
                if let Some(end) = sequential.advance(&self.matches, results) {
                    self.matches.truncate(end);
                }
            }
            None => {
                if results.remaining() == 0
                    && let Some(round) = self.next_round(results)
                {
                    self.add(&round);
                }
            }
        }
        results.fit(self);
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

    /// The matches by rounds, in order.
    pub fn rounds(&self) -> impl Iterator<Item = &[ScheduledMatch]> {
        let place = |each: &ScheduledMatch| (each.slot.cycle, each.slot.round);
        self.matches.chunk_by(move |a, b| place(a) == place(b))
    }

    /// The bots that do not play in these matches, in the order of the event's list.
    #[must_use]
    pub fn idle(&self, round: &[ScheduledMatch]) -> Vec<BotIndex> {
        let mut plays = vec![false; self.event.bots().len()];
        for planned in round {
            for bot in planned.bots {
                plays[bot.get()] = true;
            }
        }
        let bots = self.event.bot_indices();
        bots.filter(|bot| !plays[bot.get()]).collect()
    }

    /// How the test stands, in a sequential test.
    #[must_use]
    pub const fn sequential(&self) -> Option<&Sequential> {
        self.sequential.as_ref()
    }

    /// The number of matches there will be: more if encounters of a knockout are drawn, fewer if a
    /// sequential test is decided.
    #[must_use]
    pub fn expected_matches(&self) -> u64 {
        match self.event.format() {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } | Format::Sprt { .. } => {
                self.matches.len() as u64
            }
            Format::Swiss { .. } | Format::Ladder { .. } => self.event.most_matches(),
            Format::Knockout { .. } => {
                let extra_encounters = self.matches.iter().filter(|each| each.slot.cycle > 1);
                let without_extra = 2 * (self.event.bots().len() - 1);
                (without_extra + extra_encounters.count()) as u64
            }
        }
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
            .binary_search_by_key(&self.order(slot), |each| self.order(each.slot))
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

    /// What the matches are ordered by: in a knockout the further encounters of a round, its
    /// cycles, come before the next round.
    fn order(&self, slot: Slot) -> (u32, u32, u32, Leg) {
        let Slot {
            cycle,
            round,
            pairing,
            leg,
        } = slot;
        match self.event.format() {
            Format::Knockout { .. } => (round, cycle, pairing, leg),
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Swiss { .. }
            | Format::Ladder { .. }
            | Format::Sprt { .. } => (cycle, round, pairing, leg),
        }
    }

    /// What follows when all matches so far are over; none if that was all.
    fn next_round(&self, results: &Results) -> Option<Round> {
        match self.event.format() {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } | Format::Sprt { .. } => None,
            Format::Knockout { .. } => Knockout::new(&self.event, &self.matches, results).next,
            Format::Swiss { rounds, .. } => {
                let round = self.next_number();
                let table = || SwissTable::new(&self.event, &self.matches, results);
                (round <= *rounds).then(|| table().next_round(&self.event, round))
            }
            Format::Ladder { rounds, .. } => {
                let round = self.next_number();
                let order = ladder_order(self.event.named(), &self.matches, results);
                (round <= *rounds).then(|| Round::new(1, round, ladder_round(&order, round)))
            }
        }
    }

    /// The number of the next round.
    fn next_number(&self) -> u32 {
        self.matches.last().map_or(1, |last| last.slot.round + 1)
    }

    fn add_cycles(&mut self, cycles: u32, rounds: &[Vec<Pairing>]) {
        for cycle in 1..=cycles {
            for (number, pairings) in (1..).zip(rounds) {
                let pairings = pairings.iter().map(|pairing| pairing.in_cycle(cycle));
                self.add(&Round::new(cycle, number, pairings));
            }
        }
    }

    fn add(&mut self, round: &Round) {
        for (pairing, bots) in &round.pairings {
            let encounter = self.matches.last().map_or(1, |last| last.encounter + 1);
            for leg in Leg::BOTH {
                self.matches.push(ScheduledMatch {
                    number: MatchNumber(self.matches.len()),
                    slot: Slot {
                        cycle: round.cycle,
                        round: round.number,
                        pairing: *pairing,
                        leg,
                    },
                    encounter,
                    bots: leg.seated(*bots).bots(),
                });
            }
        }
    }
}

impl ScheduledMatch {
    /// The bot in `seat`.
    #[must_use]
    pub const fn bot(&self, seat: Seat) -> BotIndex {
        self.bots[seat.index()]
    }

    /// What the bot of each seat has, of what all bots have in the order of the event's list.
    ///
    /// # Panics
    ///
    /// If that is of fewer bots than the event has.
    #[must_use]
    pub fn by_seat<T: Copy>(&self, of_bots: &[T]) -> [T; 2] {
        self.bots.map(|bot| of_bots[bot.get()])
    }

    /// The seat of `bot`, if it plays.
    #[must_use]
    pub fn seat_of(&self, bot: BotIndex) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|seat| self.bot(*seat) == bot)
    }
}
