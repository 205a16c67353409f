use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_domain::{Command, Rejection, RequestAnswer};
use dragontooth_service_vocabulary::{
    Audience, FailureText, MatchEvent, MatchOutcome, NewMatch, PlayerId, Termination, Visibility,
};

use crate::people::{
    ANN, BOB, EVE, HOST, OPERATOR, WAIT, abort, abort_as_operator, decline, grace, join, new_match,
    reason, request, resign, waiting,
};
use crate::table::{START, Table, Then, check, check_refused};

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
        outcome: MatchOutcome {
            failure: failure.clone(),
            ..MatchOutcome::new(Some(Seat::First), Termination::Resignation)
        },
        request_id: request("r"),
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
fn an_operator_may_abort_any_match_until_the_end() {
    let private = NewMatch {
        audience: Audience::new(Visibility::Private, Duration::ZERO).unwrap(),
        ..waiting()
    };
    let open = Table::of(&private);
    let both = Table::started_by(ANN, &waiting());
    let played = both.clone().played("a1a7");
    let abort = abort_as_operator(OPERATOR, "it hangs", "r");
    for table in [&open, &both, &played] {
        let outcome = MatchOutcome {
            aborted_by: Some(OPERATOR),
            reason: reason("it hangs"),
            ..MatchOutcome::new(None, Termination::Aborted)
        };
        let ended = MatchEvent::MatchEnded {
            outcome,
            request_id: request("r"),
        };
        check(table, &abort, &Then::Events(vec![ended]));
        let over = table.clone().given(&abort);
        check(&over, &abort, &Then::Answered(RequestAnswer::Ended));
        let others = [
            (
                abort_as_operator(OPERATOR, "another", "r"),
                Rejection::RequestIdReused,
            ),
            (
                abort_as_operator(OPERATOR, "it hangs", "s"),
                Rejection::Ended,
            ),
            (abort_as_operator(EVE, "it hangs", "r"), Rejection::Ended),
        ];
        for (other, why) in others {
            check_refused(&over, &other, why);
        }
    }
}

#[test]
fn an_invited_player_may_decline_until_it_joins() {
    let open = Table::of(&waiting());
    let one = open.clone().given(&join(ANN, None));
    for (table, why) in [(&open, ""), (&one, "busy")] {
        let outcome = MatchOutcome {
            aborted_by: Some(BOB),
            reason: reason(why),
            ..MatchOutcome::new(None, Termination::Declined)
        };
        let ended = MatchEvent::MatchEnded {
            outcome,
            request_id: request("r"),
        };
        check(table, &decline(BOB, why, "r"), &Then::Events(vec![ended]));
        for player in [ANN, HOST, EVE] {
            check_refused(table, &decline(player, "", ""), Rejection::NotInvited);
        }
        let over = table.clone().given(&decline(BOB, why, "r"));
        check(
            &over,
            &decline(BOB, why, "r"),
            &Then::Answered(RequestAnswer::Ended),
        );
        check_refused(
            &over,
            &decline(BOB, "other", "r"),
            Rejection::RequestIdReused,
        );
        check_refused(&over, &decline(BOB, why, ""), Rejection::Ended);
        check_refused(&over, &join(BOB, None), Rejection::Ended);
    }
    let both = one.given(&join(BOB, None));
    check_refused(&both, &decline(BOB, "", ""), Rejection::NotInvited);
}

#[test]
fn a_match_with_a_free_seat_expires() {
    let moment = Duration::from_micros(1);
    let nothing = Then::Events(Vec::new());
    let expired = Then::Events(vec![MatchEvent::MatchEnded {
        outcome: MatchOutcome::new(None, Termination::Expired),
        request_id: None,
    }]);
    let open = Table::of(&waiting());
    let one = open.clone().given(&join(ANN, None));
    let both = one.clone().given(&join(BOB, None));
    for table in [&open, &one] {
        assert_eq!(table.state.join_deadline(), Some(START.after(WAIT)));
        let before = table.clone().after(WAIT.saturating_sub(moment));
        check(&before, &Command::CheckClock, &nothing);
        let late = table.clone().after(WAIT);
        check(&late, &Command::CheckClock, &expired);
        for asked in [
            join(BOB, None),
            decline(BOB, "", ""),
            abort(HOST, ""),
            abort_as_operator(OPERATOR, "it hangs", ""),
        ] {
            check_refused(&late, &asked, Rejection::Ended);
        }
    }
    assert_eq!(both.state.join_deadline(), None);
    check(&both.after(WAIT * 2), &Command::CheckClock, &nothing);
}

#[test]
fn a_match_of_an_earlier_version_expires_by_the_time_of_the_service() {
    let mut open = Table::of(&new_match());
    assert_eq!(open.state.join_deadline(), None);
    open.state.limit_joining(WAIT);
    assert_eq!(open.state.join_deadline(), Some(START.after(WAIT)));
    // The time in the log holds.
    let mut other = Table::of(&waiting());
    other.state.limit_joining(WAIT * 2);
    assert_eq!(other.state.join_deadline(), Some(START.after(WAIT)));
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
        outcome: MatchOutcome::new(winner, Termination::Disconnect),
        request_id: None,
    }])
}

fn resigned(winner: Seat, id: &str) -> Then {
    Then::Events(vec![MatchEvent::MatchEnded {
        outcome: MatchOutcome::new(Some(winner), Termination::Resignation),
        request_id: request(id),
    }])
}

fn aborted(by: PlayerId, id: &str) -> Then {
    Then::Events(vec![MatchEvent::MatchEnded {
        outcome: MatchOutcome {
            aborted_by: Some(by),
            ..MatchOutcome::new(None, Termination::Aborted)
        },
        request_id: request(id),
    }])
}
