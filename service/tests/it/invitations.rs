//! Invitations: seats reserved for other players. Strangers cannot fill the streams of a player with them.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use dragontooth_games::chance::Seed;
use dragontooth_proto::v1;
use dragontooth_service::Limits;
use dragontooth_service_domain::access::AccessEvent;
use dragontooth_service_domain::create;
use dragontooth_service_store::{
    ChainHead, EventLog, MatchLog, RESERVED_STREAM, SledLog, TokenLog,
};
use dragontooth_service_vocabulary::{MatchId, NewMatch, PlayerId, Timestamp};
use v1::play_response::Response;
use v1::{MatchState, Seat, Termination};

use crate::limits::{assert_limited, quota};
use crate::pair::{Pair, to_points};
use crate::play_streams::kept_for;
use crate::player::Player;
use crate::program::Program;
use crate::raw::Raw;
use crate::refusals::reason_of;
use crate::served::{Served, lone_address};
use crate::still_clock::StillClock;

/// Few enough to be reached.
fn few() -> Limits {
    Limits {
        invitations_of_pair: 2,
        invitations_of_inviter: 3,
        invitations_of_invitee: 4,
        ..Limits::default()
    }
}

#[tokio::test]
async fn waiting_invitations_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder_with(folder.path(), &few()).await;
    let raws = served
        .raws(["stranger", "other", "third", "victim", "another"])
        .await;
    let [stranger, other, third, victim, another] = &raws;
    let one = stranger.create(inviting(victim).await).await.unwrap().id;
    let two = stranger.create(inviting(victim).await).await.unwrap().id;
    let refused = stranger.create(inviting(victim).await).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "invitations_of_pair");
    stranger.create(inviting(another).await).await.unwrap();
    let refused = stranger.create(inviting(another).await).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "invitations_of_inviter");
    assert_eq!(quota(stranger, "invitations_of_inviter").await.available, 0);
    for _ in 0..2 {
        other.create(inviting(victim).await).await.unwrap();
    }
    let refused = third.create(inviting(victim).await).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "invitations_of_invitee");
    // A seat of one's own is no invitation, and a refused match counts for nothing.
    for _ in 0..5 {
        victim.create(inviting(victim).await).await.unwrap();
    }
    let matches = quota(third, "matches_of_player").await;
    assert_eq!(matches.available, matches.allowed);

    // Those that wait count after a restart.
    served.stop().await;
    let served = Served::in_folder_with(folder.path(), &few()).await;
    let [stranger, third, victim] = &served.raws(["stranger", "third", "victim"]).await;
    let refused = third.create(inviting(victim).await).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "invitations_of_invitee");
    let refused = stranger.create(inviting(victim).await).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "invitations_of_pair");
    // What is taken or declined waits no longer.
    victim.join(&one, Seat::Unspecified).await.unwrap();
    third.create(inviting(victim).await).await.unwrap();
    victim.decline(&two, "", "").await.unwrap();
    stranger.create(inviting(victim).await).await.unwrap();
    served.stop().await;
}

#[tokio::test]
async fn an_expired_invitation_waits_no_longer() {
    let served = Served::with_limits(&few()).await;
    let clock = StillClock::new();
    let [stranger, victim] = &served.raws(["stranger", "victim"]).await;
    for _ in 0..2 {
        stranger.create(inviting(victim).await).await.unwrap();
    }
    let refused = stranger.create(inviting(victim).await).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "invitations_of_pair");
    clock.pass(Duration::from_hours(2)).await;
    while let Err(refused) = stranger.create(inviting(victim).await).await {
        assert_limited(&refused, "LIMIT_REACHED", "invitations_of_pair");
    }
}

/// Invitations come after everything else, and no faster than calls. They cost none of the player's calls.
#[tokio::test]
async fn invitations_do_not_stand_before_decisions() {
    let limits = Limits {
        calls_per_second: 10,
        call_burst: 20,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let clock = StillClock::new();
    let [stranger, victim, friend] = &served.raws(["stranger", "victim", "friend"]).await;
    let new = inviting(victim).await;
    for _ in 0..30 {
        stranger.create(new.clone()).await.unwrap();
    }
    let own = friend.create(to_points(1)).await.unwrap().id;
    victim.join(&own, Seat::First).await.unwrap();
    friend.join(&own, Seat::Second).await.unwrap();

    let mut player = Player::open(victim).await;
    assert_eq!(player.opened().await.id, own);
    let due = player.decision().await;
    assert_eq!(due.match_id, own);
    assert_eq!(invitations(&mut player, 20).await, 20);
    // Whatever else was sent before it would come before it.
    player.answer(&due, &due.legal_actions[0], "");
    assert_eq!(player.accepted().await.match_id, own);
    clock.pass(Duration::from_secs(1)).await;
    assert_eq!(invitations(&mut player, 10).await, 10);
    assert!(quota(victim, "calls").await.available > 10);
}

#[tokio::test]
async fn a_blocked_player_invites_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let raws = served
        .raws(["stranger", "friend", "victim", "another"])
        .await;
    let [stranger, friend, victim, another] = &raws;
    let id = stranger.who_am_i().await.unwrap();
    let by_friend = friend.create(inviting(victim).await).await.unwrap().id;
    let to_another = stranger.create(inviting(another).await).await.unwrap().id;
    let mut pending = Vec::new();
    for _ in 0..20 {
        pending.push(stranger.create(inviting(victim).await).await.unwrap().id);
    }
    victim.block(&id).await.unwrap();
    victim.block(&id).await.unwrap();
    assert_eq!(
        victim.blocked_players().await.unwrap(),
        std::slice::from_ref(&id)
    );
    for declined in &pending {
        let outcome = victim.get(declined).await.unwrap().outcome.unwrap();
        assert_eq!(outcome.termination(), Termination::Declined);
    }
    for open in [&by_friend, &to_another] {
        assert_eq!(victim.get(open).await.unwrap().state(), MatchState::Open);
    }
    let refused = stranger.create(inviting(victim).await).await.unwrap_err();
    assert_eq!(reason_of(&refused).unwrap(), "BLOCKED");
    stranger.create(inviting(another).await).await.unwrap();

    served.stop().await;
    let served = Served::in_folder(folder.path()).await;
    let [stranger, victim] = &served.raws(["stranger", "victim"]).await;
    let refused = stranger.create(inviting(victim).await).await.unwrap_err();
    assert_eq!(reason_of(&refused).unwrap(), "BLOCKED");
    victim.unblock(&id).await.unwrap();
    victim.unblock(&id).await.unwrap();
    assert_eq!(victim.blocked_players().await.unwrap(), [""; 0]);
    stranger.create(inviting(victim).await).await.unwrap();
    served.stop().await;
}

#[tokio::test]
async fn blocks_are_limited() {
    let limits = Limits {
        blocks_of_player: 2,
        blocks: 3,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let [one, other] = &served.raws(["one", "other"]).await;
    let player = |number: usize| format!("{number:032x}");
    let own = one.who_am_i().await.unwrap();
    for id in ["", "x", &own] {
        let refused = one.block(id).await.unwrap_err();
        assert_eq!(reason_of(&refused).unwrap(), "FIELD_INVALID");
    }
    for number in [1, 2, 1] {
        one.block(&player(number)).await.unwrap();
    }
    let refused = one.block(&player(3)).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "blocks_of_player");
    other.block(&player(1)).await.unwrap();
    let refused = other.block(&player(2)).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "blocks");
    one.unblock(&player(1)).await.unwrap();
    other.block(&player(2)).await.unwrap();
}

#[tokio::test]
async fn a_block_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let address = lone_address();
    let program = Program::serve_at(folder.path(), address).await;
    let address = program.address();
    let pair = Pair::connect(address).await;
    let id = pair.creator.who_am_i().await.unwrap();
    pair.second.block(&id).await.unwrap();
    program.kill().await;
    let program = Program::serve_at(folder.path(), address).await;
    let pair = Pair::connect(address).await;
    let refused = pair.creator.create(inviting(&pair.second).await).await;
    assert_eq!(reason_of(&refused.unwrap_err()).unwrap(), "BLOCKED");
    program.kill().await;
}

/// The service ended between a block and the end of the match.
#[tokio::test]
async fn an_invitation_that_outlived_its_block_is_declined_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let [creator, player] = [7, 8].map(|number| PlayerId::from_bytes([number; 16]));
    let id = MatchId::from_bytes(uuid::Uuid::now_v7().into_bytes());
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = Timestamp::default().after(now.unwrap());
    let new = NewMatch {
        reserved: [None, Some(player)],
        ..NewMatch::new("kamisado", 1)
    };
    let created = create(&new, creator, id, &Seed::from_text("drawn")).unwrap();
    let blocked = AccessEvent::Blocked {
        player,
        blocked: creator,
    };
    let log: Arc<dyn EventLog> = Arc::new(SledLog::open(folder.path()).unwrap());
    let matches = MatchLog::new(Arc::clone(&log));
    let events = [created];
    let appended = matches.append(id, MatchLog::start(id), now, &events);
    appended.await.unwrap();
    let start = ChainHead::start(RESERVED_STREAM);
    let tokens = TokenLog::new(log);
    tokens.append(start, now, &[blocked]).await.unwrap();
    tokens.close().await;
    drop((matches, tokens));

    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("anyone").await;
    let outcome = crate::open_matches::ended(&raw, &id.to_string()).await;
    assert_eq!(outcome.termination(), Termination::Declined);
    assert_eq!(outcome.aborted_by, player.to_string());
    served.stop().await;
}

/// A match with the first seat reserved for a player.
pub(crate) async fn inviting(player: &Raw) -> v1::CreateMatchRequest {
    let mut new = kept_for(player, player).await;
    new.reservations.truncate(1);
    new
}

/// Reads this many messages and returns how many of them are invitations.
async fn invitations(player: &mut Player, messages: usize) -> usize {
    let mut invitations = 0;
    for _ in 0..messages {
        invitations += usize::from(matches!(player.next().await, Response::Invitation(_)));
    }
    invitations
}
