use dragontooth_games::Seat;
use dragontooth_service_domain::{Command, REMEMBERED_REQUESTS, Rejection, RequestAnswer};
use dragontooth_service_vocabulary::{FailureText, NewMatch, Sequence};

use crate::people::{ANN, BOB, EVE, HOST, abort, act, join, new_match, request, resign};
use crate::table::{Table, Then, check, check_refused};

#[test]
fn a_repeated_action_gets_the_first_answer() {
    let request = act(ANN, 4, "c1a3", "1");
    let mut table = Table::started(&new_match()).given(&request);
    let answer = RequestAnswer::Acted {
        seat: Seat::First,
        decision: Sequence(4),
        sequence: Sequence(5),
        action: "c1a3".to_owned(),
        written: "c1a3".to_owned(),
    };
    let again = Then::Answered(answer);
    check(&table, &request, &again);
    table = table.played("b8h2");
    check(&table, &request, &again);
    // The match ends with this, by the rules.
    table = table.played("a3e7");
    check(&table, &request, &again);
}

#[test]
fn the_request_that_ended_the_match_is_answered_again() {
    let last = act(ANN, 6, "a3e7", "last");
    let table = Table::started(&new_match())
        .played("c1a3 b8h2")
        .given(&last);
    assert!(table.state.result().is_some());
    assert!(matches!(table.clone().when(&last), Then::Answered(_)));

    let started = Table::started(&new_match());
    let open = Table::of(&new_match()).given(&join(ANN, None));
    for (table, last) in [
        (&started, resign(BOB, "end")),
        (&started, abort(HOST, "end")),
        (&open, abort(ANN, "end")),
    ] {
        let table = table.clone().given(&last);
        check(&table, &last, &Then::Answered(RequestAnswer::Ended));
    }
}

#[test]
fn a_request_id_stands_for_one_request() {
    let table = Table::started(&new_match()).given(&act(ANN, 4, "c1a3", "1"));
    for other in [
        act(ANN, 4, "c1a4", "1"),
        act(ANN, 5, "c1a3", "1"),
        act(ANN, 4, "", "1"),
        resign(ANN, "1"),
    ] {
        check_refused(&table, &other, Rejection::RequestIdReused);
    }
    let over = table.clone().given(&resign(ANN, "2"));
    check_refused(&over, &act(ANN, 4, "c1a3", "2"), Rejection::RequestIdReused);

    let mut joined = join(ANN, None);
    if let Command::Join { request_id, .. } = &mut joined {
        *request_id = request("1");
    }
    let open = Table::of(&new_match()).given(&joined);
    check_refused(&open, &abort(ANN, "1"), Rejection::RequestIdReused);
}

/// The cause of a resignation is part of the request.
#[test]
fn a_resignation_with_another_cause_is_another_request() {
    let failed = |failure: &str| Command::Resign {
        player: ANN,
        failure: FailureText::new(failure).ok(),
        request_id: request("1"),
    };
    for (first, others) in [("it fell", ["", "it froze"]), ("", ["it fell", "it froze"])] {
        let table = Table::started(&new_match()).given(&failed(first));
        check(
            &table,
            &failed(first),
            &Then::Answered(RequestAnswer::Ended),
        );
        for other in others {
            check_refused(&table, &failed(other), Rejection::RequestIdReused);
        }
    }
}

/// A player and the creator may both abort an open match, each with its own ids.
#[test]
fn an_abort_of_somebody_else_is_no_repetition() {
    let open = Table::of(&new_match()).given(&join(ANN, None));
    for (first, second) in [(ANN, HOST), (HOST, ANN)] {
        let table = open.clone().given(&abort(first, "1"));
        check(
            &table,
            &abort(first, "1"),
            &Then::Answered(RequestAnswer::Ended),
        );
        check_refused(&table, &abort(second, "1"), Rejection::Ended);
    }
}

/// Bots that number their requests have the same numbers.
#[test]
fn every_player_has_its_own_request_ids() {
    let table = Table::started(&new_match())
        .given(&act(ANN, 4, "c1a3", "1"))
        .given(&act(BOB, 5, "b8h2", "1"));
    let sequence_of = |command| match table.clone().when(&command) {
        Then::Answered(RequestAnswer::Acted { sequence, .. }) => sequence.0,
        then @ (Then::Answered(_) | Then::Events(_) | Then::Refused(_) | Then::RefusedWith(..)) => {
            panic!("{then:?}")
        }
    };
    assert_eq!(sequence_of(act(ANN, 4, "c1a3", "1")), 5);
    assert_eq!(sequence_of(act(BOB, 5, "b8h2", "1")), 6);
    check_refused(&table, &act(EVE, 4, "c1a3", "1"), Rejection::NoSeat);

    let over = table.given(&resign(ANN, "2"));
    check_refused(&over, &resign(BOB, "2"), Rejection::Ended);
    check_refused(&over, &abort(HOST, "2"), Rejection::Ended);
    let aborted = Table::started(&new_match()).given(&abort(HOST, "3"));
    check_refused(&aborted, &resign(BOB, "3"), Rejection::Ended);
    check_refused(&aborted, &abort(EVE, "3"), Rejection::AbortDenied);
}

#[test]
fn a_request_without_an_id_is_always_new() {
    let table = Table::started(&new_match()).given(&act(ANN, 4, "c1a3", ""));
    let stale = Rejection::StaleDecision {
        named: Sequence(4),
        due: Sequence(5),
    };
    check_refused(&table, &act(ANN, 4, "c1a3", ""), stale);
    let over = table.given(&resign(ANN, ""));
    check_refused(&over, &resign(ANN, ""), Rejection::Ended);
}

#[test]
fn a_refused_request_may_be_mended_under_the_same_id() {
    let mut table = Table::started(&new_match());
    assert!(matches!(
        table.when(&act(ANN, 4, "a1a8", "1")),
        Then::Refused(_)
    ));
    table = table.given(&act(ANN, 4, "a1a7", "1"));
    assert_eq!(table.state.ply(), 1);
}

#[test]
fn the_latest_requests_are_remembered() {
    let long = NewMatch {
        target: 15,
        ..new_match()
    };
    let mut table = Table::started(&long);
    let mut requests = Vec::new();
    while requests.len() <= REMEMBERED_REQUESTS {
        let due = table.state.due().unwrap();
        let action = table.state.play().legal_actions().swap_remove(0);
        let request = act(
            table.player(due.seat),
            due.decision.0,
            &action,
            &format!("request-{}", requests.len()),
        );
        table = table.given(&request);
        requests.push(request);
    }
    let (forgotten, remembered) = requests.split_first().unwrap();
    for request in remembered {
        let then = table.clone().when(request);
        assert!(matches!(then, Then::Answered(_)), "{request:?}: {then:?}");
    }
    let due = table.state.due().unwrap().decision;
    let named = Sequence(4);
    check_refused(&table, forgotten, Rejection::StaleDecision { named, due });
}
