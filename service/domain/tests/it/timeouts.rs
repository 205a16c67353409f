use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_domain::{Command, Rejection};
use dragontooth_service_vocabulary::{
    MAX_THINKING_TIME, MatchEvent, MatchOutcome, NewMatch, Termination, TimeControl, Timestamp,
};

use crate::people::{ANN, BOB, EVE, HOST, abort, act, join, new_match, resign, timed};
use crate::table::{Table, Then, check, check_refused};

const MICROSECOND: Duration = Duration::from_micros(1);
const SECOND: Duration = Duration::from_secs(1);

/// Time controls with what the first decision may take and what is left after all of it.
fn agreements() -> Vec<(TimeControl, Duration, Duration)> {
    let (base, extra) = (5 * SECOND, 2 * SECOND);
    let (longest, zero) = (MAX_THINKING_TIME, Duration::ZERO);
    vec![
        (TimeControl::PerAction { limit: base }, base, base),
        (
            TimeControl::PerAction { limit: MICROSECOND },
            MICROSECOND,
            MICROSECOND,
        ),
        (TimeControl::PerAction { limit: longest }, longest, longest),
        (
            TimeControl::Fischer {
                base,
                increment: extra,
            },
            base,
            extra,
        ),
        (
            TimeControl::Fischer {
                base,
                increment: zero,
            },
            base,
            zero,
        ),
        (
            TimeControl::Fischer {
                base: longest,
                increment: longest,
            },
            longest,
            longest,
        ),
        (
            TimeControl::Delay { base, delay: extra },
            base + extra,
            zero,
        ),
        (
            TimeControl::Delay {
                base: longest,
                delay: longest,
            },
            2 * longest,
            zero,
        ),
    ]
}

#[test]
fn until_the_deadline_there_is_time() {
    for (control, allowance, left) in agreements() {
        let table = Table::started(&timed(control));
        assert_eq!(table.state.deadline(), Some(table.now.after(allowance)));
        for wait in [
            Duration::ZERO,
            allowance.saturating_sub(MICROSECOND),
            allowance,
        ] {
            let table = table.clone().after(wait);
            check(&table, &Command::CheckClock, &Then::Events(Vec::new()));
            let then = table.clone().when(&act(ANN, 4, "a1a7", ""));
            assert!(
                matches!(then, Then::Events(_)),
                "{control:?} {wait:?} {then:?}"
            );
        }
        let last_moment = table.after(allowance).played("a1a7");
        assert_eq!(
            last_moment.state.clocks().remaining(Seat::First),
            Some(left)
        );
    }
}

#[test]
fn one_microsecond_later_the_match_is_lost() {
    for (control, allowance, _) in agreements() {
        let table = Table::started(&timed(control)).after(allowance + MICROSECOND);
        check(&table, &Command::CheckClock, &timeout(Seat::Second));
        let other = Table::started(&timed(control))
            .played("a1a7")
            .after(allowance + MICROSECOND);
        check(&other, &Command::CheckClock, &timeout(Seat::First));
        let over = other.given(&Command::CheckClock);
        check(&over, &Command::CheckClock, &Then::Events(Vec::new()));
        let result = over.state.result().unwrap();
        assert_eq!(result.termination, Termination::Timeout);
        assert_eq!(result.winner, Some(Seat::First));
    }
}

/// Even before the clock has been checked.
#[test]
fn what_comes_after_the_deadline_comes_after_the_end() {
    for (control, allowance, _) in agreements() {
        let first = act(ANN, 4, "a1a7", "1");
        let table = Table::started(&timed(control)).given(&first);
        let late = table.after(allowance + MICROSECOND);
        for command in [
            act(BOB, 5, "f8f4", ""),
            act(BOB, 4, "f8f4", ""),
            act(ANN, 5, "f8f4", ""),
            resign(ANN, ""),
            resign(BOB, ""),
            abort(HOST, ""),
            join(EVE, None),
        ] {
            check_refused(&late, &command, Rejection::Ended);
        }
        check_refused(&late, &abort(EVE, ""), Rejection::AbortDenied);
        check(&late, &join(ANN, None), &Then::Events(Vec::new()));
        assert!(matches!(late.clone().when(&first), Then::Answered(_)));
    }
}

#[test]
fn no_clock_runs_without_a_decision() {
    let per_action = timed(TimeControl::PerAction { limit: SECOND });
    let one = Table::of(&per_action).given(&join(ANN, None));
    let much_later = one.after(MAX_THINKING_TIME);
    assert_eq!(much_later.state.deadline(), None);
    check(&much_later, &Command::CheckClock, &Then::Events(Vec::new()));
    let table = much_later.given(&join(BOB, None));
    assert_eq!(table.state.deadline(), Some(table.now.after(SECOND)));
}

#[test]
fn without_clocks_time_never_ends() {
    let mut table = Table::started(&new_match());
    table.now = Timestamp::from_micros(u64::MAX);
    assert_eq!(table.state.deadline(), None);
    check(&table, &Command::CheckClock, &Then::Events(Vec::new()));
    let table = table.played("a1a7");
    assert_eq!(table.state.clocks().remaining(Seat::First), None);
    assert_eq!(table.state.clocks().allowance(Seat::First), None);
}

#[test]
fn a_clock_that_starts_anew_gives_the_time_back() {
    let fischer = TimeControl::Fischer {
        base: 5 * SECOND,
        increment: SECOND,
    };
    let mut table = Table::started(&timed(fischer)).after(20 * SECOND);
    table.state.restart_clock(table.now);
    assert_eq!(table.state.deadline(), Some(table.now.after(5 * SECOND)));
    assert_eq!(table.decision(), 4);
    let table = table.after(SECOND).played("a1a7");
    let left = table.state.clocks().remaining(Seat::First);
    assert_eq!(left, Some(5 * SECOND));
}

/// A seat loses by its own clock, and one without a clock never does.
#[test]
fn a_seat_without_a_clock_may_think_for_ever() {
    let odds = NewMatch {
        time_controls: [None, Some(TimeControl::PerAction { limit: SECOND })],
        ..new_match()
    };
    let table = Table::started(&odds).after(1_000_000 * SECOND);
    assert_eq!(table.state.deadline(), None);
    check(&table, &Command::CheckClock, &Then::Events(Vec::new()));
    let table = table.played("a1a7");
    assert_eq!(table.state.deadline(), Some(table.now.after(SECOND)));
    let table = table.after(SECOND + MICROSECOND);
    check(&table, &Command::CheckClock, &timeout(Seat::First));
}

#[test]
fn a_clock_that_goes_back_takes_no_time() {
    let delay = TimeControl::Delay {
        base: SECOND,
        delay: SECOND,
    };
    let mut table = Table::started(&timed(delay)).after(SECOND).played("a1a7");
    table.now = Timestamp::default();
    check(&table, &Command::CheckClock, &Then::Events(Vec::new()));
    let table = table.played("f8f4");
    assert_eq!(table.state.clocks().remaining(Seat::Second), Some(SECOND));
}

/// The last moment there is has no deadline after it.
#[test]
fn at_the_end_of_time_no_clock_runs_out() {
    let mut table = Table::started(&timed(TimeControl::PerAction { limit: SECOND }));
    table.now = table.now.after(SECOND);
    let mut table = table.played("a1a7");
    table
        .state
        .restart_clock(Timestamp::from_micros(u64::MAX - 1));
    table.now = Timestamp::from_micros(u64::MAX);
    assert_eq!(table.state.deadline(), Some(table.now));
    check(&table, &Command::CheckClock, &Then::Events(Vec::new()));
}

fn timeout(winner: Seat) -> Then {
    Then::Events(vec![MatchEvent::MatchEnded {
        outcome: MatchOutcome::new(Some(winner), Termination::Timeout),
        request_id: None,
    }])
}
