use std::time::Instant;

use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{MatchEvent, PlayerId};
use v1::match_event::Event as Told;

use super::long_match::LongMatch;
use crate::long_run::number_of;
use crate::pair::Pair;
use crate::random_player::Draws;
use crate::raw::Raw;
use crate::served::Served;
use crate::watched::Watched;

/// Number of events unless `SERVICE_TEST_EVENTS` sets another; the nightly run sets 50,000.
const EVENTS: usize = 12_000;

/// Readers that resume while another one pauses.
const RESUMED: usize = 12;

/// One reader is fifty thousand events behind and keeps pausing. Meanwhile
/// others resume from anywhere, and the match continues. All of them receive the same events.
#[tokio::test]
async fn a_reader_far_behind_receives_everything() {
    let count = number_of("SERVICE_TEST_EVENTS", EVENTS);
    let started = Instant::now();
    let mut draws = Draws::new(601);
    let players = {
        let served = Served::in_memory().await;
        [
            id_of(&served, "first").await,
            id_of(&served, "second").await,
        ]
    };
    let long = LongMatch::play(players, count, &mut draws);
    let folder = tempfile::tempdir().unwrap();
    long.write_to(folder.path()).await;
    println!("written after {:?}", started.elapsed());
    let served = Served::in_folder(folder.path()).await;
    println!("resumed after {:?}", started.elapsed());
    let pair = Pair {
        match_id: long.id.to_string(),
        ..Pair::connect(served.address()).await
    };

    let mut behind = Watched::open(&pair.creator, &pair.match_id, 0).await;
    let mut resumed = Vec::new();
    while behind.caught_up.is_empty() {
        behind.read().await;
        if resumed.len() < RESUMED && behind.last() > (resumed.len() * count / RESUMED) as u64 {
            // This is its pause: it reads nothing until another reader has got an event.
            let anywhere = draws.below(count as u64);
            // Each has a separate connection: a client that does not read one stream blocks the others on its
            // connection.
            let elsewhere = served.raw("anyone").await;
            let mut other = Watched::open(&elsewhere, &pair.match_id, anywhere).await;
            for _ in 0..4 {
                other.read().await;
            }
            resumed.push(other);
            if resumed.len() % 4 == 0 {
                pair.play().await.unwrap();
            }
        }
    }
    println!("caught up after {:?}", started.elapsed());
    assert_eq!(resumed.len(), RESUMED);
    pair.first.resign(&pair.match_id, "").await.unwrap();
    behind.read_to_the_end().await;
    assert_eq!(behind.caught_up.len(), 1);
    let (reason, resume) = behind.closing.unwrap();
    assert_eq!(reason, v1::CloseReason::MatchEnded);
    assert_eq!(resume, behind.events.len() as u64);
    assert!(behind.batches >= count / 256);

    for (event, told) in long.events.iter().zip(&behind.events) {
        assert!(is_sent_as(event, told), "{event:?} as {told:?}");
    }
    for mut other in resumed {
        let after = usize::try_from(other.after).unwrap();
        let told = &behind.events[after..][..other.events.len()];
        assert!(!told.is_empty());
        assert_eq!(other.events, told);
        if after > count * 4 / 5 {
            other.read_to_the_end().await;
            assert_eq!(other.events, behind.events[after..]);
            assert_eq!(other.closing, behind.closing);
            assert_eq!(other.caught_up.len(), 1);
        }
    }
    println!("done after {:?}", started.elapsed());
    served.stop().await;
}

async fn id_of(served: &Served, name: &str) -> PlayerId {
    let raw: Raw = served.raw(name).await;
    raw.who_am_i().await.unwrap().parse().unwrap()
}

/// Returns true if the wire event is this event.
fn is_sent_as(event: &MatchEvent, told: &v1::MatchEvent) -> bool {
    match (event, told.event.as_ref().unwrap()) {
        (MatchEvent::Created(created), Told::Created(told)) => {
            created.id.to_string() == told.r#match.as_ref().unwrap().id
        }
        (MatchEvent::SeatJoined { player, .. }, Told::SeatJoined(told)) => {
            player.to_string() == told.player_id
        }
        (MatchEvent::GameStarted { position, .. }, Told::GameStarted(told)) => {
            *position == told.position
        }
        (MatchEvent::ActionPlayed { action, .. }, Told::ActionPlayed(told)) => {
            *action == told.action
        }
        (MatchEvent::Rolled { roll }, Told::Rolled(told)) => *roll == told.roll,
        (MatchEvent::GameEnded { points, .. }, Told::GameEnded(told)) => {
            *points == told.outcome.as_ref().unwrap().points
        }
        (MatchEvent::TurnPassed { .. }, Told::TurnPassed(_)) => true,
        _ => false,
    }
}
