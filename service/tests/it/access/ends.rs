use dragontooth_proto::v1;
use v1::watch_match_response::Response;
use v1::{CloseReason, Scope, TokenState};

use super::{Guarded, token_request};
use crate::pair::to_points;
use crate::player::Player;
use crate::refusals::reason_of;

const ALL: [Scope; 3] = [Scope::Play, Scope::Watch, Scope::Create];

#[tokio::test]
async fn a_revoked_token_is_refused_and_its_streams_end() {
    let guarded = Guarded::start().await;
    let (token, ann) = guarded.issue(token_request("Ann", &ALL)).await;
    let (other, bob) = guarded.issue(token_request("Bob", &ALL)).await;
    let match_id = ann.create(to_points(1)).await.unwrap().id;
    let mut playing = Player::open(&ann).await;
    let mut others = Player::open(&bob).await;
    let mut watching = ann.watch(&match_id, 0).await.unwrap();

    let revoked = guarded.operator.revoke_token(&token.id).await.unwrap();
    assert_eq!(revoked.state(), TokenState::Revoked);
    assert!(revoked.revoke_time.is_some());
    assert_eq!(playing.closing().await, CloseReason::TokenEnded);
    assert_eq!(closing(&mut watching).await, CloseReason::TokenEnded);
    let refused = Player::begin(
        &ann,
        v1::play_request::Request::Start(v1::play_request::Start::default()),
    );
    assert_eq!(
        reason_of(&refused.await.unwrap_err()).unwrap(),
        "TOKEN_REVOKED"
    );

    // Revoking it again changes nothing, and other tokens are not affected.
    let again = guarded.operator.revoke_token(&token.id).await.unwrap();
    assert_eq!(again, revoked);
    bob.join(&match_id, v1::Seat::First).await.unwrap();
    guarded.operator.revoke_token(&other.id).await.unwrap();
    assert_eq!(others.closing().await, CloseReason::TokenEnded);

    let guarded = guarded.restart().await;
    let refused = crate::raw::Raw::with_secret(guarded.address(), "dgt_").await;
    assert!(refused.who_am_i().await.is_err());
    let listed = guarded.operator.list_tokens(0, "").await.unwrap().tokens;
    let states = listed
        .iter()
        .filter(|token| token.state() == TokenState::Revoked);
    assert_eq!(states.count(), 2);
}

/// Long enough for a few calls, even on a busy machine. The test then waits for the streams to
/// end when it runs out.
const SHORT_SECONDS: i64 = 2;

#[tokio::test]
async fn an_expired_token_is_refused_and_its_streams_end() {
    let guarded = Guarded::start().await;
    let request = v1::CreateTokenRequest {
        ttl: Some(prost_types::Duration {
            seconds: SHORT_SECONDS,
            nanos: 0,
        }),
        ..token_request("Ann", &ALL)
    };
    let (token, ann) = guarded.issue(request).await;
    let match_id = ann.create(to_points(1)).await.unwrap().id;
    let mut playing = Player::open(&ann).await;
    let mut watching = ann.watch(&match_id, 0).await.unwrap();
    assert_eq!(playing.closing().await, CloseReason::TokenEnded);
    assert_eq!(closing(&mut watching).await, CloseReason::TokenEnded);
    let refused = ann.who_am_i().await.unwrap_err();
    assert_eq!(reason_of(&refused).unwrap(), "TOKEN_EXPIRED");
    let listed = guarded.operator.list_tokens(0, "").await.unwrap().tokens;
    let listed = listed.into_iter().find(|listed| listed.id == token.id);
    assert_eq!(listed.unwrap().state(), TokenState::Expired);
    // The ended token does not count towards the two.
    for _ in 0..2 {
        let request = token_request("Ann", &ALL);
        guarded.operator.create_token(request).await.unwrap();
    }
}

/// Reads to the end of the stream and returns the reason.
async fn closing(stream: &mut tonic::Streaming<v1::WatchMatchResponse>) -> CloseReason {
    loop {
        let message = stream.message().await.unwrap();
        let message = message.expect("the last message is `closing`");
        if let Some(Response::Closing(closing)) = message.response {
            assert_eq!(stream.message().await.unwrap(), None);
            return closing.reason();
        }
    }
}
