//! Properties that hold over the wire for every game of the catalogue.

use dragontooth_games::record::{opening_entries, read_text};
use dragontooth_games::verify::verify_draws;
use dragontooth_games::{Seat, catalogue};
use dragontooth_proto::v1;
use dragontooth_service_client::{Client, random_request_id};
use dragontooth_service_vocabulary::NewMatch;
use v1::match_event::Event;

use crate::raw::Raw;
use crate::replayed::assert_replays;
use crate::served::Served;
use crate::whole_matches::{play_pair_by_calls, play_pair_on_streams};

#[tokio::test]
async fn matches_replay_and_draws_follow_from_their_seeds() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    for game in catalogue::GAMES {
        for (variant, seed) in game.variants().into_iter().zip(1..) {
            let usual = variant.targets.usual;
            let target = usual[usual.len().min(2) - 1];
            let mut new = NewMatch::new(game.name, target);
            new.variant = Some(variant.name.to_owned());
            let called = play_pair_by_calls(&served, new.clone(), seed).await;
            new.seed = Some("a seed".parse().unwrap());
            let streamed = play_pair_on_streams(&served, new, seed).await;
            for id in [called, streamed] {
                let record = raw.export(&id).await.unwrap();
                assert_replays(&record);
                check_draws(&raw, &id, &record.text).await;
                for format in game.formats {
                    let text = raw.export_as(&id, format.name).await.unwrap().text;
                    assert!(!text.is_empty(), "{}", format.name);
                }
            }
        }
    }
    served.stop().await;
}

#[tokio::test]
async fn a_match_with_an_opening_is_exported_and_verified_with_it() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    for (game, variant, opening) in [
        ("kamisado", "standard", "a1a7 f8f4"),
        (
            "kamisado",
            "random",
            "OLMPYRGB/8/8/8/8/8/8/gbrypmlo b -; a1a7",
        ),
        ("linja", "random", "5,2,1,1,1,1,1,0/0,1,1,1,1,1,1,6 b 1;"),
        (
            "tzaar",
            "random",
            "ttttT/TrrrRT/TRzzZRT/TRZtTZRT/TRZTtzrt/trztTzrt/trzZZrt/trRRRt/tTTTT w o;",
        ),
        (
            "backgammon",
            "standard",
            "31; 8/5 6/5; roll; 64; 24/14; double; take",
        ),
        (
            "backgammon",
            "money_64",
            "XGID=-b----E-C---eE---c-e----B-:1:-1:1:52:0:0:0:0:6 capped; 24/22 13/8",
        ),
    ] {
        let mut new = NewMatch::new(game, 1);
        new.target = if variant == "standard" { 3 } else { 1 };
        new.variant = Some(variant.to_owned());
        new.opening = opening_entries(opening);
        let opening = new.opening.clone();
        let id = play_pair_by_calls(&served, new, 1).await;
        let record = raw.export(&id).await.unwrap();
        assert_replays(&record);
        assert_eq!(record.r#match.unwrap().opening, opening);
        let Some(Event::Created(created)) = record.events[0].event.clone() else {
            panic!("the first event creates the match");
        };
        assert_eq!(created.r#match.unwrap().opening, opening);
        let (read, _) = read_text(&record.text).unwrap();
        assert_eq!(read.opening, opening);
        check_draws(&raw, &id, &record.text).await;
    }
    served.stop().await;
}

/// The service's verification, and that of anyone who has the text.
async fn check_draws(raw: &Raw, id: &str, text: &str) {
    let (record, headers) = read_text(text).unwrap();
    assert_eq!(headers.match_id, id);
    assert_eq!(headers.keeps_commitment(), Some(true));
    let checked = verify_draws(&record, &headers.draws().unwrap()).unwrap();
    let told = raw.verify(id).await.unwrap();
    assert_eq!(
        (told.deals, told.rolls, told.fault.as_str()),
        (checked.deals, checked.rolls, "")
    );
}

#[tokio::test]
async fn a_format_that_a_game_does_not_have_is_refused() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let id = served
        .client("creator")
        .await
        .create_match(NewMatch::new("kamisado", 1))
        .await
        .unwrap()
        .id;
    let refused = raw.export_as(&id.to_string(), "mat").await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::InvalidArgument);
    assert!(
        refused
            .message()
            .contains("unknown format \"mat\"; expected one of text"),
        "{}",
        refused.message()
    );
    served.stop().await;
}

/// The dice of the two matches of a pair are the same for each seat while both continue, and the
/// server's seed is not revealed before the end.
#[tokio::test]
async fn matches_that_share_a_seed_share_their_dice() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let mut new = NewMatch::new("backgammon", 1);
    new.seed = Some("pair 7".parse().unwrap());
    let mut rolls = Vec::new();
    for number in 0..2 {
        let id = play_pair_by_calls(&served, new.clone(), number).await;
        rolls.push(rolls_of(&raw.export(&id).await.unwrap()));
    }
    new.seed = Some("pair 8".parse().unwrap());
    let id = play_pair_by_calls(&served, new.clone(), 0).await;
    let other = rolls_of(&raw.export(&id).await.unwrap());
    let common = rolls.iter().map(Vec::len).min().unwrap().min(other.len());
    assert!(common > 10);
    assert_eq!(rolls[0][..common], rolls[1][..common]);
    assert_ne!(rolls[0][..common], other[..common]);

    let creator = served.client("creator").await;
    let running = start(&creator, &served, new).await;
    let record = raw.export(&running).await.unwrap();
    assert_eq!(
        (record.seed.as_str(), told(&record).server_seed.as_str()),
        ("", "")
    );
    assert!(!record.text.contains("pair 8") && !record.text.contains("ServerSeed"));
    served.stop().await;
}

/// An action in another notation is logged in the canonical one, and repeating the request is the
/// same request.
#[tokio::test]
async fn an_action_in_another_notation_may_be_repeated() {
    let served = Served::in_memory().await;
    let creator = served.client("creator").await;
    let mut new = NewMatch::new("backgammon", 3);
    new.seed = Some("loose".parse().unwrap());
    let id = start(&creator, &served, new).await.parse().unwrap();
    let due = creator.get_decision(id).await.unwrap();
    assert!(due.roll.is_some() && !due.offers.is_empty());
    let canonical = &due.legal_actions[0];
    let mut parts: Vec<&str> = canonical.split(' ').collect();
    parts.reverse();
    let written = format!("{} ", parts.join("  ")).trim_end().to_owned();
    assert_ne!(&written, canonical);
    let player = served.client(&format!("starting-{}", due.seat)).await;
    let answer = dragontooth_service_client::Answer {
        match_id: id,
        decision_id: due.id,
        action: written,
        request_id: Some(random_request_id()),
        thinking: None,
    };
    let first = player.submit_action(answer.clone()).await.unwrap();
    assert_eq!(&first.action, canonical);
    let again = player.submit_action(answer).await.unwrap();
    assert_eq!(
        (again.action, again.sequence),
        (first.action, first.sequence)
    );
    served.stop().await;
}

/// A match with both seats taken.
async fn start(creator: &Client, served: &Served, new: NewMatch) -> String {
    let id = creator.create_match(new).await.unwrap().id;
    for seat in Seat::BOTH {
        let player = served.client(&format!("starting-{seat}")).await;
        player.join_match(id, Some(seat), "", None).await.unwrap();
    }
    id.to_string()
}

fn told(record: &v1::ExportMatchResponse) -> &v1::Match {
    record.r#match.as_ref().unwrap()
}

fn rolls_of(record: &v1::ExportMatchResponse) -> Vec<String> {
    let events = record
        .events
        .iter()
        .filter_map(|event| event.event.as_ref());
    let roll = |event: &Event| {
        if let Event::Rolled(rolled) = event {
            return Some(rolled.roll.clone());
        }
        None
    };
    events.filter_map(roll).collect()
}
