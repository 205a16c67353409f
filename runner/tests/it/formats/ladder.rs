use dragontooth_games::Seat;
use dragontooth_runner_tournament::{Format, ScheduledMatch, standings};
use proptest::prelude::*;

use super::playing::{by_strength, names, play};
use crate::fixture::{Out, event_of};

fn format(bots: usize, rounds: usize) -> Format {
    Format::Ladder {
        rounds: u32::try_from(rounds).unwrap(),
        seeding: names(bots),
    }
}

#[test]
fn neighbours_meet_and_winners_go_up() {
    let event = event_of(5, format(5, 3));
    // The lower bot wins if it is named e. All other encounters are drawn and change nothing.
    let (schedule, results) = play(&event, |planned| {
        let seat = planned.seat_of(event.bot_indices().last().unwrap());
        seat.map_or(Out::Drawn, Out::Won)
    });
    let line = |planned: &ScheduledMatch| {
        let bot = |seat| schedule.event().bot(planned.bot(seat)).to_string();
        let (first, second) = (bot(Seat::First), bot(Seat::Second));
        format!("{} {first}-{second}", planned.slot.encounter())
    };
    let lines: Vec<String> = schedule.matches().iter().step_by(2).map(line).collect();
    let expected = [
        "c1/r1/p1 a-b",
        "c1/r1/p2 c-d",
        "c1/r2/p1 b-c",
        "c1/r2/p2 d-e",
        "c1/r3/p1 a-b",
        "c1/r3/p2 c-e",
    ];
    assert_eq!(lines, expected);
    let order = standings(&schedule, &results);
    let order: Vec<usize> = order.iter().map(|line| line.bot.get()).collect();
    assert_eq!(order, [0, 1, 4, 2, 3]);
}

proptest! {
    /// With as many rounds as bots, a ladder on which the stronger bot always wins is in order at the
    /// end: it is a sort by odd-even transposition (Habermann, 1972).
    #[test]
    fn as_many_rounds_as_bots_put_them_in_order(
        order in (2_usize..16).prop_flat_map(|bots| Just((0..bots).collect::<Vec<_>>()).prop_shuffle()),
    ) {
        let bots = order.len();
        let event = event_of(bots, format(bots, bots));
        let (schedule, results) = play(&event, |planned| by_strength(&order, planned));
        let lines = standings(&schedule, &results);
        let reached: Vec<usize> = lines.iter().map(|line| line.bot.get()).collect();
        prop_assert_eq!(reached, order);
        prop_assert!(lines.iter().all(|line| !line.place.shared));
    }
}
