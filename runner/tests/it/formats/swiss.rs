//! The Swiss system against pairings of an outside program, and its laws.

use std::collections::{HashMap, HashSet};

use dragontooth_runner_tournament::{
    BotIndex, Entrant, Float, Format, Leg, Standing, most_swiss_rounds, standings, swiss_round,
};
use proptest::prelude::*;

use super::playing::{by_strength, names, out_of, play};
use crate::fixture::event_of;

const PAIRINGS: &str = include_str!("../../data/swiss.txt");

/// A pair in notation: `3>6` (3 won), `2<4`, `1=5`; or a bye, `7-`. Numbers start at 1.
fn parse(text: &str) -> (usize, Option<(usize, i32)>) {
    let at = text.find(['>', '<', '=', '-']).unwrap();
    let first: usize = text[..at].parse().unwrap();
    let balance = match &text[at..=at] {
        ">" => 1,
        "<" => -1,
        "=" => 0,
        _ => return (first, None),
    };
    (first, Some((text[at + 1..].parse().unwrap(), balance)))
}

fn float(own: u32, other: u32) -> Float {
    match own.cmp(&other) {
        std::cmp::Ordering::Greater => Float::Down,
        std::cmp::Ordering::Less => Float::Up,
        std::cmp::Ordering::Equal => Float::None,
    }
}

/// Every round of every tournament of the file is paired as in the file.
#[test]
fn rounds_are_paired_as_by_an_outside_program() {
    let mut entrants: Vec<Entrant> = Vec::new();
    let mut rounds = 0;
    let mut tournament = 0;
    for line in PAIRINGS.lines().filter(|line| !line.starts_with('#')) {
        if let Ok(size) = line.parse() {
            tournament += 1;
            let fresh = Entrant {
                score: 0,
                met: Vec::new(),
                had_bye: false,
                floats: [Float::None; 2],
            };
            entrants = vec![fresh; size];
            continue;
        }
        rounds += 1;
        let round = swiss_round(&entrants);
        let pairs = round.pairs.iter().map(|(one, other)| {
            let (low, high) = (one.min(other) + 1, one.max(other) + 1);
            (low, Some(high))
        });
        let mut ours: Vec<(usize, Option<usize>)> = pairs
            .chain(round.byes.iter().map(|bot| (bot + 1, None)))
            .collect();
        ours.sort_unstable();
        let theirs: Vec<(usize, Option<usize>)> = line
            .split(' ')
            .map(parse)
            .map(|(one, other)| (one, other.map(|(other, _)| other)))
            .collect();
        assert_eq!(
            ours, theirs,
            "tournament {tournament}: {line}\n{entrants:#?}"
        );

        let before: Vec<u32> = entrants.iter().map(|entrant| entrant.score).collect();
        for (one, other) in line.split(' ').map(parse) {
            let one = one - 1;
            let Some((other, balance)) = other else {
                entrants[one].score += 2;
                entrants[one].had_bye = true;
                entrants[one].floats = [Float::Down, entrants[one].floats[0]];
                continue;
            };
            for (own, other, balance) in [(one, other - 1, balance), (other - 1, one, -balance)] {
                let entrant = &mut entrants[own];
                entrant.score += u32::try_from(1 + balance).unwrap();
                entrant.met.push(other);
                entrant.floats = [float(before[own], before[other]), entrant.floats[0]];
            }
        }
    }
    assert!(rounds > 600, "{rounds} rounds were compared");
}

fn format(bots: usize, rounds: u32) -> Format {
    let seeding = names(bots);
    Format::Swiss { rounds, seeding }
}

/// Six bots. The better seed always wins both matches: the halves meet, then the winners
/// and the losers, where the last of the winners moves down; then b cannot meet e again, nor e f.
#[test]
fn halves_meet_and_the_odd_one_moves_down() {
    let order: Vec<usize> = (0..6).collect();
    let (schedule, results) = play(&event_of(6, format(6, 3)), |planned| {
        by_strength(&order, planned)
    });
    let lines: Vec<String> = schedule
        .matches()
        .iter()
        .step_by(2)
        .map(|planned| {
            let [first, second] = planned
                .bots
                .map(|bot| schedule.event().bot(bot).to_string());
            format!("{} {first}-{second}", planned.slot.encounter())
        })
        .collect();
    let expected = [
        "c1/r1/p1 a-d",
        "c1/r1/p2 b-e",
        "c1/r1/p3 c-f",
        "c1/r2/p1 b-a",
        "c1/r2/p2 d-c",
        "c1/r2/p3 f-e",
        "c1/r3/p1 a-c",
        "c1/r3/p2 b-f",
        "c1/r3/p3 e-d",
    ];
    assert_eq!(lines, expected);
    let line = |line: &Standing| {
        let buchholz = line.buchholz.unwrap();
        format!(
            "{} {} {buchholz} {}",
            line.bot.get(),
            line.points,
            line.sonneborn_berger
        )
    };
    let lines: Vec<String> = standings(&schedule, &results).iter().map(line).collect();
    assert_eq!(lines, EXPECTED_STANDINGS);
}

/// Bot, points, Buchholz and Sonneborn-Berger, worked out by hand.
const EXPECTED_STANDINGS: [&str; 6] = [
    "0 6.0 10.0 20.00",
    "1 4.0 8.0 4.00",
    "2 4.0 8.0 4.00",
    "3 2.0 12.0 4.00",
    "4 2.0 6.0 0.00",
    "5 0.0 10.0 0.00",
];

/// A bye scores like a won encounter, and counts in the tie-breaks as one against an opponent with
/// as many points.
#[test]
fn a_bye_counts_as_a_win_against_an_equal() {
    let order: Vec<usize> = (0..3).collect();
    let (schedule, results) = play(&event_of(3, format(3, 2)), |planned| {
        by_strength(&order, planned)
    });
    let line = |line: &Standing| {
        let (byes, buchholz) = (line.byes, line.buchholz.unwrap());
        let tally = line.tally();
        format!(
            "{} {byes} {tally} {} {buchholz} {}",
            line.bot.get(),
            line.points,
            line.sonneborn_berger
        )
    };
    let lines: Vec<String> = standings(&schedule, &results).iter().map(line).collect();
    // Round 1: a beats b, c has a bye. Round 2: a beats c, b has a bye.
    assert_eq!(
        lines,
        [
            "0 0 4-0-0 4.0 4.0 8.00",
            "1 1 0-0-2 2.0 6.0 4.00",
            "2 1 0-0-2 2.0 6.0 4.00",
        ]
    );
}

proptest! {
    // Many rounds take long without optimisation.
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// No two bots meet twice, no bot has two byes, and all play in every round, except one if their
    /// number is odd.
    #[test]
    fn no_two_bots_meet_twice_and_byes_are_single(bots in 2_usize..18, seed in any::<u64>()) {
        let rounds = most_swiss_rounds(bots);
        let (schedule, _) = play(&event_of(bots, format(bots, rounds)), |planned| out_of(seed, planned));
        let mut met: HashSet<[BotIndex; 2]> = HashSet::new();
        let mut byes: HashMap<BotIndex, u32> = HashMap::new();
        prop_assert_eq!(schedule.rounds().count(), rounds as usize);
        for round in schedule.rounds() {
            for planned in round.iter().filter(|each| each.slot.leg == Leg::One) {
                let [one, other] = planned.bots;
                prop_assert!(met.insert([one.min(other), one.max(other)]));
            }
            let idle = schedule.idle(round);
            prop_assert_eq!(idle.len(), bots % 2);
            for bot in idle {
                *byes.entry(bot).or_default() += 1;
            }
        }
        prop_assert!(byes.values().all(|count| *count == 1));
        prop_assert_eq!(schedule.matches().len() as u64, schedule.event().most_matches());
    }

    /// If the stronger bot always wins, the strongest wins everything.
    #[test]
    fn the_strongest_comes_first(
        order in (2_usize..18).prop_flat_map(|bots| Just((0..bots).collect::<Vec<_>>()).prop_shuffle()),
    ) {
        let rounds = order.len().next_power_of_two().ilog2();
        let event = event_of(order.len(), format(order.len(), rounds));
        let (schedule, results) = play(&event, |planned| by_strength(&order, planned));
        let lines = standings(&schedule, &results);
        prop_assert_eq!(lines[0].bot.get(), order[0]);
        prop_assert_eq!((lines[0].place.rank, lines[0].place.shared), (1, false));
    }
}
