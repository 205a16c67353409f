use std::collections::{HashMap, HashSet};

use dragontooth_games::Seat;
use dragontooth_runner_tournament::{
    BotIndex, Event, Format, InvalidEvent, InvalidName, Leg, MAX_BOTS, MatchRules, Name, Schedule,
    Slot, bot_seed,
};
use proptest::prelude::*;

use crate::fixture::{event, schedule};

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

proptest! {
    #[test]
    fn every_two_bots_meet_equally_often_and_in_both_seats(bots in 2_usize..20, cycles in 1_u32..5) {
        let schedule = schedule(bots, cycles);
        let mut meetings: HashMap<(BotIndex, BotIndex), u32> = HashMap::new();
        for planned in schedule.matches() {
            *meetings.entry((planned.bot(Seat::First), planned.bot(Seat::Second))).or_default() += 1;
        }
        prop_assert_eq!(meetings.len(), bots * (bots - 1));
        prop_assert!(meetings.iter().all(|((a, b), times)| a != b && *times == cycles));
        prop_assert_eq!(schedule.matches().len() as u64, schedule.event().most_matches());
    }

    #[test]
    fn no_bot_is_in_two_pairings_of_a_round_and_byes_are_fair(
        bots in 2_usize..20,
        cycles in 1_u32..4,
    ) {
        let schedule = schedule(bots, cycles);
        let mut byes: HashMap<BotIndex, u32> = HashMap::new();
        let rounds = bots.next_multiple_of(2) - 1;
        prop_assert_eq!(schedule.rounds().count(), rounds * cycles as usize);
        for round in schedule.rounds() {
            let mut busy = HashSet::new();
            for planned in round.iter().filter(|each| each.slot.leg == Leg::One) {
                prop_assert!(busy.insert(planned.bots[0]) && busy.insert(planned.bots[1]));
            }
            let idle: Vec<BotIndex> =
                schedule.event().bot_indices().filter(|bot| !busy.contains(bot)).collect();
            prop_assert_eq!(schedule.idle(round), idle.clone());
            for bot in idle {
                *byes.entry(bot).or_default() += 1;
            }
        }
        let expected = if bots % 2 == 1 { bots } else { 0 };
        prop_assert_eq!(byes.len(), expected);
        prop_assert!(byes.values().all(|count| *count == cycles));
    }

    /// A bot's settings, such as its time, go with the bot and not with the seat.
    #[test]
    fn settings_follow_the_bot_when_seats_are_swapped(bots in 2_usize..12) {
        let schedule = schedule(bots, 2);
        let numbers: Vec<usize> = (0..bots).collect();
        let mut of_encounters: HashMap<u32, Vec<[usize; 2]>> = HashMap::new();
        for planned in schedule.matches() {
            let by_seat = planned.by_seat(&numbers);
            for seat in Seat::BOTH {
                prop_assert_eq!(by_seat[seat.index()], planned.bot(seat).get());
            }
            of_encounters.entry(planned.encounter).or_default().push(by_seat);
        }
        for pair in of_encounters.values() {
            let [first, second] = pair[..] else { panic!("{pair:?}") };
            prop_assert_eq!(first, [second[1], second[0]]);
        }
    }

    #[test]
    fn an_encounter_is_two_matches_with_swapped_seats(
        bots in 2_usize..12,
        cycles in 1_u32..4,
    ) {
        let schedule = schedule(bots, cycles);
        for (encounter, legs) in (1..).zip(schedule.matches().chunks(2)) {
            let [one, two] = legs else { panic!("an encounter has two matches") };
            prop_assert_eq!((one.encounter, two.encounter), (encounter, encounter));
            prop_assert_eq!((one.slot.leg, two.slot.leg), (Leg::One, Leg::Two));
            prop_assert_eq!(one.bots, [two.bots[1], two.bots[0]]);
        }
    }

    #[test]
    fn seats_are_reversed_in_each_next_cycle(bots in 2_usize..12) {
        let schedule = schedule(bots, 2);
        let (front, back) = schedule.matches().split_at(schedule.matches().len() / 2);
        for (one, two) in front.iter().zip(back) {
            prop_assert_eq!(one.bots, [two.bots[1], two.bots[0]]);
            prop_assert_eq!(Slot { cycle: 2, ..one.slot }, two.slot);
        }
    }

    #[test]
    fn titles_and_ids_are_unique_and_found_again(bots in 2_usize..9, cycles in 1_u32..4) {
        let schedule = schedule(bots, cycles);
        let mut seen = HashSet::new();
        for (number, planned) in schedule.matches().iter().enumerate() {
            prop_assert_eq!(planned.number.get(), number);
            let title = schedule.title(planned);
            prop_assert_eq!(schedule.find(&title), Some(planned));
            prop_assert!(seen.insert(title));
            prop_assert!(seen.insert(schedule.request_id(planned).to_string()));
            prop_assert_eq!(planned.slot.to_string().parse(), Ok(planned.slot));
        }
    }

    #[test]
    fn more_cycles_only_add_matches(bots in 2_usize..9, cycles in 1_u32..4) {
        let (short, long) = (schedule(bots, cycles), schedule(bots, cycles + 1));
        for (one, other) in short.matches().iter().zip(long.matches()) {
            prop_assert_eq!(one, other);
            prop_assert_eq!(short.request_id(one), long.request_id(other));
        }
    }
}

/// Fixed values: a change of these ids would break every unfinished run.
#[test]
fn identities_never_change() {
    let schedule = schedule(3, 1);
    let first = &schedule.matches()[0];
    assert_eq!(schedule.title(first), "demo/c1/r1/p1/m1");
    assert_eq!(
        schedule.request_id(first).to_string(),
        "9cfd9df2-d372-5392-882a-ec43f1c3ea34"
    );
    assert_eq!(bot_seed(7, &name("b")), 2_126_711_581_197_127_868);
}

#[test]
fn three_bots_play_three_rounds() {
    let schedule = schedule(3, 1);
    let lines: Vec<String> = schedule
        .matches()
        .iter()
        .map(|planned| {
            let bot = |seat| schedule.event().bot(planned.bot(seat)).to_string();
            format!(
                "{} {}-{}",
                planned.slot,
                bot(Seat::First),
                bot(Seat::Second)
            )
        })
        .collect();
    let expected = [
        "c1/r1/p1/m1 b-c",
        "c1/r1/p1/m2 c-b",
        "c1/r2/p1/m1 a-b",
        "c1/r2/p1/m2 b-a",
        "c1/r3/p1/m1 c-a",
        "c1/r3/p1/m2 a-c",
    ];
    assert_eq!(lines, expected);
    let byes: Vec<Vec<usize>> = schedule
        .rounds()
        .map(|round| schedule.idle(round).iter().map(|bot| bot.get()).collect())
        .collect();
    assert_eq!(byes, [[0], [2], [1]]);
}

#[test]
fn the_seed_changes_ids_and_the_bots_seeds_but_not_the_pairings() {
    let rules = MatchRules::new("kamisado", None, 3).unwrap();
    let with_seed = |seed| {
        let bots = vec![name("a"), name("b")];
        let format = Format::RoundRobin { cycles: 1 };
        Schedule::new(Event::new(name("demo"), seed, rules, bots, format).unwrap())
    };
    let (one, two) = (with_seed(1), with_seed(2));
    assert_eq!(one.matches(), two.matches());
    let planned = &one.matches()[0];
    assert_ne!(one.request_id(planned), two.request_id(planned));
    assert_ne!(bot_seed(1, &name("a")), bot_seed(2, &name("a")));
    assert_ne!(bot_seed(1, &name("a")), bot_seed(1, &name("b")));
}

#[test]
fn foreign_titles_are_not_found() {
    let schedule = schedule(4, 1);
    for title in [
        "",
        "demo",
        "demo/",
        "demo/c1/r1/p1",
        "demo/c1/r1/p1/m3",
        "demo/c1/r1/p1/m0",
        "demo/c1/r1/p1/m1/",
        "demo/c01/r1/p1/m1",
        "demo/c+1/r1/p1/m1",
        "demo/c2/r1/p1/m1",
        "demo/c1/r4/p1/m1",
        "demo/c1/r1/p3/m1",
        "demo/c99999999999/r1/p1/m1",
        "other/c1/r1/p1/m1",
        "demo2/c1/r1/p1/m1",
    ] {
        assert_eq!(schedule.find(title), None, "{title}");
    }
}

#[test]
fn bad_events_are_refused() {
    let rules = MatchRules::new("kamisado", None, 3).unwrap();
    let make = |bots: Vec<Name>, cycles| {
        Event::new(name("demo"), 1, rules, bots, Format::RoundRobin { cycles })
    };
    let many = |count: usize| {
        (0..count)
            .map(|i| name(&format!("b{i}")))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        make(many(1), 1).unwrap_err(),
        InvalidEvent::TooFewBots { bots: 1, least: 2 }
    );
    assert_eq!(
        make(many(MAX_BOTS + 1), 1).unwrap_err(),
        InvalidEvent::TooManyBots(MAX_BOTS + 1)
    );
    let twins = vec![name("a"), name("b"), name("a")];
    assert_eq!(
        make(twins, 1).unwrap_err(),
        InvalidEvent::DuplicateBot(name("a"))
    );
    assert_eq!(make(many(2), 0).unwrap_err(), InvalidEvent::BadCycles(0));
    assert!(make(many(MAX_BOTS), 15).is_ok());
    let error = make(many(MAX_BOTS), 16).unwrap_err();
    assert_eq!(
        error.to_string(),
        "256 bots and 16 cycles make 1044480 matches; the limit is 1000000"
    );
}

#[test]
fn rules_come_from_the_catalogue() {
    let rules = MatchRules::new("kamisado", Some("random"), 15).unwrap();
    assert_eq!(
        (rules.game(), rules.variant(), rules.target()),
        ("kamisado", "random", 15)
    );
    assert_eq!(event(2, 1).rules().variant(), "standard");
    assert!(MatchRules::new("chess", None, 3).is_err());
    assert!(MatchRules::new("kamisado", Some("wild"), 3).is_err());
    assert!(MatchRules::new("kamisado", None, 2).is_err());
}

#[test]
fn names_are_plain() {
    for good in ["a", "Alpha-Beta_2.0+x", "9", &"x".repeat(64)] {
        assert_eq!(Name::new(good).unwrap().as_str(), good);
    }
    assert_eq!(Name::new(""), Err(InvalidName::Empty));
    assert_eq!(Name::new(&"x".repeat(65)), Err(InvalidName::TooLong(65)));
    assert_eq!(Name::new(".."), Err(InvalidName::OddStart('.')));
    assert_eq!(Name::new("-x"), Err(InvalidName::OddStart('-')));
    for (odd, character, position) in [
        ("a b", ' ', 2),
        ("a/b", '/', 2),
        ("é", 'é', 1),
        ("a\n", '\n', 2),
        ("a|b", '|', 2),
        ("p\u{430}ypal", '\u{430}', 2),
        ("éa\u{202e}", 'é', 1),
        ("ann\u{202e}", '\u{202e}', 4),
        ("\u{200b}ann", '\u{200b}', 1),
    ] {
        let refused = InvalidName::OddCharacter {
            character,
            position,
        };
        assert_eq!(Name::new(odd), Err(refused));
    }
    let refused = Name::new("ann\u{202e}").unwrap_err().to_string();
    assert!(
        refused.ends_with("not '\\u{202e}' (character 4, U+202E)"),
        "{refused}"
    );
}
