//! Players who leave. No test waits for time to pass: it waits for the event that time brings.

use std::time::{Duration, SystemTime};

use dragontooth_proto::v1;
use v1::play_response::Response;
use v1::{Seat, Termination};

use crate::pair::{Pair, to_points};
use crate::player::Player;
use crate::served::Served;
use crate::watched::Watched;

/// A time that suffices for a few calls, also on a busy machine, and then runs out.
const GRACE: Duration = Duration::from_secs(2);
/// A time that no test takes.
const LONG: Duration = Duration::from_hours(1);

#[tokio::test]
async fn whoever_does_not_come_back_in_time_loses() {
    let served = Served::in_memory().await;
    let pair = seat(&served, GRACE).await;
    let (first, mut second) = open_both(&pair).await;
    pair.play().await.unwrap();
    assert_eq!(pair.view().await.absences, []);

    let left = SystemTime::now();
    drop(first);
    let lost = closed(&mut second).await;
    let outcome = lost.outcome.unwrap();
    assert_eq!(outcome.termination(), Termination::Disconnect);
    assert_eq!(outcome.winner(), Seat::Second);
    let ended = SystemTime::try_from(lost.end_time.unwrap()).unwrap();
    assert!(ended >= left + GRACE, "the grace was kept");
}

#[tokio::test]
async fn whoever_comes_back_in_time_plays_on() {
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

/// The opponent of one who left long ago leaves too.
#[tokio::test]
async fn when_both_are_away_nobody_wins() {
    let served = Served::in_memory().await;
    let pair = seat(&served, GRACE).await;
    let both = open_both(&pair).await;
    pair.play().await.unwrap();
    drop(both);
    let outcome = ended(&pair).await;
    assert_eq!(outcome.termination(), Termination::Disconnect);
    assert_eq!(outcome.winner(), Seat::Unspecified);
}

#[tokio::test]
async fn nobody_loses_before_the_first_action() {
    let served = Served::in_memory().await;
    let pair = seat(&served, GRACE).await;
    let (first, _second) = open_both(&pair).await;
    drop(first);
    let outcome = ended(&pair).await;
    assert_eq!(outcome.termination(), Termination::Disconnect);
    assert_eq!(outcome.winner(), Seat::Unspecified);
}

/// Whoever plays by calls has no stream, and is heard of by its calls.
#[tokio::test]
async fn a_call_shows_that_a_player_is_there() {
    let served = Served::in_memory().await;
    let pair = seat(&served, LONG).await;
    let since_the_start = absence(&pair, Seat::Second).await;
    pair.second.decision(&pair.match_id).await.unwrap();
    let since_the_call = moved(&pair, Seat::Second, since_the_start).await;
    assert!(since_the_call > since_the_start);
    // Of strangers nothing is known.
    let before = absence(&pair, Seat::First).await;
    pair.creator.decision(&pair.match_id).await.unwrap();
    pair.second.decision(&pair.match_id).await.unwrap();
    moved(&pair, Seat::Second, since_the_call).await;
    assert_eq!(absence(&pair, Seat::First).await, before);
}

#[tokio::test]
async fn the_grace_of_a_match_that_is_taken_up_starts_anew() {
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
        // What the service tells is in whole microseconds.
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

/// Opens the streams of both players, and has the match told to them.
async fn open_both(pair: &Pair) -> (Player, Player) {
    let mut players = (
        Player::open(&pair.first).await,
        Player::open(&pair.second).await,
    );
    players.0.opened().await;
    players.1.opened().await;
    players
}

/// The match when the player is told that it is over.
async fn closed(player: &mut Player) -> v1::Match {
    loop {
        if let Response::MatchClosed(closed) = player.next().await {
            return closed.r#match.unwrap();
        }
    }
}

/// How the match ended, when it has.
async fn ended(pair: &Pair) -> v1::MatchOutcome {
    let mut watched = Watched::open(&pair.creator, &pair.match_id, 0).await;
    watched.read_to_the_end().await;
    pair.view().await.outcome.unwrap()
}

/// When the match is lost for a seat whose player is away, as soon as it is.
async fn absence(pair: &Pair, seat: Seat) -> SystemTime {
    loop {
        if let Some(time) = forfeit_time(pair, seat).await {
            return time;
        }
    }
}

/// That time, as soon as it is another than `before`.
async fn moved(pair: &Pair, seat: Seat, before: SystemTime) -> SystemTime {
    loop {
        let time = absence(pair, seat).await;
        if time != before {
            return time;
        }
    }
}

/// Returns as soon as nobody is away.
async fn presence(pair: &Pair) {
    while !pair.view().await.absences.is_empty() {}
}

async fn forfeit_time(pair: &Pair, seat: Seat) -> Option<SystemTime> {
    let absences = pair.view().await.absences;
    let absence = absences.iter().find(|absence| absence.seat() == seat)?;
    Some(SystemTime::try_from(absence.forfeit_time?).unwrap())
}
