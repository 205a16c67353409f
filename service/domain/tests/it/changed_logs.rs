use std::sync::LazyLock;
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_domain::{Command, Misfit, Replay, replay};
use dragontooth_service_vocabulary::{
    IllegalActionLimit, NewMatch, Recorded, Sequence, TimeControl, Timestamp,
};
use proptest::prelude::*;

use crate::changes::changes;
use crate::origin::{Origin, origin, origin_after};
use crate::people::{
    ANN, BOB, HOST, OPERATOR, WAIT, abort, abort_as_operator, act, decline, join, new_match,
    request, resign, waiting,
};
use crate::table::Table;
use crate::whole_matches::play_out;

#[test]
fn a_log_with_an_event_missing_doubled_or_swapped_has_a_gap() {
    let why = |log: &[Recorded]| replay(log).unwrap_err().why;
    for log in logs() {
        for at in 0..log.len() {
            let mut doubled = log.clone();
            doubled.insert(at, log[at].clone());
            assert_eq!(why(&doubled), Misfit::Gap);

            let follows = at + 1 < log.len();
            let expected = if at == 0 {
                Misfit::NotCreated
            } else {
                Misfit::Gap
            };
            let mut changed = log.clone();
            changed.remove(at);
            assert!(!follows || why(&changed) == expected);

            let mut changed = log.clone();
            if follows {
                changed.swap(at, at + 1);
                assert_eq!(why(&changed), expected);
            }
        }
    }
}

#[test]
fn a_log_that_was_changed_and_numbered_anew_is_refused_or_could_have_happened() {
    for log in logs() {
        for at in 0..log.len() {
            let mut changed = log.clone();
            changed.remove(at);
            judge(changed);
            for to in 0..=log.len() {
                let mut changed = log.clone();
                changed.insert(to, log[at].clone());
                judge(changed);
            }
            for other in 0..at {
                let mut changed = log.clone();
                changed.swap(other, at);
                judge(changed);
            }
        }
    }
}

#[test]
fn a_log_with_another_event_is_refused_or_could_have_happened() {
    for log in logs() {
        let mut before = Replay::new();
        // What precedes the command of an event is replayed once for all changes to it.
        let (mut begun, mut start) = (Replay::new(), 0);
        for at in 0..log.len() {
            if origin_after(begun.clone(), &log[start..at]) == Ok(Origin::Whole) {
                (begun, start) = (before.clone(), at);
            }
            for event in changes(before.state(), &log[at].event) {
                let mut changed = log[start..].to_vec();
                changed[at - start].event = event;
                judge_after(&begun, &changed);
            }
            before.push(&log[at]).unwrap();
        }
    }
}

/// When something was recorded is for the service to say; no moment breaks the arithmetic.
#[test]
fn a_log_with_other_times_is_the_same_match() {
    for log in logs() {
        for at in 0..log.len() {
            for time in [0, 1, log[at].time.micros() + 1_000_000_000, u64::MAX] {
                let mut changed = log.clone();
                changed[at].time = Timestamp::from_micros(time);
                let state = replay(&changed).unwrap().unwrap();
                assert_eq!(state.head(), Sequence(log.len() as u64));
            }
        }
    }
}

#[test]
fn every_log_comes_from_commands() {
    for log in logs() {
        assert_eq!(origin(&log), Ok(Origin::Whole));
        for end in 1..log.len() {
            assert!(origin(&log[..end]).is_ok());
            assert!(replay(&log[..end]).is_ok());
        }
    }
}

proptest! {
    /// Events of matches in any order.
    #[test]
    fn a_log_thrown_together_is_refused_or_could_have_happened(
        picks in prop::collection::vec((0..9_usize, 0..1_000_usize, 0..60_usize), 1..12),
        from in 0..9_usize,
        kept in 1..12_usize,
    ) {
        static LOGS: LazyLock<[Vec<Recorded>; 12]> = LazyLock::new(logs);
        let logs = &*LOGS;
        let mut changed: Vec<Recorded> = logs[from].iter().take(kept).cloned().collect();
        for (from, at, change) in picks {
            let log = &logs[from % logs.len()];
            let mut recorded = log[at % log.len()].clone();
            let changes = changes(None, &recorded.event);
            if let Some(event) = changes.get(change) {
                recorded.event = event.clone();
            }
            changed.push(recorded);
        }
        judge(changed);
    }
}

/// Renumbers a log and checks that the replay and the search for its commands agree on whether it
/// can have happened.
#[track_caller]
fn judge(mut log: Vec<Recorded>) {
    for (sequence, recorded) in (1..).map(Sequence).zip(&mut log) {
        recorded.sequence = sequence;
    }
    judge_after(&Replay::new(), &log);
}

/// Checks the same of the rest of a log, which begins with a command after `before`.
#[track_caller]
fn judge_after(before: &Replay, log: &[Recorded]) {
    let mut replay = before.clone();
    let mut pushed = log.iter().map(|recorded| replay.push(recorded).map(drop));
    let replayed = pushed.find(Result::is_err).unwrap_or(Ok(()));
    let replayed = replayed.map(|()| replay.into_state());
    let origin = origin_after(before.clone(), log);
    assert_eq!(
        replayed.is_ok(),
        origin.is_ok(),
        "{replayed:?}\n{origin:?}\n{log:#?}"
    );
    if let (Ok(Some(state)), Ok(Origin::CutShort)) = (replayed, origin) {
        assert!(
            state.result().is_none() && state.due().is_none(),
            "{log:#?}"
        );
    }
}

/// Matches that differ in how they are agreed, go and end.
fn logs() -> [Vec<Recorded>; 12] {
    let second = Duration::from_secs(1);
    let fischer = TimeControl::Fischer {
        base: 5 * second,
        increment: second,
    };
    let delay = TimeControl::Delay {
        base: 5 * second,
        delay: second,
    };
    let deadlock = Table::started(&NewMatch {
        reserved: [Some(ANN), Some(BOB)],
        request_id: request("create"),
        ..new_match()
    })
    .given(&act(ANN, 4, "c1a3", "1"))
    .given(&act(BOB, 5, "b8h2", "1"))
    .given(&act(ANN, 6, "a3e7", "2"));
    let to_three = play_out(
        &NewMatch {
            variant: Some("random".to_owned()),
            target: 3,
            time_controls: [Some(fischer), Some(delay)],
            ..new_match()
        },
        "to three",
    );
    let timeout = Table::started(&agreed(delay))
        .after(3 * second)
        .played("a1a7")
        .after(7 * second)
        .given(&Command::CheckClock);
    let resigned = Table::started(&agreed(fischer))
        .after(second)
        .played("a1a7")
        .given(&resign(ANN, "end"));
    let aborted = Table::of(&new_match())
        .given(&join(ANN, Some(Seat::Second)))
        .given(&abort(HOST, "end"));
    let called_off = Table::started(&agreed(TimeControl::PerAction { limit: second }))
        .played("d1d7 g8a2 f1f3")
        .given(&abort(HOST, ""));
    let unfinished = Table::started(&new_match()).played("d1d7 g8a2 f1f3 a8a4 f3f4");
    let limited = |limit| NewMatch {
        illegal_action_limit: IllegalActionLimit::new(limit).ok(),
        time_controls: [Some(fischer), None],
        ..new_match()
    };
    let mut corrected = Table::started(&limited(2));
    corrected.when(&act(ANN, 4, "a1a1", "1"));
    let mut corrected = corrected.after(second).played("a1a7");
    corrected.when(&act(BOB, 6, "h8h7", ""));
    let corrected = corrected.given(&resign(BOB, ""));
    let mut illegal = Table::started(&limited(2)).played("a1a7");
    illegal.when(&act(BOB, 5, "h8h7", "1"));
    illegal.when(&act(BOB, 5, "rook", "2"));
    let expired = Table::of(&waiting())
        .given(&join(ANN, None))
        .after(WAIT)
        .given(&Command::CheckClock);
    let declined = Table::of(&waiting())
        .given(&join(ANN, None))
        .given(&decline(BOB, "busy", "end"));
    let ended = Table::started(&waiting()).given(&abort_as_operator(OPERATOR, "it hangs", "end"));
    [
        &deadlock,
        &to_three,
        &timeout,
        &resigned,
        &aborted,
        &called_off,
        &unfinished,
        &corrected,
        &illegal,
        &expired,
        &declined,
        &ended,
    ]
    .map(|table| table.log.clone())
}

fn agreed(time_control: impl Into<Option<TimeControl>>) -> NewMatch {
    NewMatch {
        time_controls: [time_control.into(); 2],
        ..new_match()
    }
}
