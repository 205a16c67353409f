//! Matches with a limit on illegal actions.

use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_domain::{Misfit, Rejection, replay};
use dragontooth_service_vocabulary::{
    IllegalActionLimit, InvalidIllegalActionLimit, MAX_ILLEGAL_ACTIONS, MatchEvent, MatchOutcome,
    NewMatch, Recorded, Sequence, Termination, TimeControl,
};

use crate::people::{ANN, BOB, EVE, act, new_match, request, resign};
use crate::table::{Table, Then, check_refused};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_limit_is_1_to_32() {
    for bad in [0, MAX_ILLEGAL_ACTIONS + 1, u32::MAX] {
        assert_eq!(IllegalActionLimit::new(bad), Err(InvalidIllegalActionLimit));
    }
    for good in [1, MAX_ILLEGAL_ACTIONS] {
        assert_eq!(IllegalActionLimit::new(good).unwrap().get(), good);
    }
    assert_eq!(
        InvalidIllegalActionLimit.to_string(),
        "a limit on illegal actions is 1 to 32"
    );
}

/// The third one loses, whether a rule forbids it or it is no action at all, and each tells how many are left.
#[test]
fn as_many_illegal_actions_as_the_limit_lose_the_match() {
    let mut table = Table::started(&limited(3)).played("a1a7");
    let told = [
        "; 2 more illegal actions at this decision lose the match",
        "; another illegal action loses the match",
        "; the match is lost by it",
    ];
    for (left, (action, told)) in ["h8h7", "rook", "f8a1"].into_iter().zip(told).enumerate() {
        let left = 2 - u32::try_from(left).unwrap();
        assert_eq!(table.state.illegal_actions_left(), Some(left + 1));
        let why = table.state.refusal_of(action).unwrap();
        let (events, rejection) = refused(&mut table, action, "");
        let (Rejection::IllegalAction { left: said, .. }
        | Rejection::UnreadableAction { left: said, .. }) = &rejection
        else {
            panic!("{rejection:?}");
        };
        assert_eq!(*said, Some(left));
        assert_eq!(rejection.to_string(), format!("{why}{told}"));
        let mut expected = vec![MatchEvent::ActionRefused {
            seat: Seat::Second,
            action: action.to_owned(),
            request_id: None,
        }];
        if left == 0 {
            expected.push(MatchEvent::MatchEnded {
                outcome: MatchOutcome::new(Some(Seat::First), Termination::IllegalAction),
                request_id: None,
            });
        }
        assert_eq!(events, expected);
    }
    let result = table.state.result().unwrap();
    assert_eq!(result.winner, Some(Seat::First));
    assert_eq!(result.termination, Termination::IllegalAction);
    assert_eq!(table.state.ply(), 1);
    check_refused(&table, &act(BOB, 5, "f8f7", ""), Rejection::Ended);
}

#[test]
fn the_first_one_may_be_one_too_many() {
    let mut table = Table::started(&limited(1));
    refused(&mut table, "a1a1", "");
    assert_eq!(table.state.result().unwrap().winner, Some(Seat::Second));
}

#[test]
fn every_decision_has_all_of_them() {
    let mut table = Table::started(&limited(2));
    for action in ["a1a7", "f8f4", "d1d4"] {
        assert_eq!(table.state.illegal_actions_left(), Some(2));
        let (due, seat) = (table.decision(), table.state.due().unwrap().seat);
        refused(&mut table, "a1a1", "");
        assert_eq!(table.state.illegal_actions_left(), Some(1));
        assert_eq!(
            (table.decision(), table.state.due().unwrap().seat),
            (due, seat)
        );
        if table
            .state
            .play()
            .legal_actions()
            .contains(&action.to_owned())
        {
            table.play(action);
        } else {
            let legal = table.state.play().legal_actions().remove(0);
            table.play(&legal);
        }
    }
    assert!(table.state.result().is_none());
}

/// Whoever may not answer, or answers something else, gives no illegal action.
#[test]
fn only_answers_to_the_decision_that_is_due_count() {
    let table = Table::started(&limited(1)).played("a1a7");
    for (player, decision) in [(ANN, 5), (BOB, 4), (BOB, 6), (EVE, 5)] {
        let Then::Refused(_) = table.clone().when(&act(player, decision, "a1a1", "")) else {
            panic!("nothing of it is recorded");
        };
    }
    let open = Table::of(&limited(1));
    check_refused(&open, &act(ANN, 1, "a1a1", ""), Rejection::NoSeat);
    assert_eq!(open.state.illegal_actions_left(), None);
}

#[test]
fn a_request_that_is_repeated_counts_once() {
    let mut table = Table::started(&limited(2));
    let (_, first) = refused(&mut table, "a1a1", "r");
    let again = act(ANN, 4, "a1a1", "r");
    for _ in 0..5 {
        check_refused(&table, &again, first.clone());
    }
    for other in ["a1b1", "a1a7"] {
        let reused = Rejection::RequestIdReused;
        check_refused(&table, &act(ANN, 4, other, "r"), reused);
    }
    check_refused(&table, &resign(ANN, "r"), Rejection::RequestIdReused);
    // Also when the decision has been answered, and when the match is over.
    let mut table = table.played("a1a7");
    check_refused(&table, &again, first.clone());
    refused(&mut table, "a1a1", "r");
    let (_, last) = refused(&mut table, "a1a1", "s");
    check_refused(&table, &again, first);
    check_refused(&table, &act(BOB, 6, "a1a1", "s"), last);
}

/// An illegal action gives no time.
#[test]
fn the_clock_goes_on() {
    let timed = NewMatch {
        time_controls: [Some(TimeControl::PerAction { limit: SECOND }); 2],
        ..limited(3)
    };
    let mut table = Table::started(&timed);
    let deadline = table.state.deadline();
    table = table.after(SECOND / 2);
    refused(&mut table, "a1a1", "");
    assert_eq!(table.state.deadline(), deadline);
    let table = table.after(SECOND / 2 + Duration::from_micros(1));
    check_refused(&table, &act(ANN, 4, "a1a1", ""), Rejection::Ended);
}

#[test]
fn a_log_has_only_what_was_refused() {
    let misfit = |table: &Table, event: MatchEvent| {
        let mut log = table.log.clone();
        log.push(Recorded {
            sequence: Sequence(log.len() as u64 + 1),
            time: table.now,
            event,
        });
        replay(&log).err().map(|inconsistent| inconsistent.why)
    };
    let event = |seat, action: &str| MatchEvent::ActionRefused {
        seat,
        action: action.to_owned(),
        request_id: request("r"),
    };
    let table = Table::started(&limited(1));
    assert_eq!(misfit(&table, event(Seat::First, "a1a1")), None);
    let legal = misfit(&table, event(Seat::First, "a1a7"));
    assert_eq!(legal, Some(Misfit::Refusal));
    let other = misfit(&table, event(Seat::Second, "a1a1"));
    assert_eq!(other, Some(Misfit::NotDue));
    let without = Table::started(&new_match());
    let unlimited = misfit(&without, event(Seat::First, "a1a1"));
    assert_eq!(unlimited, Some(Misfit::Refusal));
    let end = |winner| MatchEvent::MatchEnded {
        outcome: MatchOutcome::new(winner, Termination::IllegalAction),
        request_id: None,
    };
    for winner in [None, Some(Seat::First), Some(Seat::Second)] {
        assert_eq!(misfit(&table, end(winner)), Some(Misfit::MatchEnd));
    }
    // After the last one only the end can follow.
    let mut lost = table;
    refused(&mut lost, "a1a1", "");
    lost.log.pop();
    assert_eq!(misfit(&lost, end(Some(Seat::Second))), None);
    for winner in [None, Some(Seat::First)] {
        assert_eq!(misfit(&lost, end(winner)), Some(Misfit::MatchEnd));
    }
    let again = misfit(&lost, event(Seat::First, "a1a1"));
    assert_eq!(again, Some(Misfit::NotDue));
}

fn limited(actions: u32) -> NewMatch {
    NewMatch {
        illegal_action_limit: IllegalActionLimit::new(actions).ok(),
        ..new_match()
    }
}

/// Gives an illegal action to the decision that is due.
#[track_caller]
fn refused(table: &mut Table, action: &str, id: &str) -> (Vec<MatchEvent>, Rejection) {
    let due = table.state.due().unwrap();
    let command = act(table.player(due.seat), due.decision.0, action, id);
    match table.when(&command) {
        Then::RefusedWith(events, rejection) => (events, rejection),
        then @ (Then::Events(_) | Then::Answered(_) | Then::Refused(_)) => {
            panic!("{action} leads to {then:?}")
        }
    }
}
