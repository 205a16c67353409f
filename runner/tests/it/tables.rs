use dragontooth_games::Seat;
use dragontooth_runner_tournament::{
    Crosstable, Ending, FaultKind, Results, Schedule, Standing, Tally, standings,
};
use dragontooth_service_vocabulary::Termination;
use proptest::prelude::*;

use crate::fixture::{Out, result, results, schedule};

/// The standings as short lines: place, name, points, Sonneborn-Berger, head to head.
fn lines(schedule: &Schedule, results: &Results) -> Vec<String> {
    let line = |line: &Standing| {
        let shared = if line.place.shared { "=" } else { "" };
        let among = line
            .head_to_head
            .map_or("-".to_owned(), |points| points.to_string());
        let name = schedule.event().bot(line.bot);
        let (points, berger) = (line.points, line.sonneborn_berger);
        format!(
            "{}{shared} {name} {points} {berger} {among}",
            line.place.rank
        )
    };
    standings(schedule, results).iter().map(line).collect()
}

/// Results in which both matches of each encounter ended alike: `a>b` or `a=b`.
fn by_encounters(schedule: &Schedule, encounters: [&str; 6]) -> Results {
    results(schedule, |planned| {
        let name = |seat| schedule.event().bot(planned.bot(seat)).as_str();
        let (first, second) = (name(Seat::First), name(Seat::Second));
        if encounters.contains(&format!("{first}>{second}").as_str()) {
            Out::Won(Seat::First)
        } else if encounters.contains(&format!("{second}>{first}").as_str()) {
            Out::Won(Seat::Second)
        } else {
            Out::Drawn
        }
    })
}

/// Lower letters beat higher ones in every seat.
fn by_letter(schedule: &Schedule) -> Results {
    results(schedule, |planned| {
        let first_is_lower = planned.bot(Seat::First) < planned.bot(Seat::Second);
        Out::Won(if first_is_lower {
            Seat::First
        } else {
            Seat::Second
        })
    })
}

#[test]
fn a_clear_order_is_kept() {
    let schedule = schedule(3, 2);
    let results = by_letter(&schedule);
    // a wins all 8; b beats c four times; Sonneborn-Berger: 4 × 4 + 4 × 0 for a, 4 × 0 for b.
    assert_eq!(
        lines(&schedule, &results),
        ["1 a 8.0 16.00 -", "2 b 4.0 0.00 -", "3 c 0.0 0.00 -"]
    );
}

#[test]
fn without_matches_all_are_tied() {
    let schedule = schedule(3, 1);
    let none = Results::none(schedule.matches());
    let expected = [
        "1= a 0.0 0.00 0.0",
        "1= b 0.0 0.00 0.0",
        "1= c 0.0 0.00 0.0",
    ];
    assert_eq!(lines(&schedule, &none), expected);
    let standing = &standings(&schedule, &none)[0];
    assert_eq!(standing.mean_game_plies, None);
}

#[test]
fn a_circle_of_wins_stays_a_tie() {
    let schedule = schedule(3, 1);
    let circle = results(&schedule, |planned| {
        let [first, second] = planned.bots;
        let first_wins = (first.get() + 1) % 3 == second.get();
        Out::Won(if first_wins {
            Seat::First
        } else {
            Seat::Second
        })
    });
    let expected = [
        "1= a 2.0 4.00 2.0",
        "1= b 2.0 4.00 2.0",
        "1= c 2.0 4.00 2.0",
    ];
    assert_eq!(lines(&schedule, &circle), expected);
}

#[test]
fn sonneborn_berger_separates_equal_points() {
    let schedule = schedule(4, 1);
    let played = by_encounters(&schedule, ["a>b", "c>a", "a=d", "b>c", "b>d", "d>c"]);
    // a: 2 × 4 + 1 × 3; d: 1 × 3 + 2 × 2.
    let expected = [
        "1 b 4.0 10.00 -",
        "2 a 3.0 11.00 -",
        "3 d 3.0 7.00 -",
        "4 c 2.0 6.00 -",
    ];
    assert_eq!(lines(&schedule, &played), expected);
}

#[test]
fn head_to_head_breaks_remaining_ties() {
    let schedule = schedule(4, 1);
    let played = by_encounters(&schedule, ["b>a", "a=c", "a>d", "c>b", "b=d", "c=d"]);
    let expected = [
        "1 c 4.0 11.00 -",
        "2 b 3.0 8.00 2.0",
        "3 a 3.0 8.00 0.0",
        "4 d 2.0 7.00 -",
    ];
    assert_eq!(lines(&schedule, &played), expected);
}

#[test]
fn halves_and_quarters_are_exact() {
    let schedule = schedule(2, 1);
    let played = results(&schedule, |planned| match planned.number.get() {
        0 => Out::Won(Seat::First),
        _ => Out::Drawn,
    });
    assert_eq!(
        lines(&schedule, &played),
        ["1 a 1.5 0.75 -", "2 b 0.5 0.75 -"]
    );
}

#[test]
fn void_matches_do_not_count() {
    let schedule = schedule(2, 2);
    let played = results(&schedule, |planned| match planned.number.get() {
        0 => Out::Void,
        1 => Out::Won(Seat::First),
        _ => Out::Drawn,
    });
    assert_eq!(
        (played.played(), played.remaining(), played.void()),
        (4, 0, 1)
    );
    let standings = standings(&schedule, &played);
    assert_eq!(
        standings[0].tally(),
        Tally {
            wins: 1,
            draws: 2,
            losses: 0
        }
    );
    assert_eq!(
        standings[1].tally(),
        Tally {
            wins: 0,
            draws: 2,
            losses: 1
        }
    );
    assert_eq!((standings[0].void, standings[1].void), (1, 1));
    assert_eq!(standings[0].points_for, 3 + 1 + 1);
}

#[test]
fn a_line_counts_games_points_seats_lengths_and_faults() {
    let schedule = schedule(2, 1);
    let mut played = Results::none(schedule.matches());
    let [one, two] = schedule.matches() else {
        panic!("two bots meet twice")
    };
    played.add(result(one, Out::Won(Seat::First))).unwrap();
    let mut late = result(two, Out::Won(Seat::First));
    late.termination = Ending::By(Termination::Timeout);
    late.faults = vec![(Seat::Second, FaultKind::Time)];
    late.plies = 7;
    played.add(late).unwrap();
    assert_eq!(played.faults(), 1);

    let standings = standings(&schedule, &played);
    let a = standings
        .iter()
        .find(|line| line.bot == one.bots[0])
        .unwrap();
    assert_eq!(
        a.by_seat,
        [
            Tally {
                wins: 1,
                draws: 0,
                losses: 0
            },
            Tally {
                wins: 0,
                draws: 0,
                losses: 1
            }
        ]
    );
    assert_eq!((a.games_won, a.games_lost, a.games_drawn), (2, 2, 0));
    assert_eq!((a.points_for, a.points_against), (3, 3));
    assert_eq!(a.faults, 1);
    // Two games of 60 actions. The aborted match does not count.
    assert_eq!(a.mean_game_plies, Some(30.0));
    let table = Crosstable::new(&schedule, &played);
    assert_eq!(table.cell(one.bots[0], one.bots[1]).to_string(), "1-0-1");
    assert_eq!(table.cell(one.bots[0], one.bots[0]), Tally::default());
}

#[test]
fn a_match_has_one_result() {
    let schedule = schedule(2, 1);
    let mut played = Results::none(schedule.matches());
    let first = &schedule.matches()[0];
    played.add(result(first, Out::Drawn)).unwrap();
    let again = played
        .add(result(first, Out::Won(Seat::First)))
        .unwrap_err();
    assert_eq!(again.to_string(), "match 1 already has a result");
    assert_eq!(played.of(first.number), Some(&result(first, Out::Drawn)));
    assert_eq!(played.played(), 1);
}

fn any_out() -> impl Strategy<Value = Out> {
    prop_oneof![
        Just(Out::Won(Seat::First)),
        Just(Out::Won(Seat::Second)),
        Just(Out::Drawn),
        Just(Out::Void),
    ]
}

/// An event with some of its matches played, in their order of completion.
fn any_course() -> impl Strategy<Value = (Schedule, Vec<(usize, Out)>)> {
    (2_usize..8, 1_u32..3).prop_flat_map(|(bots, cycles)| {
        let schedule = schedule(bots, cycles);
        let matches = schedule.matches().len();
        let outs = prop::collection::vec(any_out(), matches);
        (Just(schedule), outs, 0..=matches).prop_flat_map(|(schedule, outs, played)| {
            let course: Vec<(usize, Out)> = outs.into_iter().enumerate().collect();
            (Just(schedule), Just(course).prop_shuffle(), Just(played)).prop_map(
                |(schedule, mut course, played)| {
                    course.truncate(played);
                    (schedule, course)
                },
            )
        })
    })
}

fn add_all<'a>(schedule: &Schedule, course: impl Iterator<Item = &'a (usize, Out)>) -> Results {
    let mut played = Results::none(schedule.matches());
    for (number, out) in course {
        played
            .add(result(&schedule.matches()[*number], *out))
            .unwrap();
    }
    played
}

proptest! {
    #[test]
    fn tables_do_not_depend_on_the_order_of_completion((schedule, course) in any_course()) {
        let mut sorted = course.clone();
        sorted.sort_by_key(|(number, _)| *number);
        let (one, other) = (add_all(&schedule, course.iter()), add_all(&schedule, sorted.iter()));
        prop_assert_eq!(standings(&schedule, &one), standings(&schedule, &other));
        prop_assert_eq!(Crosstable::new(&schedule, &one), Crosstable::new(&schedule, &other));
    }

    #[test]
    fn tables_add_up((schedule, course) in any_course()) {
        let played = add_all(&schedule, course.iter());
        let lines = standings(&schedule, &played);
        let counted = u32::try_from(played.played() - played.void()).unwrap();
        let points: f64 = lines.iter().map(|line| line.points.as_f64()).sum();
        prop_assert!((points - f64::from(counted)).abs() < f64::EPSILON);
        let matches: u32 = lines.iter().map(|line| line.tally().matches()).sum();
        prop_assert_eq!(matches, 2 * counted);
        let made: u64 = lines.iter().map(|line| line.points_for).sum();
        let given: u64 = lines.iter().map(|line| line.points_against).sum();
        prop_assert_eq!(made, given);

        let table = Crosstable::new(&schedule, &played);
        for line in &lines {
            let row = schedule.event().bot_indices().map(|other| table.cell(line.bot, other));
            prop_assert_eq!(row.fold(Tally::default(), |sum, cell| sum + cell), line.tally());
            for other in schedule.event().bot_indices() {
                let (here, there) = (table.cell(line.bot, other), table.cell(other, line.bot));
                prop_assert_eq!((here.wins, here.draws), (there.losses, there.draws));
            }
        }
    }

    #[test]
    fn places_are_in_order((schedule, course) in any_course()) {
        let lines = standings(&schedule, &add_all(&schedule, course.iter()));
        for (index, pair) in lines.windows(2).enumerate() {
            let key = |line: &Standing| (line.points, line.sonneborn_berger, line.head_to_head);
            let same = pair[0].place == pair[1].place;
            prop_assert_eq!(same, key(&pair[0]) == key(&pair[1]));
            prop_assert!(key(&pair[0]) >= key(&pair[1]));
            if !same {
                prop_assert_eq!(pair[1].place.rank, index + 2);
            }
        }
    }
}
