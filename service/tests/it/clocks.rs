//! The service's clocks. The time stands still where a test counts it; no test waits for it to pass.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use dragontooth_games::Seat as Side;
use dragontooth_proto::v1;
use dragontooth_service_client::{Client, Reason, Resume, WatchUpdate, WatchedEvent, system_time};
use dragontooth_service_vocabulary::{
    MatchEvent, MatchId, NewMatch, Sequence, Stage, Termination, TimeControl,
};
use v1::Seat;

use crate::pair::Pair;
use crate::player::{Player, reason_in};
use crate::refusals::reason_of;
use crate::served::Served;
use crate::still_clock::{StillClock, TICK};

const LONG: Duration = Duration::from_hours(1);
const SHORT: Duration = Duration::from_secs(20);

/// The time that a player takes for an action.
const THOUGHT: Duration = Duration::from_secs(7);

#[tokio::test]
async fn a_match_without_clocks_has_none() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    pair.play().await.unwrap();
    let view = pair.view().await;
    assert_eq!((view.time_control, view.deadline), (None, None));
    assert!(view.seats.iter().all(|seat| seat.time_control.is_none()));
    assert!(view.clocks.is_empty());
    let due = pair.decision().await;
    assert!(due.clocks.is_empty() && due.deadline.is_none());
}

#[tokio::test]
async fn a_limit_for_each_action_is_the_same_every_time() {
    let control = TimeControl::PerAction { limit: LONG };
    for played in play_some(control).await {
        assert_eq!(played.remaining, LONG);
        assert_eq!(played.allowance, LONG);
    }
}

#[tokio::test]
async fn an_increment_is_added_after_each_action() {
    let increment = Duration::from_secs(30);
    let control = TimeControl::Fischer {
        base: LONG,
        increment,
    };
    for played in play_some(control).await {
        assert_eq!(played.remaining + THOUGHT, played.before + increment);
        assert_eq!(played.allowance, played.before);
    }
}

#[tokio::test]
async fn a_time_without_an_increment_only_shrinks() {
    let control = TimeControl::Fischer {
        base: LONG,
        increment: Duration::ZERO,
    };
    for played in play_some(control).await {
        assert_eq!(played.remaining + THOUGHT, played.before);
        assert_eq!(played.allowance, played.before);
    }
}

#[tokio::test]
async fn a_sufficient_delay_leaves_the_base_time() {
    let delay = THOUGHT;
    let control = TimeControl::Delay { base: SHORT, delay };
    for played in play_some(control).await {
        assert_eq!(played.remaining, SHORT);
        assert_eq!(played.allowance, SHORT + delay);
    }
}

#[tokio::test]
async fn an_insufficient_delay_uses_the_base_time() {
    let delay = Duration::from_secs(2);
    let control = TimeControl::Delay { base: LONG, delay };
    for played in play_some(control).await {
        assert_eq!(played.remaining + THOUGHT, played.before + delay);
        assert_eq!(played.allowance, played.before + delay);
    }
}

#[tokio::test]
async fn the_time_runs_out_on_every_kind_of_clock() {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    for control in [
        TimeControl::PerAction { limit: SHORT },
        TimeControl::Fischer {
            base: SHORT,
            increment: LONG,
        },
        TimeControl::Delay {
            base: SHORT / 2,
            delay: SHORT / 2,
        },
    ] {
        run_out(&served, &clock, control).await;
    }
}

/// Lets the time of a match run out.
async fn run_out(served: &Served, clock: &StillClock, control: TimeControl) {
    let pair = seat(served, control).await;
    let client = served.client("creator").await;
    let opened = client.get_match(pair.id()).await.unwrap();
    let due = pair.decision().await;
    clock.pass_almost(SHORT).await;
    assert_eq!(pair.view().await.state(), v1::MatchState::Active);
    clock.pass_the_rest().await;
    let ended = ended(&client, pair.id(), Sequence::START).await;
    assert!(system_time(ended.recorded.time) >= opened.deadline.unwrap());
    let view = client.get_match(pair.id()).await.unwrap();
    let outcome = view.outcome.unwrap();
    assert_eq!(outcome.termination, Termination::Timeout);
    assert_eq!(outcome.winner, Some(Side::Second));
    assert_eq!(view.deadline, None);

    let late = v1::SubmitActionRequest {
        match_id: due.match_id,
        decision_id: due.decision_id,
        action: due.legal_actions[0].clone(),
        request_id: String::new(),
        thinking: None,
    };
    let refused = pair.first.submit(late).await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("MATCH_ENDED"));
}

#[tokio::test]
async fn a_player_is_notified_that_its_time_is_up() {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let pair = seat(&served, TimeControl::PerAction { limit: SHORT }).await;
    let (mut player, due) = Player::deciding(&pair.first).await;
    assert!(due.deadline.is_some());
    clock.pass(SHORT + TICK).await;
    assert_eq!(player.closed().await, pair.view().await);
    player.answer(&due, &due.legal_actions[0], "");
    assert_eq!(reason_in(&player.refused().await), "MATCH_ENDED");
}

/// The clock of the seat that has just acted stops.
#[tokio::test]
async fn the_time_runs_out_for_the_seat_that_decides() {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let control = TimeControl::Fischer {
        base: SHORT,
        increment: LONG,
    };
    let pair = seat(&served, control).await;
    clock.pass_almost(SHORT).await;
    pair.play().await.unwrap();
    clock.pass(SHORT + TICK).await;
    let client = served.client("creator").await;
    ended(&client, pair.id(), Sequence::START).await;
    let outcome = pair.view().await.outcome.unwrap();
    assert_eq!(outcome.winner(), Seat::First);
    assert_eq!(outcome.termination(), v1::Termination::Timeout);
}

/// One seat has an hour for the match, the other a limit for each action, and both are reported.
#[tokio::test]
async fn each_seat_has_its_own_time_control() {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let hour = TimeControl::Fischer {
        base: LONG,
        increment: Duration::ZERO,
    };
    let limit = TimeControl::PerAction { limit: SHORT };
    let pair = seat_at(&served, [Some(hour), Some(limit)]).await;
    let client = served.client("creator").await;
    let view = client.get_match(pair.id()).await.unwrap();
    assert_eq!(view.seat(Side::First).time_control, Some(hour));
    assert_eq!(view.seat(Side::Second).time_control, Some(limit));
    assert_eq!(pair.view().await.time_control, None);
    assert_eq!(view.clocks, Some([Some(LONG), Some(SHORT)]));
    clock.pass(THOUGHT).await;
    pair.play().await.unwrap();
    let due = client.get_decision(pair.id()).await.unwrap();
    let rest = LONG.checked_sub(THOUGHT);
    assert_eq!(due.clocks, Some([rest, Some(SHORT)]));
    // The clock of the seat that decides runs out, not the other one.
    clock.pass(SHORT + TICK).await;
    ended(&client, pair.id(), Sequence::START).await;
    let outcome = pair.view().await.outcome.unwrap();
    assert_eq!(outcome.winner(), v1::Seat::First);
    assert_eq!(outcome.termination(), v1::Termination::Timeout);
}

#[tokio::test]
async fn one_seat_alone_may_have_a_clock() {
    let served = Served::in_memory().await;
    let limit = TimeControl::PerAction { limit: SHORT };
    let pair = seat_at(&served, [None, Some(limit)]).await;
    let client = served.client("creator").await;
    let due = client.get_decision(pair.id()).await.unwrap();
    assert_eq!((due.seat, due.deadline), (Side::First, None));
    assert_eq!(due.clocks, Some([None, Some(SHORT)]));
    let played = pair.play().await.unwrap();
    assert!(played.r#match.unwrap().deadline.is_some());
    let events = client.export_match(pair.id(), None).await.unwrap().events;
    let MatchEvent::ActionPlayed { remaining, .. } = events.last().unwrap().event() else {
        panic!("{events:?}");
    };
    assert_eq!(*remaining, None);
}

/// The same request in another form is the same match. With the seats' times swapped it is another.
#[tokio::test]
async fn the_times_of_the_seats_belong_to_the_request() {
    let served = Served::in_memory().await;
    let client = served.client("creator").await;
    let limit = TimeControl::PerAction { limit: LONG };
    let new = NewMatch {
        time_controls: [Some(limit), None],
        request_id: Some("odds".parse().unwrap()),
        ..timed(limit)
    };
    let first = client.create_match(new.clone()).await.unwrap();
    assert_eq!(client.create_match(new.clone()).await.unwrap().id, first.id);
    for time_controls in [[None, Some(limit)], [Some(limit); 2], [None; 2]] {
        let other = NewMatch {
            time_controls,
            ..new.clone()
        };
        let refused = client.create_match(other).await.unwrap_err();
        assert_eq!(refused.reason(), Some(&Reason::RequestIdReused));
    }
}

/// A match with a clock so short that, once started, it would end before the others.
#[tokio::test]
async fn no_clock_runs_before_both_players_have_joined() {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let client = served.client("creator").await;
    let at_once = TimeControl::PerAction {
        limit: Duration::from_micros(1),
    };
    let empty = client.create_match(timed(at_once)).await.unwrap();
    let half_full = client.create_match(timed(at_once)).await.unwrap();
    client
        .join_match(half_full.id, None, "", None)
        .await
        .unwrap();
    clock.pass(SHORT).await;
    for id in [empty.id, half_full.id] {
        let view = client.get_match(id).await.unwrap();
        assert_eq!(view.state, Stage::Open);
        assert_eq!(view.deadline, None);
        assert_eq!(view.decision_id, None);
    }
    let other = served.client("other").await;
    other
        .join_match(half_full.id, None, "", None)
        .await
        .unwrap();
    clock.pass(TICK * 2).await;
    ended(&client, half_full.id, Sequence::START).await;
}

#[tokio::test]
async fn the_clock_of_a_resumed_match_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let control = TimeControl::Fischer {
        base: LONG,
        increment: Duration::ZERO,
    };
    let pair = seat(&served, control).await;
    pair.play().await.unwrap();
    let before = pair.view().await;
    served.stop().await;

    let restarted = SystemTime::now();
    let served = Served::in_folder(folder.path()).await;
    let pair = pair.go_on(&served).await;
    let after = pair.view().await;
    assert_eq!(after.clocks, before.clocks);
    let remaining = Duration::try_from(after.clocks[1].remaining.unwrap()).unwrap();
    let deadline = SystemTime::try_from(after.deadline.unwrap()).unwrap();
    // The service reports whole microseconds.
    assert!(deadline + Duration::from_micros(1) >= restarted + remaining);
    let all_but_the_deadline = v1::Match {
        deadline: before.deadline,
        ..after
    };
    assert_eq!(all_but_the_deadline, before);
    served.stop().await;
}

#[tokio::test]
async fn the_time_runs_out_in_a_resumed_match() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let pair = seat(&served, TimeControl::PerAction { limit: SHORT }).await;
    served.stop().await;
    let served = Served::in_folder(folder.path()).await;
    let pair = pair.go_on(&served).await;
    let clock = StillClock::new();
    let due = SystemTime::try_from(pair.view().await.deadline.unwrap()).unwrap();
    let client = served.client("creator").await;
    clock.pass(SHORT + TICK).await;
    let ended = ended(&client, pair.id(), Sequence::START).await;
    assert!(system_time(ended.recorded.time) >= due);
    let outcome = pair.view().await.outcome.unwrap();
    assert_eq!(outcome.termination(), v1::Termination::Timeout);
    served.stop().await;
}

/// A match that is read early must not pay for those that are read after it, while nobody can act.
#[tokio::test]
async fn the_clocks_of_all_resumed_matches_restart_together() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let players = [served.client("one").await, served.client("two").await];
    let control = TimeControl::PerAction { limit: LONG };
    let mut ids = Vec::new();
    for _ in 0..50 {
        let new = NewMatch {
            time_controls: [Some(control); 2],
            ..NewMatch::new("backgammon", 1)
        };
        let id = players[0].create_match(new).await.unwrap().id;
        for (player, side) in players.iter().zip(Side::BOTH) {
            player.join_match(id, Some(side), "", None).await.unwrap();
        }
        ids.push(id);
    }
    served.stop().await;

    let served = Served::in_folder(folder.path()).await;
    let client = served.client("one").await;
    let mut deadlines = BTreeSet::new();
    for id in ids {
        deadlines.insert(client.get_match(id).await.unwrap().deadline.unwrap());
    }
    assert_eq!(deadlines.len(), 1, "{deadlines:?}");
    served.stop().await;
}

/// An action that took [`THOUGHT`], and the clock of its seat.
#[derive(Debug)]
struct Played {
    /// The seat's time when the decision became due.
    before: Duration,
    /// The time it may take.
    allowance: Duration,
    /// The seat's time after it.
    remaining: Duration,
}

/// Plays some actions and compares the clocks in the match, the decision and the events.
async fn play_some(control: TimeControl) -> Vec<Played> {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let pair = seat(&served, control).await;
    let client = served.client("creator").await;
    let mut all = Vec::new();
    for _ in 0..6 {
        let view = client.get_match(pair.id()).await.unwrap();
        let due = client.get_decision(pair.id()).await.unwrap();
        assert_eq!((due.clocks, due.deadline), (view.clocks, view.deadline));
        for seat in &view.seats {
            assert_eq!(seat.time_control, Some(control));
        }
        clock.pass(THOUGHT).await;
        pair.play().await.unwrap();
        let events = client.export_match(pair.id(), None).await.unwrap().events;
        let since = event(&events, due.id.sequence()).recorded.time;
        let played = event(&events, Sequence(due.id.sequence().0 + 1));
        let MatchEvent::ActionPlayed {
            remaining,
            received,
            ..
        } = played.event()
        else {
            panic!("{played:?}");
        };
        let before = view.clocks.unwrap()[due.seat.index()].unwrap();
        assert_eq!(played.facts.remaining_before, Some(before));
        let received = received.unwrap();
        assert_eq!(received, since.after(THOUGHT));
        assert_eq!(played.recorded.time, received);
        let after = client.get_match(pair.id()).await.unwrap().clocks.unwrap();
        assert_eq!(*remaining, after[due.seat.index()]);
        all.push(Played {
            before,
            allowance: view
                .deadline
                .unwrap()
                .duration_since(system_time(since))
                .unwrap(),
            remaining: after[due.seat.index()].unwrap(),
        });
    }
    all
}

fn event(events: &[WatchedEvent], sequence: Sequence) -> &WatchedEvent {
    let found = events
        .iter()
        .find(|event| event.recorded.sequence == sequence);
    found.expect("the event has happened")
}

/// Waits for the last event of a match.
async fn ended(client: &Client, match_id: MatchId, after: Sequence) -> WatchedEvent {
    let mut watch = client.watch(match_id, after, Resume::Never);
    let mut last = None;
    while let Some(update) = watch.next().await {
        if let WatchUpdate::Events(events) = update.unwrap() {
            last = events.last().cloned();
        }
    }
    let last = last.expect("a match has events");
    assert!(
        matches!(last.event(), MatchEvent::MatchEnded { .. }),
        "{last:?}"
    );
    last
}

/// A pair of players in a match with clocks.
async fn seat(served: &Served, control: TimeControl) -> Pair {
    seat_at(served, [Some(control); 2]).await
}

/// A pair of players in a match with these clocks, by seat.
async fn seat_at(served: &Served, time_controls: [Option<TimeControl>; 2]) -> Pair {
    let creator = served.client("creator").await;
    let new = NewMatch {
        time_controls,
        ..NewMatch::new("kamisado", 15)
    };
    let view = creator.create_match(new).await.unwrap();
    let pair = Pair {
        match_id: view.id.to_string(),
        ..Pair::connect(served.address()).await
    };
    pair.first.join(&pair.match_id, Seat::First).await.unwrap();
    pair.second
        .join(&pair.match_id, Seat::Second)
        .await
        .unwrap();
    pair
}

fn timed(control: TimeControl) -> NewMatch {
    NewMatch {
        time_controls: [Some(control); 2],
        ..NewMatch::new("kamisado", 15)
    }
}
