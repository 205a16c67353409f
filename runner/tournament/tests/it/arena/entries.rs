//! The state that entries written by hand lead to.

use std::collections::BTreeSet;

use dragontooth_games::Seat;
use dragontooth_runner_tournament::arena::{
    ArenaEntry, ArenaRules, ArenaState, Contender, InvalidEntry, LegResult, PresentContender,
    Proposal,
};
use dragontooth_runner_tournament::{Ending, Fault, FaultKind, Leg, MovesDigest, Name};
use dragontooth_service_vocabulary::{BuildText, Termination};

fn anchor(name: &str) -> Contender {
    Contender::Anchor(Name::new(name).unwrap())
}

fn build(player: u8, build: &str) -> Contender {
    Contender::Build {
        player: format!("{player:032x}").parse().unwrap(),
        build: BuildText::new(build).unwrap(),
    }
}

fn arena() -> ArenaState {
    ArenaState::new(ArenaRules {
        seed: 1,
        anchors: vec![(Name::new("zero").unwrap(), 0.0)],
        pair_cap: 5,
        park_after: 2,
    })
}

fn paired(encounter: u64, contenders: [Contender; 2]) -> ArenaEntry {
    ArenaEntry::Paired {
        encounter,
        contenders,
        names: ["one".to_owned(), "other".to_owned()],
    }
}

fn ended(encounter: u64, leg: Leg, winner: Option<Seat>, moves: Option<u8>) -> ArenaEntry {
    ArenaEntry::Ended {
        encounter,
        leg,
        result: LegResult {
            winner,
            termination: Ending::By(Termination::Normal),
            moves: moves.map(|byte| MovesDigest::from_bytes([byte; 32])),
            faults: Vec::new(),
        },
    }
}

fn crashed(encounter: u64, leg: Leg, seat: Seat) -> ArenaEntry {
    ArenaEntry::Ended {
        encounter,
        leg,
        result: LegResult {
            winner: Some(seat.other()),
            termination: Ending::By(Termination::Resignation),
            moves: None,
            faults: vec![Fault {
                seat,
                kind: FaultKind::Crash,
                detail: "exit status 3".to_owned(),
            }],
        },
    }
}

fn all(state: &mut ArenaState, entries: &[ArenaEntry]) {
    for entry in entries {
        state.apply(entry).unwrap();
    }
}

fn present(contenders: &[Contender]) -> Vec<PresentContender> {
    let present = contenders.iter().map(|contender| PresentContender {
        contender: contender.clone(),
        free: 1,
    });
    present.collect()
}

#[test]
fn the_seats_are_swapped_in_the_second_leg() {
    let mut state = arena();
    let (one, other) = (build(1, "a"), build(2, "a"));
    all(
        &mut state,
        &[
            paired(1, [one.clone(), other.clone()]),
            ended(1, Leg::One, Some(Seat::First), None),
            ended(1, Leg::Two, Some(Seat::Second), None),
        ],
    );
    let met = state.head_to_head();
    assert_eq!(met.len(), 1);
    assert_eq!((met[0].matches, met[0].half_points), (2, 4));
    let ranking = state.ranking();
    assert_eq!(ranking.rows[0].contender, one);
    assert_eq!(ranking.rows[0].results, [2, 0, 0]);
}

#[test]
fn a_match_with_known_moves_counts_once() {
    let mut state = arena();
    for encounter in 1..=3 {
        all(
            &mut state,
            &[
                paired(encounter, [anchor("zero"), build(1, "a")]),
                ended(encounter, Leg::One, Some(Seat::First), Some(7)),
                ended(encounter, Leg::Two, Some(Seat::First), Some(8)),
            ],
        );
    }
    assert_eq!(state.counts().matches, 6);
    assert_eq!(state.counts().repeated, 4);
    assert_eq!(state.head_to_head()[0].matches, 2);
}

#[test]
fn a_new_build_enters_at_its_players_rating_with_a_wide_error() {
    let mut state = arena();
    for encounter in 1..=40 {
        all(
            &mut state,
            &[
                paired(encounter, [anchor("zero"), build(1, "a")]),
                ended(encounter, Leg::One, Some(Seat::Second), None),
                ended(
                    encounter,
                    Leg::Two,
                    (encounter % 2 == 0).then_some(Seat::First),
                    None,
                ),
            ],
        );
    }
    let old = state.ranking().rows[0].clone();
    assert!(old.rating.elo > 150.0 && old.is_latest, "{old:?}");
    all(
        &mut state,
        &[
            paired(41, [anchor("zero"), build(1, "b")]),
            ended(41, Leg::One, None, None),
        ],
    );
    let rows = state.ranking().rows;
    let of = |contender: Contender| rows.iter().find(|row| row.contender == contender).unwrap();
    let (before, after) = (of(build(1, "a")), of(build(1, "b")));
    assert!(!before.is_latest && after.is_latest);
    assert!((before.rating.elo - old.rating.elo).abs() < 20.0);
    assert!(after.rating.elo > 50.0 && after.rating.elo < before.rating.elo);
    assert!(after.rating.error() > 2.0 * before.rating.error());
    let frozen = of(anchor("zero")).rating;
    assert_eq!((frozen.elo, frozen.standard_error), (0.0, 0.0));
}

#[test]
fn faults_in_a_row_park_a_build_until_there_is_another() {
    let mut state = arena();
    let (bad, good) = (build(1, "bad"), build(2, ""));
    all(
        &mut state,
        &[
            paired(1, [bad.clone(), good.clone()]),
            crashed(1, Leg::One, Seat::First),
            crashed(1, Leg::Two, Seat::Second),
        ],
    );
    let reason = state.parked(&bad).unwrap();
    assert!(
        reason.contains("2 matches in a row") && reason.contains("crash: exit status 3"),
        "{reason}"
    );
    assert_eq!(state.parked(&good), None);
    let none = state.pair(&present(&[bad, good.clone()]), &BTreeSet::new(), 8);
    assert_eq!(none, []);
    let some = state.pair(&present(&[build(1, "better"), good]), &BTreeSet::new(), 8);
    assert_eq!(some.len(), 1);
}

#[test]
fn an_anchor_is_paired_whatever_faults_it_had() {
    let mut state = arena();
    let both = [anchor("zero"), build(1, "a")];
    for encounter in 1..=5 {
        all(
            &mut state,
            &[
                paired(encounter, both.clone()),
                crashed(encounter, Leg::One, Seat::First),
                crashed(encounter, Leg::Two, Seat::Second),
            ],
        );
    }
    assert_eq!(state.parked(&both[0]), None);
    let next = state.pair(&present(&both), &BTreeSet::new(), 8);
    assert_eq!(next.len(), 1);
    let rows = state.ranking().rows;
    assert!(rows.iter().all(|row| row.parked.is_none()), "{rows:?}");
}

#[test]
fn an_interrupted_encounter_is_resumed_unless_a_build_has_changed() {
    let mut state = arena();
    let both = [build(1, "a"), build(2, "a")];
    all(
        &mut state,
        &[paired(1, both.clone()), ended(1, Leg::One, None, None)],
    );
    let nothing = BTreeSet::new();
    assert_eq!(
        state.pair(&present(&both), &nothing, 8),
        [Proposal::Resume(1)]
    );
    assert_eq!(state.pair(&present(&both[..1]), &nothing, 8), []);
    assert_eq!(state.pair(&present(&both), &BTreeSet::from([1]), 8), []);
    all(&mut state, &[paired(2, [build(1, "b"), anchor("zero")])]);
    assert_eq!(state.missing_legs(1), None);
    // What was played counts.
    assert_eq!(state.head_to_head()[0].matches, 1);
    let late = state.apply(&ended(1, Leg::Two, None, None));
    assert_eq!(late, Err(InvalidEntry::NotOpen(1)));
}

#[test]
fn two_players_alone_go_on_meeting() {
    let mut state = arena();
    let both = [build(1, "a"), build(2, "a")];
    for encounter in 1..=50 {
        let proposals = state.pair(&present(&both), &BTreeSet::new(), 8);
        let [Proposal::Begin(contenders)] = &proposals[..] else {
            panic!("{proposals:?}");
        };
        all(
            &mut state,
            &[
                paired(encounter, contenders.clone()),
                ended(encounter, Leg::One, None, None),
                ended(encounter, Leg::Two, None, None),
            ],
        );
    }
}

#[test]
fn an_entry_that_does_not_follow_changes_nothing() {
    let mut state = arena();
    let fine = paired(1, [anchor("zero"), build(1, "a")]);
    for (entry, expected) in [
        (
            paired(2, [anchor("zero"), build(1, "a")]),
            InvalidEntry::OutOfOrder {
                expected: 1,
                found: 2,
            },
        ),
        (
            paired(1, [build(1, "a"), build(1, "b")]),
            InvalidEntry::Itself(build(1, "a")),
        ),
        (
            paired(1, [anchor("other"), build(1, "a")]),
            InvalidEntry::UnknownAnchor(anchor("other")),
        ),
        (ended(1, Leg::One, None, None), InvalidEntry::NotOpen(1)),
    ] {
        assert_eq!(state.apply(&entry), Err(expected));
    }
    all(&mut state, &[fine, ended(1, Leg::One, None, None)]);
    let twice = state.apply(&ended(1, Leg::One, None, None));
    assert_eq!(
        twice,
        Err(InvalidEntry::Twice {
            encounter: 1,
            leg: Leg::One,
        })
    );
    assert_eq!(state.counts().matches, 1);
}
