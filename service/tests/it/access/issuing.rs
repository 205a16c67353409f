use std::time::Duration;

use dragontooth_proto::v1;
use tonic::Code;
use tonic_types::StatusExt;
use v1::{Scope, TokenState};

use super::{Guarded, token_request};
use crate::pair::{Pair, to_points};
use crate::player::is_about_now;
use crate::raw::Raw;
use crate::refusals::{fact, reason_of};

#[tokio::test]
async fn a_token_identifies_its_player() {
    let guarded = Guarded::start().await;
    let scopes = [Scope::Watch, Scope::Play, Scope::Play];
    let request = v1::CreateTokenRequest {
        ttl: Some(prost_types::Duration {
            seconds: 3600,
            nanos: 0,
        }),
        ..token_request("Ann", &scopes)
    };
    let issued = guarded.operator.create_token(request).await.unwrap();
    assert!(issued.secret.starts_with("dgt_"), "{}", issued.secret.len());
    let token = issued.token.unwrap();
    let ann = Raw::with_secret(guarded.address(), &issued.secret).await;
    let told = ann.players.clone().who_am_i(v1::WhoAmIRequest {}).await;
    let told = told.unwrap().into_inner();
    assert_eq!(told.player_id, token.player_id);
    assert_eq!(told.name, "Ann");
    assert_eq!(
        told.scopes().collect::<Vec<_>>(),
        [Scope::Play, Scope::Watch]
    );
    assert_eq!(told.token_id, token.id);
    assert_eq!(told.expire_time, token.expire_time);
    let (created, expires) = (token.create_time.unwrap(), token.expire_time.unwrap());
    assert_eq!(expires.seconds - created.seconds, 3600);
    assert!(is_about_now(Some(created)));
}

#[tokio::test]
async fn a_player_stays_the_same_through_a_rotation() {
    let guarded = Guarded::start().await;
    let all = [Scope::Play, Scope::Watch, Scope::Create];
    let (old, ann) = guarded.issue(token_request("Ann", &all)).await;
    let bob = guarded.player("Bob").await;
    let match_id = ann.create(to_points(1)).await.unwrap().id;
    ann.join(&match_id, v1::Seat::First).await.unwrap();
    bob.join(&match_id, v1::Seat::Second).await.unwrap();

    // Two tokens are valid at the same time. A third is refused until one has ended.
    let (new, again) = guarded.issue(token_request("Ann", &all)).await;
    assert_eq!(new.player_id, old.player_id);
    let third = guarded.operator.create_token(token_request("Ann", &all));
    let refused = third.await.unwrap_err();
    assert_eq!(reason_of(&refused).unwrap(), "TOO_MANY_TOKENS");
    guarded.operator.revoke_token(&old.id).await.unwrap();
    let refused = ann.who_am_i().await.unwrap_err();
    assert_eq!(reason_of(&refused).unwrap(), "TOKEN_REVOKED");
    let pair = Pair {
        creator: again.clone(),
        first: again,
        second: bob,
        match_id,
    };
    pair.play().await.unwrap();
    guarded
        .operator
        .create_token(token_request("Ann", &all))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_repeated_request_is_granted_once_and_returns_the_secret_while_it_is_known() {
    let guarded = Guarded::start().await;
    let request = v1::CreateTokenRequest {
        request_id: "once".to_owned(),
        ..token_request("Ann", &[Scope::Play])
    };
    let first = guarded.operator.create_token(request.clone()).await;
    let first = first.unwrap();
    let again = guarded.operator.create_token(request.clone()).await;
    assert_eq!(first, again.unwrap());
    let changes: [fn(&mut v1::CreateTokenRequest); 4] = [
        |request| request.name = "Bob".to_owned(),
        |request| request.scopes = vec![Scope::Watch.into()],
        |request| request.scopes.push(Scope::Watch.into()),
        |request| {
            request.ttl = Some(prost_types::Duration {
                seconds: 1,
                nanos: 0,
            });
        },
    ];
    for change in changes {
        let mut other = request.clone();
        change(&mut other);
        let refused = guarded.operator.create_token(other).await.unwrap_err();
        assert_eq!(reason_of(&refused).unwrap(), "REQUEST_ID_REUSED");
    }

    // After a restart the service has only the hash.
    let guarded = guarded.restart().await;
    let refused = guarded.operator.create_token(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::AlreadyExists);
    let facts = refused.get_error_details();
    let facts = &facts.error_info().unwrap().metadata;
    assert_eq!(facts["token_id"], first.token.unwrap().id);
}

#[tokio::test]
async fn tokens_are_listed_in_pages_without_their_secrets() {
    let guarded = Guarded::start().await;
    let mut secrets = Vec::new();
    for number in 0..5 {
        let request = token_request(&format!("player {number}"), &[Scope::Play]);
        let issued = guarded.operator.create_token(request).await.unwrap();
        secrets.push(issued.secret);
    }
    let mut listed = Vec::new();
    let mut page_token = String::new();
    loop {
        let page = guarded.operator.list_tokens(2, &page_token).await.unwrap();
        assert!(page.tokens.len() <= 2);
        let text = format!("{page:?}");
        assert!(!secrets.iter().any(|secret| text.contains(secret)));
        assert!(!text.contains("dgt_"));
        listed.extend(page.tokens);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let all = guarded.operator.list_tokens(0, "").await.unwrap().tokens;
    let ids = |tokens: &[v1::Token]| {
        tokens
            .iter()
            .map(|token| token.id.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&listed), ids(&all));
    assert!(ids(&all).is_sorted());
    assert_eq!(all.len(), 6);
    let (_, colleague) = guarded
        .issue(token_request("colleague", &[Scope::Admin]))
        .await;
    let page = guarded.operator.list_tokens(2, "").await.unwrap();
    let refused = colleague.list_tokens(2, &page.next_page_token).await;
    assert_eq!(fact(&refused.unwrap_err(), "field"), "page_token");
    for page_token in ["x", &page.tokens[1].id] {
        let refused = guarded.operator.list_tokens(0, page_token).await;
        assert_eq!(reason_of(&refused.unwrap_err()).unwrap(), "FIELD_INVALID");
    }
}

#[tokio::test]
async fn the_last_use_is_reported_and_survives_a_restart() {
    let guarded = Guarded::start().await;
    let (token, ann) = guarded.issue(token_request("Ann", &[Scope::Play])).await;
    assert_eq!(token.last_use_time, None);
    ann.who_am_i().await.unwrap();
    let find = async |guarded: &Guarded| {
        let listed = guarded.operator.list_tokens(0, "").await.unwrap().tokens;
        listed.into_iter().find(|listed| listed.id == token.id)
    };
    let used = find(&guarded).await.unwrap().last_use_time;
    assert!(is_about_now(used));
    let guarded = guarded.restart().await;
    assert_eq!(find(&guarded).await.unwrap().last_use_time, used);
}

#[tokio::test]
async fn impossible_tokens_are_refused() {
    let guarded = Guarded::start().await;
    let ttl = |seconds, nanos| v1::CreateTokenRequest {
        ttl: Some(prost_types::Duration { seconds, nanos }),
        ..token_request("Ann", &[Scope::Play])
    };
    let days = i64::try_from(Duration::from_hours(24).as_secs()).unwrap();
    let mut unknown = token_request("Ann", &[]);
    unknown.scopes.push(9);
    for (request, field) in [
        (token_request("", &[Scope::Play]), "name"),
        (token_request(" Ann", &[Scope::Play]), "name"),
        (token_request("A\nn", &[Scope::Play]), "name"),
        (token_request(&"n".repeat(65), &[Scope::Play]), "name"),
        (token_request("Ann", &[]), "scopes"),
        (token_request("Ann", &[Scope::Unspecified]), "scopes[0]"),
        (unknown, "scopes[0]"),
        (ttl(0, 0), "ttl"),
        (ttl(-1, 0), "ttl"),
        (ttl(0, 999), "ttl"),
        (ttl(3650 * days + 1, 0), "ttl"),
        (ttl(i64::MAX, 0), "ttl"),
    ] {
        let refused = guarded.operator.create_token(request.clone()).await;
        let refused = refused.unwrap_err();
        assert_eq!(reason_of(&refused).unwrap(), "FIELD_INVALID", "{request:?}");
        let facts = refused.get_error_details();
        assert_eq!(facts.error_info().unwrap().metadata["field"], field);
    }
    let refused = guarded.operator.create_token(ttl(-1, 0)).await.unwrap_err();
    assert!(refused.message().contains("it is negative"), "{refused}");
    let tokens = guarded.operator.list_tokens(0, "").await.unwrap().tokens;
    assert_eq!(tokens.len(), 1, "nothing was issued");
    let states: Vec<_> = tokens.iter().map(v1::Token::state).collect();
    assert_eq!(states, [TokenState::Live]);
}
