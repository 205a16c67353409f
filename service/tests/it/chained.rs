//! The hash chain, from a client's view.

use dragontooth_games::record::read_text;
use dragontooth_proto::v1;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::pair::Pair;
use crate::served::Served;

/// The formula of docs/protocol.md, as a client would write it.
pub(crate) fn head_hash(match_id: &str, raw_records: &[Vec<u8>]) -> String {
    let id = Uuid::parse_str(match_id).unwrap();
    let start = [&b"dragontooth.chain.v1\0"[..], id.as_bytes()].concat();
    let mut head = Sha256::digest(start).to_vec();
    for record in raw_records {
        head = Sha256::digest([&head[..], record].concat()).to_vec();
    }
    let digits = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap();
    head.iter()
        .flat_map(|byte| [digits(byte >> 4), digits(byte & 15)])
        .collect()
}

#[tokio::test]
async fn the_head_hash_is_that_of_the_raw_records() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let pair = Pair::seat(&served).await;
    let raw = served.raw("anyone").await;
    let id = &pair.match_id;
    let mut seen = Vec::new();
    for _ in 0..4 {
        pair.play().await.unwrap();
        let now = raw.get(id).await.unwrap();
        assert_eq!(now.head_hash.len(), 64);
        seen.push((now.head_sequence, now.head_hash));
    }
    let running = raw.export_raw(id).await.unwrap();
    assert!(running.raw_records.is_empty(), "the seed is in the first");
    served.stop().await;

    // A service that has read the log has the same hash.
    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("first").await;
    let again = raw.get(id).await.unwrap();
    let (last, hash) = seen.last().unwrap();
    assert_eq!((&again.head_sequence, &again.head_hash), (last, hash));
    raw.resign(id, "").await.unwrap();
    assert!(raw.export(id).await.unwrap().raw_records.is_empty());
    let ended = raw.export_raw(id).await.unwrap();
    let told = ended.r#match.unwrap();
    assert_eq!(told.head_sequence, ended.raw_records.len() as u64);
    assert_eq!(told.head_hash, head_hash(id, &ended.raw_records));
    // The text has the same hash, and reads back.
    let header = format!("[HeadHash \"{}\"]", told.head_hash);
    assert!(ended.text.lines().any(|line| line == header));
    let (_, headers) = read_text(&ended.text).unwrap();
    assert!(headers.head_hash.is_some());
    for (sequence, hash) in seen {
        let records = usize::try_from(sequence).unwrap();
        assert_eq!(hash, head_hash(id, &ended.raw_records[..records]));
    }
    // The match in the first event is the one after the first event.
    let Some(v1::match_event::Event::Created(created)) = &ended.events[0].event else {
        panic!("the first event creates the match");
    };
    let first = created.r#match.as_ref().unwrap();
    assert_eq!(first.head_hash, head_hash(id, &ended.raw_records[..1]));
    served.stop().await;
}
