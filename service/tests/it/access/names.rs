use dragontooth_proto::v1;
use tonic::{Code, Status};
use tonic_types::StatusExt;
use v1::match_event::Event;
use v1::play_request::{AcceptInvitation, Request};
use v1::play_response::Response;
use v1::{JoinMatchRequest, Reservation, Scope, Seat};

use super::{Guarded, token_request};
use crate::pair::to_points;
use crate::player::Player;
use crate::raw::Raw;
use crate::refusals::{fact, reason_of};

fn called(match_id: &str, name: &str) -> JoinMatchRequest {
    JoinMatchRequest {
        match_id: match_id.to_owned(),
        name: name.to_owned(),
        ..JoinMatchRequest::default()
    }
}

/// The name of a seat, and whether the service vouches for it.
fn named(view: &v1::Match, seat: Seat) -> (&str, bool) {
    let info = view.seats.iter().find(|info| info.seat() == seat).unwrap();
    (&info.name, info.name_verified)
}

/// A match with a seat reserved for each player.
async fn invite(creator: &Raw, players: [&Raw; 2]) -> v1::Match {
    let mut new = to_points(1);
    for (seat, player) in [Seat::First, Seat::Second].into_iter().zip(players) {
        new.reservations.push(Reservation {
            seat: seat.into(),
            player_id: player.who_am_i().await.unwrap(),
        });
    }
    creator.create(new).await.unwrap()
}

#[tokio::test]
async fn nobody_with_an_issued_token_plays_under_another_name_or_none() {
    let guarded = Guarded::start().await;
    let ann = guarded.player("Ann").await;
    let mallory = guarded.player("Mallory").await;
    let id = ann.create(to_points(1)).await.unwrap().id;
    let joined = mallory.take_seat(called(&id, "Ann")).await.unwrap();
    assert_eq!(named(&joined, Seat::First), ("Mallory", true));
    // One that nobody could give itself is not looked at either.
    let joined = ann.take_seat(called(&id, "two  spaces")).await.unwrap();
    assert_eq!(named(&joined, Seat::Second), ("Ann", true));

    let exported = ann.export(&id).await.unwrap();
    let events = exported.events.into_iter().map(|event| event.event);
    let names: Vec<_> = events
        .filter_map(|event| match event {
            Some(Event::SeatJoined(joined)) => Some((joined.name, joined.name_verified)),
            _ => None,
        })
        .collect();
    assert_eq!(names, [("Mallory".into(), true), ("Ann".into(), true)]);
    assert!(exported.text.contains("\"Mallory\""), "{}", exported.text);

    // The event has the name.
    let before = ann.get(&id).await.unwrap().seats;
    let guarded = guarded.restart().await;
    let bob = guarded.player("Bob").await;
    assert_eq!(bob.get(&id).await.unwrap().seats, before);
}

#[tokio::test]
async fn an_invitation_is_accepted_under_the_own_name() {
    let guarded = Guarded::start().await;
    let [ann, bob] = [guarded.player("Ann").await, guarded.player("Bob").await];
    let created = invite(&guarded.player("the host").await, [&ann, &bob]).await;
    assert_eq!(named(&created, Seat::First), ("Ann", true));
    assert_eq!(named(&created, Seat::Second), ("Bob", true));
    assert!(created.seats.iter().all(|seat| !seat.joined));

    let mut stream = Player::open(&ann).await;
    let Response::Invitation(invitation) = stream.next().await else {
        panic!("a seat is reserved");
    };
    assert_eq!(invitation.r#match.unwrap().seats, created.seats);
    let accept = AcceptInvitation {
        match_id: created.id.clone(),
        name: "Bob".to_owned(),
        ..AcceptInvitation::default()
    };
    stream.send(Some(Request::AcceptInvitation(accept)));
    bob.take_seat(called(&created.id, "Ann")).await.unwrap();
    let opened = stream.opened().await;
    assert_eq!(named(&opened, Seat::First), ("Ann", true));
    assert_eq!(named(&opened, Seat::Second), ("Bob", true));
}

/// On an open service anybody may take any name, and everybody can tell.
#[tokio::test]
async fn a_self_given_name_is_marked() {
    let guarded = Guarded::start_open().await;
    let ann = guarded.player("Ann").await;
    let stranger = guarded.served.raw("stranger").await;
    let created = invite(&stranger, [&ann, &stranger]).await;
    assert_eq!(named(&created, Seat::First), ("Ann", true));
    assert_eq!(named(&created, Seat::Second), ("", false));
    stranger
        .take_seat(called(&created.id, "Ann"))
        .await
        .unwrap();
    let joined = ann.take_seat(called(&created.id, "Ann")).await.unwrap();
    assert_eq!(named(&joined, Seat::First), ("Ann", true));
    assert_eq!(named(&joined, Seat::Second), ("Ann", false));
}

#[tokio::test]
async fn the_name_of_a_player_is_public() {
    let guarded = Guarded::start_open().await;
    let ann = guarded.player("Ann").await;
    let stranger = guarded.served.raw("stranger").await;
    let player_id = ann.who_am_i().await.unwrap();
    assert_eq!(stranger.name_of(&player_id).await.unwrap(), "Ann");
    let own_secret = stranger.who_am_i().await.unwrap();
    for unknown in [own_secret, "0".repeat(32)] {
        let refused = stranger.name_of(&unknown).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
        assert_eq!(reason_of(&refused).unwrap(), "PLAYER_NOT_FOUND");
    }
    for malformed in ["", "me"] {
        let refused = stranger.name_of(malformed).await.unwrap_err();
        assert_eq!(reason_of(&refused).unwrap(), "FIELD_INVALID");
        assert_eq!(fact(&refused, "field"), "player_id");
    }
    // Every token of the identity may have ended.
    let (token, _) = guarded.issue(token_request("Ann", &[Scope::Play])).await;
    guarded.operator.revoke_token(&token.id).await.unwrap();
    assert_eq!(stranger.name_of(&player_id).await.unwrap(), "Ann");
}

/// The refusals name the field, the character and its place.
#[tokio::test]
async fn names_and_titles_that_deceive_are_refused() {
    let guarded = Guarded::start_open().await;
    let stranger = guarded.served.raw("stranger").await;
    let id = stranger.create(to_points(1)).await.unwrap().id;
    let check = |refused: Status, field: &str, character: &str| {
        assert_eq!(reason_of(&refused).unwrap(), "FIELD_INVALID");
        assert_eq!(fact(&refused, "field"), field);
        let details = refused.get_error_details();
        let why = &details.bad_request().unwrap().field_violations[0].description;
        assert!(why.starts_with(character), "{why}");
    };
    for (text, character) in [
        ("Ann\u{202e}bob", "character 4, U+202E, "),
        ("A\u{200b}nn", "character 2, U+200B, "),
        ("\u{feff}Ann", "character 1, U+FEFF, "),
        ("Ann\u{2066}", "character 4, U+2066, "),
        ("Ann\u{7}", "character 4, U+0007, "),
    ] {
        let titled = v1::CreateMatchRequest {
            title: text.to_owned(),
            ..to_points(1)
        };
        check(
            stranger.create(titled).await.unwrap_err(),
            "title",
            character,
        );
        let joined = stranger.take_seat(called(&id, text)).await;
        check(joined.unwrap_err(), "name", character);
        let issued = token_request(text, &[Scope::Play]);
        let issued = guarded.operator.create_token(issued).await;
        check(issued.unwrap_err(), "name", character);
    }
    for (text, character) in [
        ("P\u{430}ypal", "character 2, U+0430, "),
        ("Zoe\u{308}", "character 3, U+0065, "),
        ("\u{ff21}nn", "character 1, U+FF21, "),
    ] {
        let joined = stranger.take_seat(called(&id, text)).await;
        check(joined.unwrap_err(), "name", character);
        let issued = token_request(text, &[Scope::Play]);
        let issued = guarded.operator.create_token(issued).await;
        check(issued.unwrap_err(), "name", character);
    }
    let view = stranger.get(&id).await.unwrap();
    assert!(view.seats.iter().all(|seat| !seat.joined));
}

#[tokio::test]
async fn no_identity_looks_like_another() {
    let guarded = Guarded::start().await;
    guarded.player("paypal").await;
    let issue = async |name: &str| {
        let request = token_request(name, &[Scope::Play]);
        guarded.operator.create_token(request).await
    };
    for like in [
        "paypa1",
        "paypaI",
        "\u{440}\u{430}\u{443}\u{440}\u{430}\u{4cf}",
    ] {
        let refused = issue(like).await.unwrap_err();
        assert_eq!(refused.code(), Code::AlreadyExists);
        assert_eq!(reason_of(&refused).unwrap(), "NAME_CONFUSABLE");
        assert_eq!(fact(&refused, "name"), "paypal");
    }
    let tokens = guarded.operator.list_tokens(0, "").await.unwrap().tokens;
    assert_eq!(tokens.len(), 2, "nothing was issued");
    issue("paypal").await.unwrap();
}
