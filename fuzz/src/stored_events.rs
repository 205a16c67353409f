use dragontooth_service_store::{
    ChainHead, StreamId, decode, decode_token_event, encode, encode_token_event,
};

use crate::refusal;

/// Reads any bytes as a stored event of a match or of the tokens.
pub(crate) fn stored_events(data: &[u8]) {
    match decode(data) {
        Ok((time, event)) => {
            let stored = encode(time, &event);
            assert_eq!(decode(&stored), Ok((time, event)));
        }
        Err(error) => refusal::check(&error),
    }
    match decode_token_event(data) {
        Ok((time, event)) => {
            let stored = encode_token_event(time, &event);
            assert_eq!(decode_token_event(&stored), Ok((time, event)));
        }
        Err(error) => refusal::check(&error),
    }
}

/// Reads any bytes as the first record of a stream, sealed or not.
pub(crate) fn sealed_records(data: &[u8]) {
    let start = ChainHead::start(StreamId([7; 16]));
    let mut head = start;
    let payload = match head.follow(data) {
        Ok(payload) => payload,
        Err(error) => {
            assert_eq!(head, start, "a refused record moved the head");
            return refusal::check(&error);
        }
    };
    let mut sealed_head = start;
    let sealed = sealed_head.seal(payload);
    assert_eq!(sealed_head, head);
    let mut again = start;
    assert_eq!(again.follow(&sealed).ok(), Some(payload));
    assert_eq!(again, head);
    for bit in 0..8 * sealed.len() {
        let mut flipped = sealed.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(start.clone().follow(&flipped).is_err(), "bit {bit}");
    }
}

pub(crate) fn stored_event_seeds() -> Vec<Vec<u8>> {
    let of_matches = include_str!("../../service/store/tests/data/events_format_1.txt");
    let of_tokens = include_str!("../../service/store/tests/data/token_events_format_1.txt");
    [of_matches, of_tokens]
        .into_iter()
        .flat_map(lines)
        .collect()
}

/// Events, bare and sealed.
pub(crate) fn sealed_record_seeds() -> Vec<Vec<u8>> {
    let mut seeds = stored_event_seeds();
    for payload in stored_event_seeds() {
        seeds.push(ChainHead::start(StreamId([7; 16])).seal(&payload));
    }
    seeds
}

/// The bytes of a file of hexadecimal digits, one entry per line.
fn lines(text: &str) -> Vec<Vec<u8>> {
    let told = text.lines().filter(|line| !line.starts_with('#'));
    told.filter_map(|line| hex(line.trim()))
        .filter(|bytes| !bytes.is_empty())
        .collect()
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let byte = |at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(byte).collect()
}
