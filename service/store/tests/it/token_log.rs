//! The tokens' events: their bytes, and their stream beside those of the matches.

use std::sync::Arc;
use std::time::Duration;

use dragontooth_service_domain::access::{AccessEvent, TokenHash, TokenIssued};
use dragontooth_service_store::{
    ChainHead, DecodeError, EventLog, MatchLog, MemoryLog, RESERVED_STREAM, SledLog, TokenLog,
    decode_token_event, encode_token_event,
};
use dragontooth_service_vocabulary::{
    IdentityName, MatchId, PlayerId, RequestId, Scope, Scopes, Sequence, Timestamp, TokenId,
};
use futures::StreamExt;
use proptest::prelude::*;

use crate::golden;

pub(crate) const NOON: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);

pub(crate) fn issued(number: u8) -> AccessEvent {
    AccessEvent::Issued(Box::new(TokenIssued {
        hash: TokenHash::from_bytes([number; 32]),
        player: PlayerId::from_bytes([number; 16]),
        name: IdentityName::new(&format!("player {number}")).unwrap(),
        scopes: [Scope::Play, Scope::Admin].into_iter().collect(),
        ttl: Some(Duration::from_secs(3)),
        by: None,
        request_id: None,
    }))
}

/// Made by hand, each from the comment above it.
#[test]
fn stored_tokens_are_read_for_ever() {
    let events: Vec<_> = golden::records("token_events_format_1.txt")
        .iter()
        .map(|record| decode_token_event(record).unwrap())
        .collect();
    let id = TokenId::from_bytes([1; 8]);
    let by = Some(PlayerId::from_bytes([0xad; 16]));
    let [player, blocked] = [2, 3].map(|number| PlayerId::from_bytes([number; 16]));
    let ann = TokenIssued {
        hash: TokenHash::from_bytes([1; 32]),
        player: PlayerId::from_bytes([2; 16]),
        name: IdentityName::new("Ann").unwrap(),
        scopes: Scope::ALL.into_iter().collect(),
        ttl: Some(Duration::from_secs(1)),
        by,
        request_id: Some(RequestId::new("r-1").unwrap()),
    };
    let expected = [
        AccessEvent::Issued(Box::new(ann)),
        AccessEvent::Revoked { id, by: None },
        AccessEvent::Used(vec![(id, Timestamp::from_micros(300))]),
        AccessEvent::Blocked { player, blocked },
        AccessEvent::Unblocked { player, blocked },
    ];
    assert_eq!(
        events,
        expected.map(|event| (Timestamp::from_micros(5), event))
    );
}

#[tokio::test]
async fn tokens_stand_beside_the_matches_and_outlive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let log: Arc<dyn EventLog> = Arc::new(SledLog::open(folder.path()).unwrap());
    let tokens = TokenLog::new(Arc::clone(&log));
    let start = ChainHead::start(RESERVED_STREAM);
    let first = tokens.append(start, NOON, &[issued(1)]).await.unwrap();
    let second = tokens.append(first, NOON, &[issued(2)]).await.unwrap();
    let conflict = tokens.append(first, NOON, &[issued(3)]).await;
    assert!(conflict.is_err(), "the log compares the head");
    let matches = MatchLog::new(Arc::clone(&log));
    assert_eq!(matches.ids().count().await, 0);
    let id = MatchId::from_bytes(RESERVED_STREAM.0);
    assert!(matches.replay(id).await.unwrap().is_none());
    assert!(matches.read(id, start, 10).await.unwrap().is_empty());
    log.close().await;
    drop((tokens, matches, log));
    let log: Arc<dyn EventLog> = Arc::new(SledLog::open(folder.path()).unwrap());
    let (state, head) = TokenLog::new(log).replay().await.unwrap();
    assert_eq!(head, second);
    assert_eq!(state.head(), Sequence(2));
    assert_eq!(state.identities(), 2);
}

#[tokio::test]
async fn damage_is_told_with_its_place() {
    let cases = [
        (b"\x08junk".to_vec(), "damaged"),
        (encode_token_event(NOON, &issued(1)), "does not fit"),
        (vec![2; 40], "breaks the chain"),
    ];
    for (second, fault) in cases {
        let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new());
        let first = encode_token_event(NOON, &issued(1));
        log.append(RESERVED_STREAM, 0.into(), vec![first, second])
            .await
            .unwrap();
        let error = TokenLog::new(log).replay().await.unwrap_err().to_string();
        assert!(error.contains("event 2 of the tokens"), "{error}");
        assert!(error.contains(fault), "{error}");
    }
}

#[test]
fn a_newer_format_is_refused() {
    // Field 1, the format, is 2.
    assert_eq!(
        decode_token_event(&[0x08, 0x02]),
        Err(DecodeError::UnknownFormat(2))
    );
}

proptest! {
    #[test]
    fn what_is_written_is_read(event in any_event(), time in any::<u64>()) {
        let time = Timestamp::from_micros(time);
        let bytes = encode_token_event(time, &event);
        prop_assert_eq!(decode_token_event(&bytes), Ok((time, event)));
    }

    #[test]
    fn whatever_the_bytes_are_reading_ends(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode_token_event(&bytes);
    }
}

fn any_event() -> impl Strategy<Value = AccessEvent> {
    let player = || prop::option::of(any::<[u8; 16]>().prop_map(PlayerId::from_bytes));
    let id = || any::<[u8; 8]>().prop_map(TokenId::from_bytes);
    let scopes = prop::sample::subsequence(Scope::ALL.to_vec(), 0..=4)
        .prop_map(|scopes| scopes.into_iter().collect::<Scopes>());
    let ttl = prop::option::of(any::<u64>().prop_map(Duration::from_micros));
    let request = prop::option::of("[!-~]{1,64}".prop_map(|id| RequestId::new(&id).unwrap()));
    let name = "[A-Za-z]{1,10}".prop_map(|name| IdentityName::new(&name).unwrap());
    let ids = (any::<[u8; 32]>(), any::<[u8; 16]>());
    let issued = (ids, name, scopes, ttl, player(), request).prop_map(
        |((hash, player), name, scopes, ttl, by, request_id)| {
            AccessEvent::Issued(Box::new(TokenIssued {
                hash: TokenHash::from_bytes(hash),
                player: PlayerId::from_bytes(player),
                name,
                scopes,
                ttl,
                by,
                request_id,
            }))
        },
    );
    let uses = prop::collection::vec(
        (id(), any::<u64>().prop_map(Timestamp::from_micros)),
        0..150,
    );
    let pair = || any::<[[u8; 16]; 2]>().prop_map(|pair| pair.map(PlayerId::from_bytes));
    prop_oneof![
        issued,
        pair().prop_map(|[player, blocked]| AccessEvent::Blocked { player, blocked }),
        pair().prop_map(|[player, blocked]| AccessEvent::Unblocked { player, blocked }),
        (id(), player()).prop_map(|(id, by)| AccessEvent::Revoked { id, by }),
        uses.prop_map(AccessEvent::Used),
    ]
}
