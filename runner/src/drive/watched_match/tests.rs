use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::SystemTime;

use dragontooth_runner_tournament::{Ending, GameCounts, Name};
use dragontooth_service_client::Token;
use dragontooth_service_vocabulary::{MatchOutcome, Termination};
use tokio::time::advance;

use super::judgement::UNSEEN;
use super::*;
use crate::drive::health::{Vitals, health};
use crate::record::Gameplay;

const ID: &str = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b";

/// A bot with a program, and the sender of its state.
fn bot(name: &str) -> (Player, Vitals) {
    let (vitals, pulse) = health();
    let player = Player {
        name: Name::new(name).unwrap(),
        id: "0".repeat(32).parse().unwrap(),
        client: None,
        pulse,
        engine_faults: None,
        turn: None,
        seen: Arc::default(),
    };
    (player, vitals)
}

/// A match that ended so, for the first seat.
fn won(termination: Ending, faults: Vec<Fault>) -> Played {
    Played {
        call: None,
        origin: crate::record::Origin::default(),
        match_id: ID.parse().unwrap(),
        winner: Some(Seat::First),
        termination,
        score: [0; 2],
        games: GameCounts::default(),
        plies: 0,
        faults,
        replays: 0,
        gameplay: Gameplay::default(),
        started: SystemTime::UNIX_EPOCH,
        ended: SystemTime::UNIX_EPOCH,
    }
}

fn client() -> Client {
    let nowhere = "127.0.0.1:1".parse().unwrap();
    Client::connect_lazily(&nowhere, &Token::random()).unwrap()
}

fn kinds(played: &Played) -> Vec<(Seat, FaultKind)> {
    let faults = played.faults.iter();
    faults.map(|fault| (fault.seat, fault.kind)).collect()
}

/// Its program has ended, but it had resigned by then.
#[tokio::test]
async fn a_match_that_was_over_is_not_lost_by_an_end() {
    let (client, outage) = (client(), Outage::none());
    let [(a, _), (b, _)] = ["a", "b"].map(bot);
    for (resigned, expected) in [
        (None, vec![]),
        (Some(false), vec![]),
        (Some(true), vec![(Seat::Second, FaultKind::Crash)]),
    ] {
        let id = ID.parse().unwrap();
        let limits = RunLimits::USUAL;
        let mut watched = WatchedMatch::new(&client, &outage, id, [&a, &b], [false; 2], limits);
        watched.forfeit(Seat::Second, FaultKind::Crash, "its program ended".into());
        if let Some(forfeit) = &mut watched.forfeits[1] {
            forfeit.resigned = resigned;
        }
        let played = watched.with_faults(won(Ending::By(Termination::Resignation), Vec::new()));
        assert_eq!(kinds(&played), expected, "{resigned:?}");
    }
}

/// It is asked once more before the runner has resigned for it, and gives up by itself.
#[tokio::test]
async fn a_bot_that_plays_no_more_loses_by_that_however_fast_it_resigns() {
    let (client, outage) = (client(), Outage::none());
    let [(a, _), (b, _)] = ["a", "b"].map(bot);
    let fault = |kind, detail: &str| Fault {
        seat: Seat::Second,
        kind,
        detail: detail.to_owned(),
    };
    for resigned in [None, Some(false), Some(true)] {
        let id = ID.parse().unwrap();
        let limits = RunLimits::USUAL;
        let watched = WatchedMatch::new(&client, &outage, id, [&a, &b], [false; 2], limits);
        let mut watched = watched.with_forfeits(vec![fault(FaultKind::Disabled, "it is out")]);
        if let Some(forfeit) = &mut watched.forfeits[1] {
            forfeit.resigned = resigned;
        }
        let crash = fault(FaultKind::Crash, "its program ended");
        let played = watched.with_faults(won(Ending::By(Termination::Resignation), vec![crash]));
        assert_eq!(kinds(&played), [(Seat::Second, FaultKind::Disabled)]);
    }
}

/// An exit that is still to come when a match begins does not affect it.
#[tokio::test]
async fn an_end_that_was_asked_for_before_is_not_charged() {
    let (client, outage) = (client(), Outage::none());
    let [(a, _), (b, vitals)] = ["a", "b"].map(bot);
    b.pulse.replace_after(0);
    let id = ID.parse().unwrap();
    let limits = RunLimits::USUAL;
    let watched = WatchedMatch::new(&client, &outage, id, [&a, &b], [false; 2], limits);
    let mut end = pin!(watched.end_of(Seat::Second));
    for (ends_so_far, is_charged) in [(1, false), (2, true)] {
        let mut now = vitals.health();
        now.ends = ends_so_far;
        vitals.tell(now);
        let told = end.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(told.is_ready(), is_charged, "{ends_so_far}");
    }
}

/// The service takes no actions either. An end of a program is a fault all the same.
#[tokio::test(start_paused = true)]
async fn a_bot_is_not_idle_when_the_service_takes_no_call() {
    let (client, outage) = (client(), Outage::none());
    let [(a, _), (b, _)] = ["a", "b"].map(bot);
    let id = ID.parse().unwrap();
    let limits = RunLimits::USUAL;
    let mut watched = WatchedMatch::new(&client, &outage, id, [&a, &b], [false; 2], limits);
    watched.forfeit(Seat::First, FaultKind::Crash, "its program ended".into());
    for is_forgiven in [true, false] {
        advance(PATIENCE).await;
        let before = Instant::now();
        watched.forfeit_idle(Seat::Second, "it did nothing for 6 s".into());
        assert_eq!(watched.carry_out().await.is_ok(), is_forgiven);
        assert!(before.elapsed() < PATIENCE, "it is tried once");
        let has_forfeited = Seat::BOTH.map(|seat| watched.has_forfeited(seat));
        assert_eq!(has_forfeited, [true, !is_forgiven]);
        assert_eq!(watched.called_off, !is_forgiven);
        assert_eq!(watched.heard >= before, is_forgiven);
    }
    assert_eq!(b.pulse.ends_so_far(), 0, "its program goes on");
    let told = outage.news().await;
    assert!(told.starts_with("waiting for the service"), "{told}");
}

/// A bot needs a moment to come back, however short the absence was.
#[tokio::test(start_paused = true)]
async fn an_absence_of_the_service_restarts_the_limits() {
    let (client, outage) = (client(), Outage::none());
    let [(a, _), (b, _)] = ["a", "b"].map(bot);
    let id = ID.parse().unwrap();
    let limits = RunLimits::USUAL;
    let mut watched = WatchedMatch::new(&client, &outage, id, [&a, &b], [false; 2], limits);
    for (absence, passed, restarts) in [
        (Absence::None, Duration::from_secs(1), false),
        (Absence::Untold, Duration::from_secs(1), true),
        (Absence::None, SILENCE + Duration::from_secs(1), true),
    ] {
        watched.absence = absence;
        advance(passed).await;
        let now = Instant::now();
        watched.hear_from_service(now);
        assert_eq!(
            [watched.began, watched.heard].map(|at| at == now),
            [restarts; 2]
        );
        assert_eq!(watched.absence, Absence::None);
    }
}

#[tokio::test]
async fn whoever_was_never_seen_is_told_so() {
    let (client, outage) = (client(), Outage::none());
    let [(a, _), (b, _)] = ["a", "b"].map(bot);
    for seen in [false, true] {
        b.seen.store(seen, Ordering::Relaxed);
        let id = ID.parse().unwrap();
        let limits = RunLimits::USUAL;
        let watched = WatchedMatch::new(&client, &outage, id, [&a, &b], [true; 2], limits);
        let late = Fault {
            seat: Seat::Second,
            kind: FaultKind::Time,
            detail: "its clock ran out".to_owned(),
        };
        let played = watched.with_faults(won(Ending::By(Termination::Timeout), vec![late]));
        let told = &played.faults[0].detail;
        let expected = ["its clock ran out", UNSEEN];
        assert_eq!(*told, expected[..2 - usize::from(seen)].concat());
    }
}

/// A match that ended so, without a winner.
fn undecided(termination: Termination) -> Played {
    Played {
        winner: None,
        ..won(Ending::By(termination), Vec::new())
    }
}

#[tokio::test]
async fn a_match_that_expired_is_lost_by_whoever_did_not_come() {
    let (client, outage) = (client(), Outage::none());
    let [(a, _), (b, _)] = ["a", "b"].map(bot);
    let lost = Ending::By(Termination::Disconnect);
    let void = Ending::By(Termination::Expired);
    let stall = |seat| (seat, FaultKind::Stall);
    for (joined, is_known, ending, faults) in [
        (vec![Seat::First], false, lost, vec![stall(Seat::Second)]),
        (vec![], false, void, Seat::BOTH.map(stall).to_vec()),
        // It had expired before the runner came back to it.
        (vec![Seat::First], true, void, vec![]),
    ] {
        let id = ID.parse().unwrap();
        let limits = RunLimits::USUAL;
        let mut watched = WatchedMatch::new(&client, &outage, id, [&a, &b], [true; 2], limits);
        for seat in joined {
            watched.progress.joined(seat, "");
        }
        watched.last = Sequence(3);
        let watched = watched.known_to(Sequence(if is_known { 3 } else { 1 }));
        let played = watched.with_faults(undecided(Termination::Expired));
        assert_eq!((played.termination, kinds(&played)), (ending, faults));
        let winner = (ending == lost).then_some(Seat::First);
        assert_eq!(played.winner, winner);
    }
}

/// An operator who aborts a match says why, and may be one of its players.
#[tokio::test]
async fn a_bot_that_declines_its_match_loses_it() {
    let (client, outage) = (client(), Outage::none());
    let [(a, _), (mut b, _)] = ["a", "b"].map(bot);
    b.id = "1".repeat(32).parse().unwrap();
    let reason = || "busy".parse().ok();
    for (termination, by, reason, detail) in [
        (
            Termination::Declined,
            Some(b.id),
            reason(),
            Some("it declined the match: busy"),
        ),
        (
            Termination::Declined,
            Some(b.id),
            None,
            Some("it declined the match"),
        ),
        (
            Termination::Aborted,
            Some(b.id),
            None,
            Some("it called the match off"),
        ),
        (Termination::Aborted, Some(b.id), reason(), None),
        (
            Termination::Aborted,
            "2".repeat(32).parse().ok(),
            reason(),
            None,
        ),
    ] {
        let id = ID.parse().unwrap();
        let limits = RunLimits::USUAL;
        let mut watched = WatchedMatch::new(&client, &outage, id, [&a, &b], [true; 2], limits);
        watched.desertion = watched.desertion_in(&MatchOutcome {
            aborted_by: by,
            reason,
            ..MatchOutcome::new(None, termination)
        });
        let played = watched.with_faults(undecided(termination));
        let details: Vec<&str> = played.faults.iter().map(|fault| &*fault.detail).collect();
        assert_eq!(details, Vec::from_iter(detail));
        assert_eq!(played.winner, detail.map(|_| Seat::First));
        assert_eq!(played.is_void(), detail.is_none());
    }
}

#[test]
fn a_damaged_log_is_the_fault_of_no_bot() {
    let damaged = WatchError::Closed(Closing::Reason(CloseReason::LogDamaged));
    assert!(damaged.is_infrastructure());
    assert_eq!(
        damaged.to_string(),
        "the service has ended the stream of the match: the log of the match is damaged"
    );
    assert!(!WatchError::Closed(Closing::Reason(CloseReason::TokenEnded)).is_infrastructure());
}
