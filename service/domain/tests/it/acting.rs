use dragontooth_games::Seat;
use dragontooth_games::record::Thinking;
use dragontooth_service_domain::{Command, OfferedThinking, Rejection};
use dragontooth_service_vocabulary::{MatchEvent, MatchOutcome, NewMatch, Sequence, Termination};

use crate::people::{ANN, BOB, EVE, HOST, act, join, new_match, request, resign};
use crate::table::{Table, Then, check, check_refused};

#[test]
fn an_action_is_played_and_the_other_seat_decides() {
    let mut table = Table::started(&new_match());
    assert_eq!(table.decision(), 4);
    let then = table.when(&act(ANN, 4, "a1a7", "r"));
    assert_eq!(
        then,
        Then::Events(vec![MatchEvent::ActionPlayed {
            seat: Seat::First,
            action: "a1a7".to_owned(),
            received: Some(table.now),
            remaining: None,
            request_id: request("r"),
            written: None,
            thinking: None,
        }])
    );
    let due = table.state.due().unwrap();
    assert_eq!((due.seat, due.decision), (Seat::Second, Sequence(5)));
    assert_eq!(table.state.ply(), 1);
}

/// The action counts with thoughts of every kind, and only those from the seat's own view are part of it.
#[test]
fn thoughts_are_recorded_from_the_view_of_the_seat_that_acts() {
    let thinking = Thinking::new(None, Some(7), None);
    for (seat, thinking, kept) in [
        (None, thinking.clone(), true),
        (Some(Seat::First), thinking.clone(), true),
        (Some(Seat::Second), thinking.clone(), false),
        (None, Thinking::default(), false),
    ] {
        let offered = OfferedThinking {
            seat,
            thinking: thinking.clone(),
        };
        let mut table = Table::started(&new_match());
        let thoughtful = Command::Act {
            player: ANN,
            decision: Sequence(4),
            action: "a1a7".to_owned(),
            thinking: Some(Box::new(offered)),
            request_id: request("r"),
        };
        let Then::Events(events) = table.when(&thoughtful) else {
            panic!("the action counts");
        };
        let MatchEvent::ActionPlayed {
            thinking: found, ..
        } = &events[0]
        else {
            panic!("it is an action");
        };
        assert_eq!(found.as_deref(), kept.then_some(&thinking), "{seat:?}");
        // The same answer without its thoughts is the same request.
        let again = table.when(&act(ANN, 4, "a1a7", "r"));
        assert!(matches!(again, Then::Answered(_)), "{again:?}");
    }
}

#[test]
fn only_the_seat_that_decides_may_act() {
    let open = Table::of(&new_match()).given(&join(ANN, None));
    check_refused(&open, &act(ANN, 2, "a1a7", ""), Rejection::NotStarted);
    check_refused(&open, &act(BOB, 2, "a1a7", ""), Rejection::NoSeat);

    let table = Table::started(&new_match());
    for stranger in [EVE, HOST] {
        check_refused(&table, &act(stranger, 4, "a1a7", ""), Rejection::NoSeat);
    }
    let not_yours = Rejection::NotYourTurn { due: Sequence(4) };
    check_refused(&table, &act(BOB, 4, "a1a7", ""), not_yours);

    let over = table.given(&resign(ANN, ""));
    for player in [ANN, BOB] {
        check_refused(&over, &act(player, 4, "a1a7", ""), Rejection::Ended);
    }
    check_refused(&over, &act(EVE, 4, "a1a7", ""), Rejection::NoSeat);
}

#[test]
fn an_answer_to_another_decision_is_stale() {
    let table = Table::started(&new_match()).played("a1a7");
    for (player, named) in [(BOB, 0), (BOB, 4), (BOB, 6), (BOB, u64::MAX), (ANN, 4)] {
        let stale = Rejection::StaleDecision {
            named: Sequence(named),
            due: Sequence(5),
        };
        check_refused(&table, &act(player, named, "a8a7", ""), stale);
    }
}

#[test]
fn an_action_must_be_of_the_game_and_legal() {
    let table = Table::started(&new_match());
    for text in ["", "pass", "a1", "a1a9", "A1a7", "a1a7 ", "é1a", "a1a7a1a7"] {
        let Then::Refused(why) = table.clone().when(&act(ANN, 4, text, "")) else {
            panic!("{text:?} is no action");
        };
        assert!(
            matches!(why, Rejection::UnreadableAction { left: None, .. }),
            "{text:?}: {why:?}"
        );
    }
    for (action, rule) in [
        ("a1a1", "M5"),
        ("a1b1", "M1"),
        ("a1b3", "M1"),
        ("a1a8", "M3"),
        ("a8a7", "T1"),
        ("a4a5", "T1"),
        ("left", "A1"),
    ] {
        let Then::Refused(why) = table.clone().when(&act(ANN, 4, action, "")) else {
            panic!("{action} is illegal");
        };
        assert!(
            matches!(&why, Rejection::IllegalAction { rule: named, .. } if *named == rule),
            "{action}: {why:?}"
        );
    }
    // Brown stands on a7 now, which is red: White has to move red.
    let table = table.played("a1a7");
    let Then::Refused(why) = table.clone().when(&act(BOB, 5, "h8h7", "")) else {
        panic!("another tower has to move");
    };
    assert_eq!(
        why.to_string(),
        "White must move the red tower on f8, not White's brown tower on h8 (rule T2)"
    );
}

/// The rules page's line with two passes and no deadlock.
#[test]
fn forced_passes_are_events_of_the_action_before() {
    let mut table = Table::started(&new_match()).played("d1d7 g8a2 f1f3");
    let passed = |seat| MatchEvent::TurnPassed { seat };
    assert_eq!(
        table.play("a8a4")[1..],
        [passed(Seat::First), passed(Seat::Second)]
    );
    let due = table.state.due().unwrap();
    assert_eq!((due.seat, due.decision), (Seat::First, Sequence(10)));
    assert_eq!(table.state.ply(), 4);
    assert_eq!(table.play("f3f4").len(), 1);
}

/// The rules page's shortest game: the opener runs into a deadlock with its second action.
#[test]
fn the_action_that_wins_the_match_ends_it() {
    let mut table = Table::started(&new_match()).played("c1a3 b8h2");
    assert_eq!(
        table.play("a3e7")[1..],
        [
            MatchEvent::TurnPassed { seat: Seat::Second },
            MatchEvent::TurnPassed { seat: Seat::First },
            MatchEvent::GameEnded {
                winner: Some(Seat::Second),
                points: 1,
                reason: "deadlock".to_owned(),
            },
            MatchEvent::MatchEnded {
                outcome: MatchOutcome::new(Some(Seat::Second), Termination::Normal),
                request_id: None,
            },
        ]
    );
    let result = table.state.result().unwrap();
    assert_eq!(result.winner, Some(Seat::Second));
    assert_eq!(result.termination, Termination::Normal);
    assert_eq!(table.state.due(), None);
    assert_eq!(table.state.deadline(), None);
}

#[test]
fn the_next_game_begins_with_the_choice_of_the_winner() {
    let to_three = NewMatch {
        target: 3,
        ..new_match()
    };
    let mut table = Table::started(&to_three).played("c1a3 b8h2");
    let events = table.play("a3e7");
    let Some(MatchEvent::GameStarted {
        number: 2,
        position: refill,
    }) = events.last()
    else {
        panic!("{events:?}");
    };
    assert!(refill.ends_with(" w *"), "{refill}");
    assert_eq!(refill.matches('+').count(), 1);
    assert_eq!(table.state.due().unwrap().seat, Seat::Second);
    assert_eq!(table.state.play().legal_actions(), ["left", "right"]);
    let decision = table.decision();
    let table = table.played("left");
    assert_eq!(table.state.due().unwrap().seat, Seat::First);
    check_refused(
        &table,
        &act(BOB, decision, "right", ""),
        Rejection::StaleDecision {
            named: Sequence(decision),
            due: Sequence(decision + 1),
        },
    );
    check(
        &table,
        &act(ANN, decision + 1, "a1a2", ""),
        &Then::Events(vec![MatchEvent::ActionPlayed {
            seat: Seat::First,
            action: "a1a2".to_owned(),
            received: Some(table.now),
            remaining: None,
            request_id: None,
            written: None,
            thinking: None,
        }]),
    );
}
