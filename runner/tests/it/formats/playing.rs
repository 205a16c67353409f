//! Simulated events: a seed decides every match.

use dragontooth_games::Seat;
use dragontooth_runner_tournament::{
    Event, Format, Name, Results, Schedule, ScheduledMatch, most_swiss_rounds,
};
use proptest::prelude::*;

use crate::fixture::{Out, event, result};

/// The names of the first `bots` bots of the fixture.
pub(crate) fn names(bots: usize) -> Vec<Name> {
    event(bots.max(2), 1).bots()[..bots].to_vec()
}

/// The outcome of a match: any possible one, always the same for one seed and match.
pub(super) fn out_of(seed: u64, planned: &ScheduledMatch) -> Out {
    // SplitMix64 of the seed and the place.
    let place = u64::from(planned.encounter) * 2 + u64::from(planned.slot.leg.number());
    let mut z = seed.wrapping_add(place.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    match (z ^ (z >> 31)) % 10 {
        0..4 => Out::Won(Seat::First),
        4..7 => Out::Won(Seat::Second),
        7..9 => Out::Drawn,
        _ => Out::Void,
    }
}

/// The stronger of two bots is the one that comes first in `order`. It wins every match.
pub(crate) fn by_strength(order: &[usize], planned: &ScheduledMatch) -> Out {
    let strength = |seat| order.iter().position(|bot| *bot == planned.bot(seat).get());
    if strength(Seat::First) < strength(Seat::Second) {
        Out::Won(Seat::First)
    } else {
        Out::Won(Seat::Second)
    }
}

/// Plays an event to its end, one match after another.
pub(crate) fn play(event: &Event, out: impl Fn(&ScheduledMatch) -> Out) -> (Schedule, Results) {
    let mut schedule = Schedule::new(event.clone());
    let mut results = Results::none(schedule.matches());
    let mut next = 0;
    while results.remaining() > 0 {
        let planned = schedule.matches()[next];
        results.add(result(&planned, out(&planned))).unwrap();
        schedule.follow(&mut results);
        next += 1;
    }
    (schedule, results)
}

/// Any order of all bots.
fn seeding(bots: usize) -> impl Strategy<Value = Vec<Name>> {
    Just(names(bots)).prop_shuffle()
}

/// A format for `bots` bots.
fn format(bots: usize) -> BoxedStrategy<Format> {
    let round_robin = (1_u32..3).prop_map(|cycles| Format::RoundRobin { cycles });
    let gauntlet = (1_u32..3, 1..bots, seeding(bots)).prop_map(|(cycles, count, names)| {
        let challengers = names[..count].to_vec();
        Format::Gauntlet {
            challengers,
            cycles,
        }
    });
    let knockout =
        (0_u32..4, seeding(bots)).prop_map(|(extra_encounters, seeding)| Format::Knockout {
            extra_encounters,
            seeding,
        });
    let ladder =
        (1_u32..8, seeding(bots)).prop_map(|(rounds, seeding)| Format::Ladder { rounds, seeding });
    let swiss = (1..=most_swiss_rounds(bots), seeding(bots))
        .prop_map(|(rounds, seeding)| Format::Swiss { rounds, seeding });
    let any = prop_oneof![round_robin, gauntlet, swiss, knockout, ladder];
    if bots == 2 {
        prop_oneof![any, super::sprt::format()].boxed()
    } else {
        any.boxed()
    }
}

/// An event of 2 to 12 bots with any format.
pub(super) fn any_event() -> impl Strategy<Value = Event> {
    let bots = prop_oneof![Just(2_usize), 2..13_usize];
    bots.prop_flat_map(|bots| {
        format(bots).prop_map(move |format| crate::fixture::event_of(bots, format))
    })
}
