//! Players who leave. The time stands still where a test counts it; no test waits for it to pass.

use std::time::{Duration, SystemTime};

use dragontooth_proto::v1;
use v1::play_response::Response;
use v1::{Seat, Termination};

use crate::pair::{Pair, to_points};
use crate::player::Player;
use crate::served::Served;
use crate::still_clock::StillClock;
use crate::watched::Watched;

const GRACE: Duration = Duration::from_secs(20);
const SECOND: Duration = Duration::from_secs(1);
/// Longer than any test takes.
const LONG: Duration = Duration::from_hours(1);

#[tokio::test]
async fn a_player_who_returns_too_late_loses() {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let pair = seat(&served, GRACE).await;
    let (first, mut second) = open_both(&pair).await;
    pair.play().await.unwrap();
    assert_eq!(pair.view().await.absences, []);

    clock.pass(SECOND).await;
    drop(first);
    let forfeit = absence(&pair, Seat::First).await;
    clock.pass_almost(GRACE).await;
    assert_eq!(pair.view().await.state(), v1::MatchState::Active);
    clock.pass_the_rest().await;
    let lost = closed(&mut second).await;
    let outcome = lost.outcome.unwrap();
    assert_eq!(outcome.termination(), Termination::Disconnect);
    assert_eq!(outcome.winner(), Seat::Second);
    let ended = SystemTime::try_from(lost.end_time.unwrap()).unwrap();
    assert!(ended >= forfeit, "the grace was kept");
}

#[tokio::test]
async fn a_player_who_returns_in_time_plays_on() {
    let served = Served::in_memory().await;
    let pair = seat(&served, LONG).await;
    let (first, _second) = open_both(&pair).await;
    pair.play().await.unwrap();
    drop(first);
    let left = absence(&pair, Seat::First).await;
    let _again = Player::open(&pair.first).await;
    presence(&pair).await;
    pair.play().await.unwrap();
    pair.play().await.unwrap();
    assert!(left > SystemTime::now());
}

/// The opponent of a player who left long ago leaves too.
#[tokio::test]
async fn no_one_wins_when_both_are_away() {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let pair = seat(&served, GRACE).await;
    let (first, second) = open_both(&pair).await;
    pair.play().await.unwrap();
    drop(first);
    absence(&pair, Seat::First).await;
    clock.pass(SECOND).await;
    drop(second);
    absence(&pair, Seat::Second).await;
    clock.pass(GRACE).await;
    let outcome = ended(&pair).await;
    assert_eq!(outcome.termination(), Termination::Disconnect);
    assert_eq!(outcome.winner(), Seat::Unspecified);
}

#[tokio::test]
async fn a_player_who_leaves_before_the_first_action_loses() {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let pair = seat(&served, GRACE).await;
    let (first, _second) = open_both(&pair).await;
    drop(first);
    absence(&pair, Seat::First).await;
    clock.pass(GRACE + SECOND).await;
    let outcome = ended(&pair).await;
    assert_eq!(outcome.termination(), Termination::Disconnect);
    assert_eq!(outcome.winner(), Seat::Second);
}

/// A player without a stream is present while it makes calls.
#[tokio::test]
async fn a_call_counts_as_presence() {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let pair = seat(&served, LONG).await;
    let since_the_start = absence(&pair, Seat::Second).await;
    clock.pass(SECOND).await;
    pair.second.decision(&pair.match_id).await.unwrap();
    let since_the_call = moved(&pair, Seat::Second, since_the_start).await;
    assert_eq!(since_the_call, since_the_start + SECOND);
    // Nothing is known about strangers.
    let before = absence(&pair, Seat::First).await;
    clock.pass(SECOND).await;
    pair.creator.decision(&pair.match_id).await.unwrap();
    pair.second.decision(&pair.match_id).await.unwrap();
    moved(&pair, Seat::Second, since_the_call).await;
    assert_eq!(absence(&pair, Seat::First).await, before);
}

#[tokio::test]
async fn the_grace_of_a_resumed_match_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let pair = seat(&served, LONG).await;
    let (_first, _second) = open_both(&pair).await;
    pair.play().await.unwrap();
    served.stop().await;

    let restarted = SystemTime::now();
    let served = Served::in_folder(folder.path()).await;
    let pair = pair.go_on(&served).await;
    for seat in [Seat::First, Seat::Second] {
        // The service reports whole microseconds.
        let forfeit = absence(&pair, seat).await + Duration::from_micros(1);
        assert!(forfeit >= restarted + LONG);
    }
    served.stop().await;
}

async fn seat(served: &Served, grace: Duration) -> Pair {
    let new = v1::CreateMatchRequest {
        disconnect_grace: Some(grace.try_into().unwrap()),
        ..to_points(3)
    };
    let pair = Pair::seat_on(served.address(), new).await;
    let told = pair.view().await.disconnect_grace.unwrap();
    assert_eq!(Duration::try_from(told).unwrap(), grace);
    pair
}

/// Opens the streams of both players and reads the match from them.
async fn open_both(pair: &Pair) -> (Player, Player) {
    let mut players = (
        Player::open(&pair.first).await,
        Player::open(&pair.second).await,
    );
    players.0.opened().await;
    players.1.opened().await;
    players
}

/// The match when the player is notified of its end.
async fn closed(player: &mut Player) -> v1::Match {
    loop {
        if let Response::MatchClosed(closed) = player.next().await {
            return closed.r#match.unwrap();
        }
    }
}

/// Waits for the end of the match and returns its outcome.
async fn ended(pair: &Pair) -> v1::MatchOutcome {
    let mut watched = Watched::open(&pair.creator, &pair.match_id, 0).await;
    watched.read_to_the_end().await;
    pair.view().await.outcome.unwrap()
}

/// Waits until a seat's player is away and returns the time at which the match will be lost.
async fn absence(pair: &Pair, seat: Seat) -> SystemTime {
    loop {
        if let Some(time) = forfeit_time(pair, seat).await {
            return time;
        }
    }
}

/// Waits until that time differs from `before` and returns it.
async fn moved(pair: &Pair, seat: Seat, before: SystemTime) -> SystemTime {
    loop {
        let time = absence(pair, seat).await;
        if time != before {
            return time;
        }
    }
}

/// Waits until no player is away.
async fn presence(pair: &Pair) {
    while !pair.view().await.absences.is_empty() {}
}

async fn forfeit_time(pair: &Pair, seat: Seat) -> Option<SystemTime> {
    let absences = pair.view().await.absences;
    let absence = absences.iter().find(|absence| absence.seat() == seat)?;
    Some(SystemTime::try_from(absence.forfeit_time?).unwrap())
}
