use dragontooth_proto::v1;
use tonic::Status;
use v1::Scope;

use super::provoke::{NO_MATCH, Provoked, fact};
use crate::access::{Guarded, token_request};
use crate::raw::Raw;
use crate::served::Served;

const ALL: [Scope; 3] = [Scope::Play, Scope::Watch, Scope::Create];

/// The form of an issued token, from another service.
async fn foreign_secret() -> String {
    let elsewhere = Guarded::start().await;
    let issued = elsewhere.operator.create_token(token_request("Ann", &ALL));
    issued.await.unwrap().secret
}

pub(super) async fn malformed() -> Provoked {
    let secret = foreign_secret().await;
    let cut = &secret[..secret.len() - 1];
    let (open, guarded) = (Served::in_memory().await, Guarded::start().await);
    let at = async |address, secret: &str| {
        let raw = Raw::with_secret(address, secret).await;
        raw.who_am_i().await.unwrap_err()
    };
    vec![
        ("cut, open", at(open.address(), cut).await),
        ("cut, guarded", at(guarded.address(), cut).await),
        ("own", at(guarded.address(), "a-secret-of-my-own").await),
    ]
}

pub(super) async fn unknown() -> Provoked {
    let secret = foreign_secret().await;
    let (open, guarded) = (Served::in_memory().await, Guarded::start().await);
    let mut provoked = Vec::new();
    for address in [open.address(), guarded.address()] {
        let raw = Raw::with_secret(address, &secret).await;
        provoked.push(("who am i", raw.who_am_i().await.unwrap_err()));
        let read = raw.get(NO_MATCH).await;
        provoked.push(("get", read.unwrap_err()));
    }
    provoked
}

pub(super) async fn expired() -> Provoked {
    let guarded = Guarded::start().await;
    let request = v1::CreateTokenRequest {
        ttl: Some(prost_types::Duration {
            seconds: 0,
            nanos: 1000,
        }),
        ..token_request("Ann", &ALL)
    };
    // A microsecond passes before the request is answered.
    let (_, raw) = guarded.issue(request).await;
    vec![("who am i", raw.who_am_i().await.unwrap_err())]
}

pub(super) async fn revoked() -> Provoked {
    let guarded = Guarded::start().await;
    let (token, raw) = guarded.issue(token_request("Ann", &ALL)).await;
    raw.who_am_i().await.unwrap();
    guarded.operator.revoke_token(&token.id).await.unwrap();
    vec![("who am i", raw.who_am_i().await.unwrap_err())]
}

pub(super) async fn scope_missing() -> Provoked {
    let guarded = Guarded::start().await;
    let raw = guarded.player("Ann").await;
    let refused = raw.list_tokens(0, "").await.unwrap_err();
    assert_eq!(fact(&refused, "scope"), "admin");
    vec![("list", refused)]
}

pub(super) async fn not_found() -> Provoked {
    let guarded = Guarded::start().await;
    let refused = guarded.operator.revoke_token("0123456789abcdef").await;
    vec![("revoke", refused.unwrap_err())]
}

pub(super) async fn too_many() -> Provoked {
    let guarded = Guarded::start().await;
    guarded.player("Ann").await;
    guarded.player("Ann").await;
    let third = guarded.operator.create_token(token_request("Ann", &ALL));
    let refused = third.await.unwrap_err();
    assert_eq!(fact(&refused, "limit"), "tokens_of_an_identity");
    vec![("create", refused)]
}

pub(super) async fn name_confusable() -> Provoked {
    let guarded = Guarded::start().await;
    guarded.player("mark").await;
    let like = guarded.operator.create_token(token_request("rnark", &ALL));
    vec![("create", like.await.unwrap_err())]
}

pub(super) async fn request_id_reused() -> Status {
    let guarded = Guarded::start().await;
    let request = |name| v1::CreateTokenRequest {
        request_id: "once".to_owned(),
        ..token_request(name, &ALL)
    };
    guarded.operator.create_token(request("Ann")).await.unwrap();
    let refused = guarded.operator.create_token(request("Bob")).await;
    let refused = refused.unwrap_err();
    assert!(!fact(&refused, "token_id").is_empty());
    refused
}
