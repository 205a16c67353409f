use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_domain::{MatchState, Misfit, Replay, replay};
use dragontooth_service_vocabulary::{
    Created, MatchEvent, MatchOutcome, NewMatch, PlayerId, Recorded, Sequence, Termination,
    TimeControl,
};

use crate::people::{
    ANN, BOB, EVE, HOST, abort, grace, join, name_of, new_match, reason, request, timed,
    usual_seed, waiting,
};
use crate::table::{START, Table};

const SECOND: Duration = Duration::from_secs(1);
const FISCHER: TimeControl = TimeControl::Fischer {
    base: SECOND,
    increment: SECOND,
};

#[test]
fn no_events_are_no_match() {
    assert!(replay([]).unwrap().is_none());
    assert!(Replay::new().state().is_none());
    assert!(Replay::new().into_state().is_none());
}

#[test]
fn a_replay_shows_the_match_after_every_event() {
    let table = Table::started(&new_match()).played("a1a7");
    let mut replay = Replay::new();
    for recorded in &table.log {
        let head = replay.push(recorded).unwrap().head();
        assert_eq!(head, recorded.sequence);
        assert_eq!(replay.state().map(MatchState::head), Some(head));
    }
}

#[test]
fn the_first_event_creates_a_match_that_can_be() {
    let table = Table::of(&new_match());
    let with = |change: &dyn Fn(&mut Created)| {
        let MatchEvent::Created(mut created) = table.log[0].event.clone() else {
            panic!("the first event creates the match");
        };
        change(&mut created);
        first(MatchEvent::Created(created))
    };
    assert_eq!(first(joined(Seat::First, ANN)), Some(Misfit::NotCreated));
    assert!(matches!(
        with(&|created| created.game.clear()),
        Some(Misfit::UnknownGame(_))
    ));
    assert!(matches!(
        with(&|created| created.variant.clear()),
        Some(Misfit::Setup(_))
    ));
    assert!(matches!(
        with(&|created| created.target = 2),
        Some(Misfit::Setup(_))
    ));
    for seat in Seat::BOTH {
        assert_eq!(
            with(
                &|created| created.time_controls[seat.index()] = Some(TimeControl::PerAction {
                    limit: Duration::MAX
                })
            ),
            Some(Misfit::TimeControl)
        );
    }
    assert_eq!(
        with(&|created| created.reserved = [Some(ANN), Some(ANN)]),
        Some(Misfit::Seat)
    );
    for opening in ["a1a1", "a1"] {
        let misfit = with(&|created| created.opening = vec![opening.to_owned()]);
        assert!(matches!(misfit, Some(Misfit::Opening(_))), "{misfit:?}");
    }
    assert_eq!(with(&|_| {}), None);

    let mut late = table.log[0].clone();
    late.sequence = Sequence(2);
    assert_eq!(replay([&late]).unwrap_err().why, Misfit::Gap);
}

#[test]
fn a_match_is_created_once_and_ends_once() {
    let table = Table::of(&new_match());
    let again = table.log[0].event.clone();
    check(&table, &again.clone(), &Misfit::CreatedTwice);
    let over = table.given(&abort(HOST, ""));
    check(&over, &again, &Misfit::AfterTheEnd);
    check(&over, &joined(Seat::First, ANN), &Misfit::AfterTheEnd);
}

#[test]
fn a_seat_is_for_one_player_and_a_player_has_one_seat() {
    let one = Table::of(&new_match()).given(&join(ANN, Some(Seat::First)));
    check(&one, &joined(Seat::First, BOB), &Misfit::Seat);
    check(&one, &joined(Seat::Second, ANN), &Misfit::Seat);
    let kept = Table::of(&NewMatch {
        reserved: [Some(ANN), None],
        ..new_match()
    });
    check(&kept, &joined(Seat::First, BOB), &Misfit::Seat);
    check(&kept, &joined(Seat::Second, ANN), &Misfit::Seat);
}

#[test]
fn a_stranger_on_a_free_seat_is_no_misfit() {
    let open = Table::of(&new_match());
    assert_eq!(misfit(&open, joined(Seat::Second, EVE)), None);
}

#[test]
fn a_game_begins_when_both_are_there_and_as_the_rules_have_it() {
    let position = "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -";
    let start = |number, position: &str| MatchEvent::GameStarted {
        number,
        position: position.to_owned(),
    };
    let one = Table::of(&new_match()).given(&join(ANN, None));
    check(&one, &start(1, position), &Misfit::GameStart);
    let both = Table::started(&new_match());
    check(&both, &start(2, position), &Misfit::GameStart);
    let white_opens = "OLMPYRGB/8/8/8/8/8/8/bgrypmlo w -";
    replaced(&both, 3, start(1, white_opens), &Misfit::GameStart);
    replaced(&both, 3, start(0, position), &Misfit::GameStart);

    let random = Table::started(&NewMatch {
        variant: Some("random".to_owned()),
        ..new_match()
    });
    let mut log = random.log.clone();
    let drawn_elsewhere = "LOMPYRGB/8/8/8/8/8/8/bgrypmol b -";
    log[3].event = start(1, drawn_elsewhere);
    let state = replay(&log).unwrap().unwrap();
    assert_eq!(state.play().position().unwrap(), drawn_elsewhere);
    log[3].event = start(1, "nothing");
    assert!(matches!(replay(&log).unwrap_err().why, Misfit::Play(_)));
}

#[test]
fn an_action_is_of_the_seat_that_decides_and_legal() {
    let one = Table::of(&new_match()).given(&join(ANN, None));
    check(&one, &played(Seat::First, "a1a7", None), &Misfit::NotDue);
    let both = Table::started(&new_match());
    check(&both, &played(Seat::Second, "a1a7", None), &Misfit::NotDue);
    for action in ["a1a8", "a8a1", "", "A1A7"] {
        let why = misfit(&both, played(Seat::First, action, None));
        assert!(matches!(why, Some(Misfit::Play(_))), "{action}: {why:?}");
    }
    assert_eq!(misfit(&both, played(Seat::First, "a1a7", None)), None);
}

#[test]
fn a_clock_shows_what_it_can() {
    let us = Duration::from_micros(1);
    let zero = Duration::ZERO;
    let per_action = TimeControl::PerAction { limit: SECOND };
    let delay = TimeControl::Delay {
        base: SECOND,
        delay: SECOND,
    };
    for (control, possible, impossible) in [
        (None, vec![None], vec![Some(SECOND), Some(zero)]),
        (
            Some(per_action),
            vec![Some(SECOND)],
            vec![
                None,
                Some(SECOND.saturating_sub(us)),
                Some(SECOND + us),
                Some(zero),
            ],
        ),
        (
            Some(FISCHER),
            vec![Some(SECOND), Some(SECOND + us), Some(2 * SECOND)],
            vec![
                None,
                Some(SECOND.saturating_sub(us)),
                Some(2 * SECOND + us),
                Some(Duration::MAX),
            ],
        ),
        (
            Some(delay),
            vec![Some(zero), Some(us), Some(SECOND)],
            vec![None, Some(SECOND + us), Some(Duration::MAX)],
        ),
    ] {
        let table = Table::started(&timed(control));
        for remaining in possible {
            let why = misfit(&table, played(Seat::First, "a1a7", remaining));
            assert_eq!(why, None, "{control:?} {remaining:?}");
        }
        for remaining in impossible {
            check(
                &table,
                &played(Seat::First, "a1a7", remaining),
                &Misfit::Clock,
            );
        }
    }
}

#[test]
fn passes_and_ends_of_games_follow_from_the_rules() {
    let table = Table::started(&new_match()).played("d1d7 g8a2 f1f3");
    let passed = |seat| MatchEvent::TurnPassed { seat };
    check(&table, &passed(Seat::Second), &Misfit::Pass);
    let table = table.played("a8a4");
    // Events 5 to 8 are the actions, 9 and 10 the passes of both seats.
    replaced(&table, 8, passed(Seat::Second), &Misfit::Pass);
    replaced(
        &table,
        8,
        played(Seat::First, "f3f4", None),
        &Misfit::NotDue,
    );
    check(&table, &passed(Seat::First), &Misfit::Pass);

    let over = Table::started(&new_match()).played("c1a3 b8h2 a3e7");
    let ended = |winner, points, reason: &str| MatchEvent::GameEnded {
        winner,
        points,
        reason: reason.to_owned(),
    };
    let at = over.log.len() - 2;
    for (winner, points, reason) in [
        (Some(Seat::First), 1, "deadlock"),
        (None, 1, "deadlock"),
        (Some(Seat::Second), 2, "deadlock"),
        (Some(Seat::Second), 1, "home_row"),
    ] {
        replaced(&over, at, ended(winner, points, reason), &Misfit::GameEnd);
    }
    let started = Table::started(&new_match());
    let end = ended(Some(Seat::Second), 1, "deadlock");
    check(&started, &end, &Misfit::GameEnd);
}

#[test]
fn a_match_ends_for_a_reason() {
    use Seat::{First, Second};
    use Termination::{Aborted, Declined, Disconnect, Expired, Normal, Resignation, Timeout};
    let end = |winner, termination| MatchEvent::MatchEnded {
        outcome: MatchOutcome::new(winner, termination),
        request_id: None,
    };
    let open = Table::of(&new_match()).given(&join(ANN, Some(First)));
    let both = Table::started(&new_match());
    let clocks = Table::started(&timed(FISCHER));
    let grace = NewMatch {
        disconnect_grace: Some(grace(10)),
        ..new_match()
    };
    let half_full = Table::of(&grace).given(&join(ANN, Some(First)));
    let fresh = Table::started(&grace);
    let begun = fresh.clone().played("a1a7");
    let waiting = Table::of(&waiting());
    for (table, winner, termination) in [
        (&open, Some(Second), Resignation),
        (&open, Some(First), Timeout),
        (&open, Some(First), Aborted),
        (&open, Some(First), Normal),
        (&both, None, Normal),
        (&both, Some(First), Normal),
        (&both, None, Resignation),
        (&both, Some(First), Aborted),
        (&both, Some(Second), Timeout),
        (&clocks, Some(First), Timeout),
        (&clocks, None, Timeout),
        (&clocks, Some(Second), Disconnect),
        (&half_full, None, Disconnect),
        (&open, Some(First), Expired),
        (&both, None, Expired),
        (&open, None, Declined),
    ] {
        check(table, &end(winner, termination), &Misfit::MatchEnd);
    }
    for (table, winner, termination) in [
        (&open, None, Aborted),
        (&both, None, Aborted),
        (&both, Some(First), Resignation),
        (&both, Some(Second), Resignation),
        (&clocks, Some(Second), Timeout),
        (&fresh, None, Disconnect),
        (&fresh, Some(Second), Disconnect),
        (&begun, None, Disconnect),
        (&begun, Some(First), Disconnect),
        (&begun, Some(Second), Disconnect),
        // A match of an earlier version.
        (&open, None, Expired),
        (&waiting, None, Expired),
    ] {
        assert_eq!(misfit(table, end(winner, termination)), None);
    }
    // Nobody asks for these.
    let asked = |winner, termination| MatchEvent::MatchEnded {
        outcome: MatchOutcome::new(winner, termination),
        request_id: request("asked"),
    };
    check(&clocks, &asked(Some(Second), Timeout), &Misfit::MatchEnd);
    check(&begun, &asked(None, Disconnect), &Misfit::MatchEnd);
    check(&waiting, &asked(None, Expired), &Misfit::MatchEnd);
    let over = Table::started(&new_match()).played("c1a3 b8h2 a3e7");
    let last = over.log.len() - 1;
    replaced(&over, last, asked(Some(Second), Normal), &Misfit::MatchEnd);
    replaced(&over, last, end(Some(First), Normal), &Misfit::MatchEnd);
    replaced(&over, last, end(None, Aborted), &Misfit::MatchEnd);
}

/// Those who call a match off, and why.
#[test]
fn a_match_is_called_off_by_somebody() {
    use Termination::{Aborted, Declined, Expired};
    let open = Table::of(&waiting()).given(&join(ANN, None));
    let both = open.clone().given(&join(BOB, None));
    let end = |termination, aborted_by, why| MatchEvent::MatchEnded {
        outcome: MatchOutcome {
            aborted_by,
            reason: reason(why),
            ..MatchOutcome::new(None, termination)
        },
        request_id: None,
    };
    for (table, fits, ended) in [
        (&open, true, end(Declined, Some(BOB), "")),
        (&open, true, end(Declined, Some(BOB), "busy")),
        (&open, false, end(Declined, Some(ANN), "")),
        (&open, false, end(Declined, Some(EVE), "")),
        (&open, false, end(Declined, None, "")),
        (&both, false, end(Declined, Some(BOB), "")),
        (&both, true, end(Aborted, Some(EVE), "it hangs")),
        (&both, false, end(Aborted, Some(EVE), "")),
        (&both, false, end(Aborted, None, "it hangs")),
        (&open, false, end(Expired, Some(HOST), "")),
        (&open, false, end(Expired, None, "late")),
    ] {
        let why = (!fits).then_some(Misfit::MatchEnd);
        assert_eq!(misfit(table, ended.clone()), why, "{ended:?}");
    }
}

#[test]
fn a_misfit_is_told_with_its_place() {
    let table = Table::started(&new_match());
    let mut log = table.log.clone();
    log.push(Recorded {
        sequence: Sequence(6),
        ..log[3].clone()
    });
    let inconsistent = replay(&log).unwrap_err();
    assert_eq!(inconsistent.sequence, Sequence(6));
    assert_eq!(
        inconsistent.to_string(),
        "event 6 does not fit: the events have a gap"
    );
}

#[test]
#[should_panic(expected = "an event returned by `decide` fits its state")]
fn evolve_panics_on_an_event_that_decide_did_not_return() {
    let mut table = Table::of(&new_match());
    let again = table.log[0].clone();
    table.state.evolve(&again);
}

/// What is wrong with an event that follows on the log of `table`.
fn misfit(table: &Table, event: MatchEvent) -> Option<Misfit> {
    let mut log = table.log.clone();
    log.push(Recorded {
        sequence: Sequence(log.len() as u64 + 1),
        time: table.now,
        event,
    });
    replay(&log).err().map(|inconsistent| inconsistent.why)
}

#[track_caller]
fn check(table: &Table, event: &MatchEvent, why: &Misfit) {
    assert_eq!(
        misfit(table, event.clone()).as_ref(),
        Some(why),
        "{event:?}"
    );
}

/// The log of `table` with another event at `at`, from 0, is refused there.
#[track_caller]
fn replaced(table: &Table, at: usize, event: MatchEvent, why: &Misfit) {
    let mut log = table.log.clone();
    log[at].event = event;
    let inconsistent = replay(&log).unwrap_err();
    assert_eq!(inconsistent.why, *why);
    assert_eq!(inconsistent.sequence, log[at].sequence);
}

fn first(event: MatchEvent) -> Option<Misfit> {
    let first = Recorded {
        sequence: Sequence(1),
        time: START,
        event,
    };
    replay([&first]).err().map(|inconsistent| inconsistent.why)
}

fn joined(seat: Seat, player: PlayerId) -> MatchEvent {
    MatchEvent::SeatJoined {
        seat,
        player,
        name: name_of(player),
        seed: usual_seed(),
        request_id: None,
    }
}

fn played(seat: Seat, action: &str, remaining: Option<Duration>) -> MatchEvent {
    MatchEvent::ActionPlayed {
        seat,
        action: action.to_owned(),
        received: None,
        remaining,
        request_id: None,
        written: None,
        thinking: None,
    }
}
