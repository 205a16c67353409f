use std::time::Duration;

use dragontooth_service_vocabulary::{
    InvalidMatchId, InvalidPlayerId, MatchId, PlayerId, Sequence, Timestamp,
};
use proptest::prelude::*;

const MATCH: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
const PLAYER: &str = "01890a5dac96774bbcceb302099a8057";

#[test]
fn an_id_is_read_and_written() {
    let id: MatchId = MATCH.parse().unwrap();
    assert_eq!(id.to_string(), MATCH);
    assert_eq!(id.bytes()[..2], [0x01, 0x89]);
    let player: PlayerId = PLAYER.parse().unwrap();
    assert_eq!(player.to_string(), PLAYER);
    assert_eq!(player.bytes(), id.bytes());
    let upper = MATCH.to_uppercase();
    assert_eq!(upper.parse(), Ok(id));
    for form in [
        PLAYER.to_owned(),
        format!("urn:uuid:{MATCH}"),
        format!("{{{MATCH}}}"),
    ] {
        assert_eq!(form.parse(), Ok(id), "{form}");
    }
    assert_eq!(PLAYER.to_uppercase().parse(), Ok(player));
}

#[test]
fn what_is_no_id_is_refused() {
    for text in [
        "",
        "1",
        &MATCH[1..],
        "01890a5d-ac96-774b-bcce-b302099a805g",
        "é",
    ] {
        assert_eq!(text.parse::<MatchId>(), Err(InvalidMatchId), "{text:?}");
    }
    let spaced = format!(" {}", &PLAYER[1..]);
    for text in [
        "",
        MATCH,
        &PLAYER[1..],
        "gggggggggggggggggggggggggggggggg",
        &spaced,
    ] {
        assert_eq!(text.parse::<PlayerId>(), Err(InvalidPlayerId), "{text:?}");
    }
}

#[test]
fn sequences_follow_each_other() {
    assert_eq!(Sequence::START, Sequence::default());
    assert_eq!(Sequence::START.next(), Sequence(1));
    assert_eq!(Sequence(41).next(), Sequence(42));
}

proptest! {
    #[test]
    fn every_id_reads_back_as_it_was_written(bytes: [u8; 16]) {
        let id = MatchId::from_bytes(bytes);
        prop_assert_eq!(id.to_string().parse(), Ok(id));
        prop_assert_eq!(id.bytes(), bytes);
        let player = PlayerId::from_bytes(bytes);
        prop_assert_eq!(player.to_string().parse(), Ok(player));
        prop_assert_eq!(player.bytes(), bytes);
    }

    /// So the newest match of a list is the last.
    #[test]
    fn ids_sort_like_their_texts(one: [u8; 16], other: [u8; 16]) {
        let (one, other) = (MatchId::from_bytes(one), MatchId::from_bytes(other));
        prop_assert_eq!(one.cmp(&other), one.to_string().cmp(&other.to_string()));
    }

    #[test]
    fn any_text_is_an_id_or_not(text in any::<String>()) {
        let _ = text.parse::<MatchId>();
        let _ = text.parse::<PlayerId>();
    }

    #[test]
    fn moments_and_durations_add_up(start: u64, wait_us: u64) {
        let start = Timestamp::from_micros(start);
        let wait = Duration::from_micros(wait_us);
        let end = start.after(wait);
        prop_assert_eq!(end.micros(), start.micros().saturating_add(wait_us));
        prop_assert!(end.since(start) <= wait);
        prop_assert_eq!(start.after(end.since(start)), end);
        prop_assert_eq!(start.since(end), Duration::ZERO);
        prop_assert_eq!(start.after(Duration::MAX).micros(), u64::MAX);
    }
}
