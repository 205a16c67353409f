use std::sync::Arc;

use uuid::Uuid;

use super::gauntlet::gauntlet_rounds;
use super::knockout::Knockout;
use super::ladder::{ladder_order, ladder_round};
use super::swiss::SwissTable;
use super::{
    BotIndex, Event, Format, Leg, MatchNumber, Pairing, Results, Round, ScheduledMatch, Sequential,
    Slot, berger_rounds, ids,
};

/// The matches of an event in starting order, as far as they are known.
///
/// Two bots that meet play an *encounter*: two matches with the same seed and the seats swapped. In
/// a round robin and a gauntlet all matches are known from the start. In the other formats the
/// schedule [follows](Self::follow) the results: it grows by a round when all matches so far are
/// over, or ends early. It depends only on the event and the results, not on the order in which
/// they came.
#[derive(Clone, Debug)]
pub struct Schedule {
    event: Event,
    /// Shared by copies: a million matches are large.
    matches: Arc<Vec<ScheduledMatch>>,
    sequential: Option<Sequential>,
    namespace: Uuid,
}

impl Schedule {
    /// Creates the part of the schedule of `event` that is known before a match is played.
    ///
    /// ```
    /// use dragontooth_runner_tournament::{Event, Format, MatchRules, Name, Schedule};
    ///
    /// let bots = vec![Name::new("a")?, Name::new("b")?, Name::new("c")?];
    /// let rules = MatchRules::new("kamisado", None, 3)?;
    /// let format = Format::RoundRobin { cycles: 1 };
    /// let schedule = Schedule::new(Event::new(Name::new("demo")?, 7, rules, bots, format)?);
    /// // Each of the three pairings plays two matches, with the seats swapped.
    /// assert_eq!(schedule.matches().len(), 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(event: Event) -> Self {
        let namespace = ids::namespace(event.seed());
        let mut schedule = Self {
            matches: Arc::default(),
            sequential: None,
            namespace,
            event,
        };
        let bots = schedule.event.bots().len();
        match schedule.event.format().clone() {
            Format::Arena { .. } => {}
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
                let none = Results::none(&schedule.matches);
                if let Some(round) = schedule.next_round(&none) {
                    schedule.add(&round);
                }
            }
        }
        schedule
    }

    /// Follows `results`: adds matches, or drops those after a decision. Call it after every
    /// result; the event is over when nothing [remains](Results::remaining).
    ///
    /// Results of dropped matches are dropped too.
    pub fn follow(&mut self, results: &mut Results) {
        match &mut self.sequential {
            Some(sequential) => {
                if let Some(end) = sequential.advance(&self.matches, results) {
                    Arc::make_mut(&mut self.matches).truncate(end);
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
        results.fit(self.matches.len());
    }

    /// The event.
    #[must_use]
    pub const fn event(&self) -> &Event {
        &self.event
    }

    /// All known matches in order.
    #[must_use]
    pub fn matches(&self) -> &[ScheduledMatch] {
        &self.matches
    }

    /// The matches grouped by round, in order.
    pub fn rounds(&self) -> impl Iterator<Item = &[ScheduledMatch]> {
        let place = |each: &ScheduledMatch| (each.slot.cycle, each.slot.round);
        self.matches.chunk_by(move |a, b| place(a) == place(b))
    }

    /// The bots without a match in `matches`, in the order of the event's list.
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

    /// The state of the sequential test, if this is one.
    #[must_use]
    pub const fn sequential(&self) -> Option<&Sequential> {
        self.sequential.as_ref()
    }

    /// Expected number of matches: more if encounters of a knockout are drawn, fewer if a
    /// sequential test ends early.
    #[must_use]
    pub fn expected_matches(&self) -> u64 {
        match self.event.format() {
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Sprt { .. }
            | Format::Arena { .. } => self.matches.len() as u64,
            Format::Swiss { .. } | Format::Ladder { .. } => self.event.most_matches(),
            Format::Knockout { .. } => {
                let extra_encounters = self.matches.iter().filter(|each| each.slot.cycle > 1);
                let without_extra = 2 * (self.event.bots().len() - 1);
                (without_extra + extra_encounters.count()) as u64
            }
        }
    }

    /// The title of a match: the event's name and the slot, `demo/c1/r2/p1/m1`. Unique within an
    /// event.
    #[must_use]
    pub fn title(&self, planned: &ScheduledMatch) -> String {
        format!("{}/{}", self.event.name(), planned.slot)
    }

    /// Returns the match with this title.
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

    /// The id of a match in direct mode. Those under which matches are created on a service follow from it and from the
    /// run directory. It is the same whenever the event is run.
    #[must_use]
    pub fn request_id(&self, planned: &ScheduledMatch) -> Uuid {
        self.id("match", &self.title(planned))
    }

    fn id(&self, purpose: &str, text: &str) -> Uuid {
        ids::id(&self.namespace, purpose, text)
    }

    /// The sort key of a match. In a knockout the extra encounters of a round, which are its
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
            | Format::Sprt { .. }
            | Format::Arena { .. } => (cycle, round, pairing, leg),
        }
    }

    /// Returns the next round once all matches so far are over; `None` at the end.
    fn next_round(&self, results: &Results) -> Option<Round> {
        match self.event.format() {
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Sprt { .. }
            | Format::Arena { .. } => None,
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
        let matches = Arc::make_mut(&mut self.matches);
        for (pairing, bots) in &round.pairings {
            let encounter = matches.last().map_or(1, |last| last.encounter + 1);
            for leg in Leg::BOTH {
                matches.push(ScheduledMatch {
                    number: MatchNumber::new(matches.len()),
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
