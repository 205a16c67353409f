use dragontooth_games::Seat;
use dragontooth_runner_tournament::{
    Format, Results, Schedule, ScheduledMatch, Standing, standings,
};
use proptest::prelude::*;

use super::playing::{by_strength, names, out_of, play};
use crate::fixture::{Out, event_of, result};

fn format(bots: usize, extra_encounters: u32) -> Format {
    let seeding = names(bots);
    Format::Knockout {
        extra_encounters,
        seeding,
    }
}

/// The encounters of the schedule: `c1/r1/p1 a-h`.
fn encounters(schedule: &Schedule) -> Vec<String> {
    let line = |planned: &ScheduledMatch| {
        let bot = |seat| schedule.event().bot(planned.bot(seat)).to_string();
        let (first, second) = (bot(Seat::First), bot(Seat::Second));
        format!("{} {first}-{second}", planned.slot.encounter())
    };
    schedule.matches().iter().step_by(2).map(line).collect()
}

/// Rank and name, best first.
fn places(schedule: &Schedule, results: &Results) -> Vec<String> {
    let line = |line: &Standing| {
        let shared = if line.place.shared { "=" } else { "" };
        format!(
            "{}{shared} {}",
            line.place.rank,
            schedule.event().bot(line.bot)
        )
    };
    standings(schedule, results).iter().map(line).collect()
}

/// The usual draw of eight (1-8, 4-5, 2-7, 3-6). The better seed always wins.
#[test]
fn eight_seeds_meet_as_in_the_usual_bracket() {
    let order: Vec<usize> = (0..8).collect();
    let (schedule, results) = play(&event_of(8, format(8, 0)), |planned| {
        by_strength(&order, planned)
    });
    let expected = [
        "c1/r1/p1 a-h",
        "c1/r1/p2 d-e",
        "c1/r1/p3 b-g",
        "c1/r1/p4 c-f",
        "c1/r2/p1 a-d",
        "c1/r2/p2 b-c",
        "c1/r3/p1 a-b",
    ];
    assert_eq!(encounters(&schedule), expected);
    assert_eq!(
        places(&schedule, &results),
        ["1 a", "2 b", "3= c", "3= d", "5= e", "5= f", "5= g", "5= h"]
    );
}

/// With five bots, the three best seeds have byes in the first round.
#[test]
fn the_best_seeds_have_byes() {
    let order: Vec<usize> = (0..5).rev().collect();
    let (schedule, results) = play(&event_of(5, format(5, 0)), |planned| {
        by_strength(&order, planned)
    });
    let expected = [
        "c1/r1/p2 d-e",
        "c1/r2/p1 a-e",
        "c1/r2/p2 b-c",
        "c1/r3/p1 c-e",
    ];
    assert_eq!(encounters(&schedule), expected);
    assert_eq!(
        places(&schedule, &results),
        ["1 e", "2 c", "3= a", "3= b", "5 d"]
    );
}

/// Drawn encounters are followed by the configured number of further ones, with the other bot first. Then game
/// points decide, then the seed.
#[test]
fn drawn_encounters_are_played_again() {
    let event = event_of(4, format(4, 2));
    let (schedule, results) = play(&event, |planned| {
        // b and c always draw; a beats d in the second encounter; then the final is void.
        match (planned.slot.round, planned.slot.pairing, planned.slot.cycle) {
            (1, 1, 2) => by_strength(&[0, 1, 2, 3], planned),
            (1, ..) => Out::Drawn,
            _ => Out::Void,
        }
    });
    let expected = [
        "c1/r1/p1 a-d",
        "c1/r1/p2 b-c",
        "c2/r1/p1 d-a",
        "c2/r1/p2 c-b",
        "c3/r1/p2 b-c",
        "c1/r2/p1 a-b",
        "c2/r2/p1 b-a",
        "c3/r2/p1 a-b",
    ];
    assert_eq!(encounters(&schedule), expected);
    assert_eq!(places(&schedule, &results), ["1 a", "2 b", "3= c", "3= d"]);
    assert_eq!(schedule.find("demo/c2/r1/p2/m2").unwrap().encounter, 4);
    assert_eq!(schedule.find("demo/c3/r1/p1/m1"), None);
}

#[test]
fn game_points_decide_when_all_is_drawn() {
    let event = event_of(2, format(2, 0));
    let mut schedule = Schedule::new(event);
    let mut results = Results::none(schedule.matches());
    for (planned, score) in schedule.matches().to_vec().iter().zip([[1, 1], [2, 1]]) {
        // b has the first seat in the second match.
        let mut one = result(planned, Out::Drawn);
        one.score = score;
        results.add(one).unwrap();
        schedule.follow(&mut results);
    }
    assert_eq!(results.remaining(), 0);
    assert_eq!(places(&schedule, &results), ["1 b", "2 a"]);
}

/// A void match counts for no bot, however far it had come: the better seed goes on.
#[test]
fn game_points_of_a_void_match_decide_nothing() {
    let mut schedule = Schedule::new(event_of(2, format(2, 0)));
    let mut results = Results::none(schedule.matches());
    let outs = [(Out::Void, [1, 3]), (Out::Drawn, [2, 2])];
    for (planned, (out, score)) in schedule.matches().to_vec().iter().zip(outs) {
        let mut one = result(planned, out);
        one.score = score;
        results.add(one).unwrap();
        schedule.follow(&mut results);
    }
    assert_eq!(results.remaining(), 0);
    assert_eq!(places(&schedule, &results), ["1 a", "2 b"]);
}

proptest! {
    /// The strongest wins, a bot that is out stays out, and in the end all bots but one are out.
    #[test]
    fn a_knockout_has_one_winner(
        order in (2_usize..30).prop_flat_map(|bots| Just((0..bots).collect::<Vec<_>>()).prop_shuffle()),
        extra_encounters in 0_u32..3,
        seed in any::<u64>(),
    ) {
        let event = event_of(order.len(), format(order.len(), extra_encounters));
        let (schedule, results) = play(&event, |planned| by_strength(&order, planned));
        prop_assert_eq!(schedule.matches().len(), 2 * (order.len() - 1));
        let lines = standings(&schedule, &results);
        prop_assert_eq!(lines[0].bot.get(), order[0]);

        let (schedule, results) = play(&event, |planned| out_of(seed, planned));
        let lines = standings(&schedule, &results);
        let still_in = lines.iter().filter(|line| line.out_in.is_none()).count();
        prop_assert_eq!(still_in, 1);
        prop_assert_eq!((lines[0].place.rank, lines[0].place.shared), (1, false));
        for line in &lines {
            let last = schedule.matches().iter().filter(|each| each.seat_of(line.bot).is_some());
            let last = last.map(|each| each.slot.round).max();
            prop_assert!(line.out_in.is_none() || line.out_in == last);
        }
    }
}
