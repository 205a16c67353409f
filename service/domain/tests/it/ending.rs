use dragontooth_games::Seat;
use dragontooth_service_domain::{Command, Rejection};
use dragontooth_service_vocabulary::{FailureText, MatchEvent, NewMatch, PlayerId, Termination};

use crate::people::{ANN, BOB, EVE, HOST, abort, grace, join, new_match, request, resign};
use crate::table::{Table, Then, check, check_refused};

#[test]
fn a_player_resigns_at_any_time_of_the_play() {
    for table in [
        Table::started(&new_match()),
        Table::started(&new_match()).played("a1a7"),
    ] {
        check(&table, &resign(ANN, "r"), &resigned(Seat::Second, "r"));
        check(&table, &resign(BOB, ""), &resigned(Seat::First, ""));
    }
}

#[test]
fn a_resignation_because_of_a_failure_tells_it() {
    let failure = FailureText::new("the engine fell over").ok();
    let resign = Command::Resign {
        player: BOB,
        failure: failure.clone(),
        request_id: request("r"),
    };
    let table = Table::started(&new_match());
    let ended = MatchEvent::MatchEnded {
        winner: Some(Seat::First),
        termination: Termination::Resignation,
        request_id: request("r"),
        aborted_by: None,
        failure: failure.clone(),
    };
    check(&table, &resign, &Then::Events(vec![ended]));
    let over = table.given(&resign);
    assert_eq!(over.state.result().unwrap().failure, failure);
}

#[test]
fn only_who_plays_may_resign() {
    let open = Table::of(&new_match());
    check_refused(&open, &resign(HOST, ""), Rejection::NoSeat);
    let one = open.given(&join(ANN, None));
    check_refused(&one, &resign(ANN, ""), Rejection::NotStarted);
    let both = one.given(&join(BOB, None));
    for stranger in [HOST, EVE] {
        check_refused(&both, &resign(stranger, ""), Rejection::NoSeat);
    }
    let over = both.given(&resign(BOB, ""));
    for player in [ANN, BOB] {
        check_refused(&over, &resign(player, ""), Rejection::Ended);
    }
}

#[test]
fn whoever_is_away_for_too_long_loses() {
    let fresh = Table::started(&with_grace());
    let played = fresh.clone().played("a1a7");
    // Before the first action too: the first position has been seen.
    for table in [fresh, played] {
        for seat in Seat::BOTH {
            check(&table, &end_grace(seat, false), &left(Some(seat.other())));
            check(&table, &end_grace(seat, true), &left(None));
        }
    }
}

#[test]
fn no_grace_ends_where_none_runs() {
    let nothing = Then::Events(Vec::new());
    let without = Table::started(&new_match()).played("a1a7");
    let open = Table::of(&with_grace()).given(&join(ANN, None));
    let over = Table::started(&with_grace()).given(&resign(ANN, ""));
    for table in [without, open, over] {
        check(&table, &end_grace(Seat::First, false), &nothing);
    }
}

#[test]
fn the_creator_may_abort_until_the_end() {
    let open = Table::of(&new_match());
    let one = open.clone().given(&join(ANN, None));
    let both = one.clone().given(&join(BOB, None));
    let played = both.clone().played("a1a7");
    for table in [&open, &one, &both, &played] {
        check(table, &abort(HOST, "r"), &aborted(HOST, "r"));
        check_refused(table, &abort(EVE, "r"), Rejection::AbortDenied);
        let over = table.clone().given(&abort(HOST, ""));
        check_refused(&over, &abort(HOST, ""), Rejection::Ended);
        check_refused(&over, &abort(EVE, ""), Rejection::AbortDenied);
    }
}

/// From then on it has seen the first position: it cannot undo the match and try for another.
#[test]
fn a_player_may_abort_until_both_seats_are_taken() {
    let one = Table::of(&new_match()).given(&join(ANN, None));
    check(&one, &abort(ANN, ""), &aborted(ANN, ""));
    check_refused(&one, &abort(BOB, ""), Rejection::AbortDenied);
    let both = one.given(&join(BOB, None));
    let played = both.clone().played("a1a7");
    for player in [ANN, BOB] {
        check_refused(&both, &abort(player, "r"), Rejection::AbortDenied);
        check_refused(&played, &abort(player, ""), Rejection::AbortDenied);
    }
}

#[test]
fn a_creator_that_plays_may_abort_no_longer_than_any_player() {
    let one = Table::of(&new_match()).given(&join(HOST, None));
    check(&one, &abort(HOST, "r"), &aborted(HOST, "r"));
    let both = one.given(&join(BOB, None));
    let played = both.clone().played("a1a7");
    for table in [&both, &played] {
        check_refused(table, &abort(HOST, "r"), Rejection::AbortDenied);
        check(table, &resign(HOST, ""), &resigned(Seat::Second, ""));
    }
}

#[test]
fn an_aborted_match_has_no_winner() {
    let table = Table::started(&new_match()).given(&abort(HOST, ""));
    let result = table.state.result().unwrap();
    assert_eq!(result.winner, None);
    assert_eq!(result.termination, Termination::Aborted);
    assert_eq!(result.aborted_by, Some(HOST));
    assert_eq!(table.state.ended_at(), Some(table.now));
    assert_eq!(table.state.due(), None);
}

fn with_grace() -> NewMatch {
    NewMatch {
        disconnect_grace: Some(grace(10)),
        ..new_match()
    }
}

fn end_grace(seat: Seat, opponent_away: bool) -> Command {
    Command::EndGrace {
        seat,
        opponent_away,
    }
}

fn left(winner: Option<Seat>) -> Then {
    Then::Events(vec![MatchEvent::MatchEnded {
        winner,
        termination: Termination::Disconnect,
        request_id: None,
        aborted_by: None,
        failure: None,
    }])
}

fn resigned(winner: Seat, id: &str) -> Then {
    Then::Events(vec![MatchEvent::MatchEnded {
        winner: Some(winner),
        termination: Termination::Resignation,
        request_id: request(id),
        aborted_by: None,
        failure: None,
    }])
}

fn aborted(by: PlayerId, id: &str) -> Then {
    Then::Events(vec![MatchEvent::MatchEnded {
        winner: None,
        termination: Termination::Aborted,
        request_id: request(id),
        aborted_by: Some(by),
        failure: None,
    }])
}
