//! Seeds that creators give for several matches: secret until all of these are over.

use dragontooth_games::chance::Seed;
use dragontooth_proto::v1;
use v1::match_event::Event;

use crate::pair::{Pair, to_points};
use crate::refusals::reason_of;
use crate::served::Served;
use crate::watched::Watched;

const TEXT: &str = "an encounter";

pub(crate) fn one_of(matches: u32) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        seed: TEXT.to_owned(),
        seed_matches: matches,
        ..to_points(1)
    }
}

/// All places in which the service may show the seed of a match: empty where it does not.
async fn shown(pair: &Pair) -> Vec<String> {
    let record = pair.creator.export_raw(&pair.match_id).await.unwrap();
    let in_text = record
        .text
        .lines()
        .find(|line| line.starts_with("[ServerSeed"));
    let mut seeds = vec![
        pair.view().await.server_seed,
        record.r#match.unwrap().server_seed,
        record.seed,
        in_text.unwrap_or_default().to_owned(),
        record
            .raw_records
            .first()
            .map_or_else(String::new, |_| "raw".to_owned()),
    ];
    for event in record.events {
        if let Some(Event::MatchEnded(ended)) = event.event {
            seeds.push(ended.server_seed);
        }
    }
    seeds
}

pub(crate) async fn assert_secret(pair: &Pair) {
    let shown = shown(pair).await;
    assert!(shown.iter().all(String::is_empty), "{shown:?}");
}

pub(crate) async fn assert_revealed(pair: &Pair) {
    let shown = shown(pair).await;
    assert!(shown.iter().all(|place| !place.is_empty()), "{shown:?}");
    let seed = Seed::from_text(TEXT);
    assert_eq!(shown[0], hex(seed.bytes()));
    assert_eq!(pair.view().await.seed_commitment, hex(&seed.commitment("")));
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

/// The match that ends first would otherwise reveal the draws of the other.
#[tokio::test]
async fn a_shared_seed_is_secret_until_all_its_matches_are_over() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let one = Pair::seat_on(served.address(), one_of(2)).await;
    one.first.resign(&one.match_id, "").await.unwrap();
    // The other one does not exist yet.
    assert_secret(&one).await;
    let mut watched = Watched::open(&one.second, &one.match_id, 0).await;
    watched.read_to_the_end().await;
    let Some(Event::MatchEnded(ended)) = &watched.events.last().unwrap().event else {
        panic!("the last event is the end");
    };
    assert_eq!(ended.server_seed, "");

    let two = Pair::seat_on(served.address(), one_of(2)).await;
    assert_secret(&one).await;
    served.stop().await;
    let served = Served::in_folder(folder.path()).await;
    let (one, two) = (one.go_on(&served).await, two.go_on(&served).await);
    assert_secret(&one).await;
    two.creator.abort(&two.match_id, "").await.unwrap();
    assert_revealed(&one).await;
    assert_revealed(&two).await;
    served.stop().await;

    let served = Served::in_folder(folder.path()).await;
    let one = one.go_on(&served).await;
    assert_revealed(&one).await;
    served.stop().await;
}

/// Another creator that knows or guesses the text cannot reveal or hide it.
#[tokio::test]
async fn a_seed_is_shared_by_the_matches_of_one_creator() {
    let served = Served::in_memory().await;
    let one = Pair::seat_on(served.address(), one_of(2)).await;
    one.first.resign(&one.match_id, "").await.unwrap();
    let stranger = served.raw("stranger").await;
    let other = stranger.create(one_of(2)).await.unwrap().id;
    stranger.abort(&other, "").await.unwrap();
    assert_secret(&one).await;
    let two = one.creator.create(one_of(2)).await.unwrap().id;
    stranger.create(one_of(2)).await.unwrap();
    one.creator.abort(&two, "").await.unwrap();
    assert_revealed(&one).await;
}

/// The players change seats, and each has its own share.
#[tokio::test]
async fn both_matches_of_a_pair_have_the_same_draws() {
    let served = Served::in_memory().await;
    let mut starts = Vec::new();
    for [first, second] in [["one", "other"], ["other", "one"]] {
        let new = v1::CreateMatchRequest {
            game: "tzaar".to_owned(),
            variant: "random".to_owned(),
            ..one_of(2)
        };
        let mut pair = Pair::connect(served.address()).await;
        pair.match_id = pair.creator.create(new).await.unwrap().id;
        for (player, seat, share) in [
            (&pair.first, v1::Seat::First, first),
            (&pair.second, v1::Seat::Second, second),
        ] {
            player.join_with(&pair.match_id, seat, share).await.unwrap();
        }
        starts.push(pair.view().await.position);
    }
    assert_eq!(starts[0], starts[1]);
}

#[tokio::test]
async fn a_number_of_matches_needs_a_seed_and_has_a_limit() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let without = v1::CreateMatchRequest {
        seed: String::new(),
        ..one_of(2)
    };
    for new in [without, one_of(1025)] {
        let refused = raw.create(new).await.unwrap_err();
        assert_eq!(reason_of(&refused).as_deref(), Some("FIELD_INVALID"));
    }
    raw.create(one_of(1024)).await.unwrap();
}
