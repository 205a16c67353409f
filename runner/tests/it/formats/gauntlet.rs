use std::collections::HashMap;

use dragontooth_games::Seat;
use dragontooth_runner_tournament::{BotIndex, Format, Schedule};
use proptest::prelude::*;

use super::playing::names;
use crate::fixture::event_of;

fn schedule(bots: usize, challengers: usize, cycles: u32) -> Schedule {
    let challengers = names(challengers);
    Schedule::new(event_of(
        bots,
        Format::Gauntlet {
            challengers,
            cycles,
        },
    ))
}

proptest! {
    #[test]
    fn every_challenger_meets_every_other_bot_in_both_seats(
        (bots, challengers) in (2_usize..14).prop_flat_map(|bots| (Just(bots), 1..bots)),
        cycles in 1_u32..4,
    ) {
        let schedule = schedule(bots, challengers, cycles);
        let mut meetings: HashMap<[usize; 2], u32> = HashMap::new();
        for planned in schedule.matches() {
            let bots = planned.bots.map(BotIndex::get);
            // The challengers are the first bots.
            let challenging = bots.iter().filter(|bot| **bot < challengers).count();
            prop_assert_eq!(challenging, 1);
            *meetings.entry(bots).or_default() += 1;
        }
        prop_assert_eq!(meetings.len(), 2 * challengers * (bots - challengers));
        prop_assert!(meetings.values().all(|times| *times == cycles));
        prop_assert_eq!(schedule.matches().len() as u64, schedule.event().most_matches());
        let rounds = challengers.max(bots - challengers);
        prop_assert_eq!(schedule.rounds().count(), rounds * cycles as usize);
    }
}

#[test]
fn two_challengers_take_turns() {
    let schedule = schedule(5, 2, 1);
    let lines: Vec<String> = schedule
        .matches()
        .iter()
        .step_by(2)
        .map(|planned| {
            let bot = |seat| schedule.event().bot(planned.bot(seat)).to_string();
            let (first, second) = (bot(Seat::First), bot(Seat::Second));
            format!("{} {first}-{second}", planned.slot.encounter())
        })
        .collect();
    let expected = [
        "c1/r1/p1 a-c",
        "c1/r1/p2 b-d",
        "c1/r2/p1 a-d",
        "c1/r2/p2 b-e",
        "c1/r3/p1 a-e",
        "c1/r3/p2 b-c",
    ];
    assert_eq!(lines, expected);
}
