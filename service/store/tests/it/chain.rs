//! The chain of hashes finds every change to a log.

use dragontooth_service_store::{ChainError, ChainHead, MatchLogError, SEAL_BYTES, StreamId};
use dragontooth_service_vocabulary::MatchId;
use proptest::prelude::*;

use crate::{
    golden::{self, ID},
    match_log::stored,
};

/// As `python3 -c 'import hashlib; h = hashlib.sha256;
/// s = h(b"dragontooth.chain.v1\0" + bytes(range(16))).digest();
/// print(s.hex(), h(s + b"one").hexdigest())'` has it.
#[test]
fn the_hashes_are_those_of_the_formula() {
    let stream = std::array::from_fn(|at| u8::try_from(at).unwrap());
    let mut head = ChainHead::start(StreamId(stream));
    assert_eq!(
        head.hash.to_string(),
        "8012fe8d5766a15d3a5ba21969201072e13fa8fab6da9f7857535c4329f2c8f3"
    );
    let record = head.seal(b"one");
    assert_eq!(
        head.hash.to_string(),
        "406da15d4b685576efb83a7365da3c4cffb3a45cede79aa04e665c3ac75e6596"
    );
    assert_eq!((record[0], &record[1..33]), (2, &head.hash.bytes()[..]));
    assert_eq!(&record[SEAL_BYTES..], b"one");
}

#[tokio::test]
async fn no_bit_of_a_sealed_log_can_be_changed() {
    let records = golden::records("kamisado_format_2.txt");
    for at in 0..records.len() {
        for bit in 0..records[at].len() * 8 {
            let mut changed = records.clone();
            changed[at][bit / 8] ^= 1 << (bit % 8);
            assert_eq!(broken_at(changed, ID).await, at, "bit {bit}");
        }
    }
}

#[tokio::test]
async fn no_record_can_be_cut_left_out_doubled_or_moved() {
    let records = golden::records("kamisado_format_2.txt");
    for at in 0..records.len() - 1 {
        let mut cut = records.clone();
        cut[at].pop();
        assert_eq!(broken_at(cut, ID).await, at, "cut");
        let mut left_out = records.clone();
        left_out.remove(at);
        assert_eq!(broken_at(left_out, ID).await, at, "left out");
        let mut doubled = records.clone();
        doubled.insert(at, records[at].clone());
        assert_eq!(broken_at(doubled, ID).await, at + 1, "doubled");
        let mut moved = records.clone();
        moved.swap(at, at + 1);
        assert_eq!(broken_at(moved, ID).await, at, "moved");
    }
    for length in 0..SEAL_BYTES {
        let mut cut = records.clone();
        cut[2].truncate(length);
        assert_eq!(broken_at(cut, ID).await, 2, "cut to {length}");
    }
}

#[tokio::test]
async fn no_record_of_another_match_fits() {
    let records = golden::records("kamisado_format_2.txt");
    let others = golden::records("linja_format_2.txt");
    for at in 1..records.len() {
        let mut mixed = records.clone();
        mixed[at].clone_from(&others[at]);
        assert_eq!(broken_at(mixed, ID).await, at);
    }
    let (mut mine, mut theirs) = (ChainHead::start(stream(1)), ChainHead::start(stream(2)));
    assert_ne!(mine.seal(b"the same"), theirs.seal(b"the same"));
}

proptest! {
    #[test]
    fn what_was_sealed_follows(payloads in prop::collection::vec(any::<Vec<u8>>(), 0..10)) {
        let (mut writer, mut reader) = (ChainHead::start(stream(1)), ChainHead::start(stream(1)));
        for payload in &payloads {
            let record = writer.seal(payload);
            prop_assert_eq!(reader.follow(&record).unwrap(), payload);
            prop_assert_eq!(reader, writer);
        }
        prop_assert_eq!(writer.sequence.0, payloads.len() as u64);
    }

    #[test]
    fn any_bytes_follow_or_not(bytes in any::<Vec<u8>>()) {
        let mut head = ChainHead::start(stream(1));
        match head.follow(&bytes) {
            Ok(payload) => prop_assert_eq!(payload, &bytes),
            Err(error) => {
                let known = matches!(bytes.first(), Some(2 | 8));
                prop_assert_eq!(matches!(error, ChainError::UnknownFormat(_)), !known && !bytes.is_empty());
                prop_assert_eq!(head, ChainHead::start(stream(1)));
            }
        }
    }
}

/// The place, from 0, of the record at which the chain breaks.
async fn broken_at(records: Vec<Vec<u8>>, id: MatchId) -> usize {
    let error = stored(records).await.replay(id).await.unwrap_err();
    let MatchLogError::Chain { sequence, .. } = error else {
        panic!("{error:?}");
    };
    usize::try_from(sequence.0).unwrap() - 1
}

fn stream(number: u8) -> StreamId {
    StreamId([number; 16])
}
