//! Tokens and blocks that one service writes and another enforces.

use std::time::{Duration, Instant};

use dragontooth_proto::v1;
use dragontooth_service::OfflineTokens;
use dragontooth_service_vocabulary::Scope;
use v1::CloseReason;

use super::replica;
use crate::access::token_request;
use crate::database_server::Server;
use crate::invitations::inviting;
use crate::player::Player;
use crate::raw::Raw;
use crate::refusals::reason_of;
use crate::served::issue_offline;

const ALL: [v1::Scope; 3] = [v1::Scope::Play, v1::Scope::Watch, v1::Scope::Create];

/// The time within which a service enforces what others have written.
const KNOWN: Duration = Duration::from_secs(1);

/// The secret of an operator.
async fn operator(server: &Server) -> String {
    let offline = OfflineTokens::open_postgres(&server.options())
        .await
        .unwrap();
    issue_offline(offline, "the operator", Scope::Admin).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_issued_and_revoked_on_all_services() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let secret = operator(&server).await;
    let (one, other) = (replica(&server).await, replica(&server).await);
    let operator = Raw::with_secret(one.address(), &secret).await;
    let issued = operator.create_token(token_request("Ann", &ALL)).await;
    let issued = issued.unwrap();
    // At once: the other service does not know it yet.
    let ann = Raw::with_secret(other.address(), &issued.secret).await;
    ann.who_am_i().await.unwrap();
    let mut playing = Player::open(&ann).await;
    let id = issued.token.unwrap().id;
    operator.revoke_token(&id).await.unwrap();
    let revoked = Instant::now();
    assert_eq!(playing.closing().await, CloseReason::TokenEnded);
    assert!(revoked.elapsed() <= KNOWN, "{:?}", revoked.elapsed());
    let refused = ann.who_am_i().await.unwrap_err();
    assert_eq!(reason_of(&refused).unwrap(), "TOKEN_REVOKED");
    one.stop().await;
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_block_is_enforced_on_all_services() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (one, other) = (replica(&server).await, replica(&server).await);
    let (guest, host) = (one.raw("guest").await, other.raw("host").await);
    let host_id = host.who_am_i().await.unwrap();
    let invitation = inviting(&guest).await;
    let invited = host.create(invitation.clone()).await.unwrap().id;
    guest.block(&host_id).await.unwrap();
    // The invitation that the guest's service may not have known is declined.
    let mut watch = host.watch(&invited, 0).await.unwrap();
    while watch.message().await.unwrap().is_some() {}
    let view = host.get(&invited).await.unwrap();
    assert_eq!(
        view.outcome.unwrap().termination(),
        v1::Termination::Declined
    );
    let elsewhere = other.raw("guest").await;
    while elsewhere.blocked_players().await.unwrap() != [host_id.clone()] {}
    let refused = host.create(invitation.clone()).await.unwrap_err();
    assert_eq!(reason_of(&refused).unwrap(), "BLOCKED");
    // It ends there, too.
    elsewhere.unblock(&host_id).await.unwrap();
    host.create(invitation.clone()).await.unwrap();
    one.stop().await;
    other.stop().await;
}
