use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::chance::Seed;
use dragontooth_games::record::{Thinking, ThinkingValue};
use dragontooth_proto::store::v1 as wire;
use dragontooth_service_store::{DecodeError, EVENT_FORMAT, MAX_RECORD_BYTES, decode, encode};
use dragontooth_service_vocabulary::{
    Audience, Created, DisplayName, EndReason, FailureText, Grace, IdentityName,
    IllegalActionLimit, MAX_GRACE, MAX_ILLEGAL_ACTIONS, MAX_THINKING_TIME, MatchEvent,
    MatchOutcome, MatchSeed, PlayerId, PlayerName, RequestId, SeedText, Termination, TimeControl,
    Timestamp, Title,
};
use proptest::prelude::*;
use prost::Message;

use crate::any_event::any_event;
use crate::golden::{self, ID};
use crate::meaningless::meaningless;

#[test]
fn what_was_ever_written_can_be_read() {
    let records = golden::records("events_format_1.txt");
    let expected = golden_events();
    assert_eq!(records.len(), expected.len());
    for (record, (time, event)) in records.iter().zip(expected) {
        assert_eq!(decode(record).unwrap(), (time, event));
    }
}

#[test]
fn what_was_read_is_written_again_as_it_was_but_for_the_format() {
    let records = golden::records("events_format_1.txt");
    for record in records.into_iter().chain(golden::a_match()) {
        let (time, event) = decode(&record).unwrap();
        let mut written = encode(time, &event);
        assert_eq!(written[..2], [0x08, 2], "{event:?}");
        written[1] = 1;
        assert_eq!(written, record, "{event:?}");
    }
}

#[test]
fn what_format_2_has_is_read_and_written_again_as_it_was() {
    let records = golden::records("events_format_2.txt");
    let expected = golden_events_2();
    assert_eq!(records.len(), expected.len());
    let moment = Timestamp::from_micros(1_700_000_000_000_000);
    for (record, event) in records.iter().zip(expected) {
        assert_eq!(encode(moment, &event), *record, "{event:?}");
        assert_eq!(decode(record).unwrap(), (moment, event));
    }
}

#[test]
fn another_format_is_refused() {
    for format in [0, 3, 4, u32::MAX] {
        for record in golden::a_match() {
            let mut stored = wire::StoredEvent::decode(&*record).unwrap();
            stored.format = format;
            let refusal = DecodeError::UnknownFormat(format);
            assert_eq!(decode(&stored.encode_to_vec()), Err(refusal.clone()));
            // What the event is called in that format is not known either.
            stored.event = None;
            assert_eq!(decode(&stored.encode_to_vec()), Err(refusal));
        }
    }
    assert_eq!(decode(&[]), Err(DecodeError::UnknownFormat(0)));
    assert_eq!(
        DecodeError::UnknownFormat(3).to_string(),
        "its format is 3, and this program knows 1 to 2"
    );
}

#[test]
fn a_field_without_a_meaning_is_refused() {
    for (event, field) in meaningless() {
        let stored = wire::StoredEvent {
            format: EVENT_FORMAT,
            time_us: 0,
            event: event.clone(),
        };
        let decoded = decode(&stored.encode_to_vec());
        assert_eq!(decoded, Err(DecodeError::Field(field)), "{event:?}");
    }
}

/// The event is the last field of a record, so no part of it can be missing unseen.
#[test]
fn a_record_that_was_cut_off_is_refused() {
    let records = golden::records("events_format_1.txt");
    for record in records.into_iter().chain(golden::a_match()) {
        for length in 0..record.len() {
            let decoded = decode(&record[..length]);
            assert!(decoded.is_err(), "{length} of {record:02x?}: {decoded:?}");
        }
    }
}

#[test]
fn a_record_with_a_bit_changed_is_refused_or_another_event() {
    let records = golden::records("events_format_1.txt");
    for record in records.into_iter().chain(golden::a_match()) {
        let original = decode(&record).unwrap();
        for bit in 0..record.len() * 8 {
            let mut damaged = record.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            if let Ok((time, event)) = decode(&damaged) {
                // The format is the second byte; that no bit of a sealed record can be changed at
                // all is the chain's doing.
                let is_format = bit / 8 == 1;
                assert!(
                    is_format || (time, event.clone()) != original,
                    "bit {bit} of {record:02x?}"
                );
                assert_eq!(decode(&encode(time, &event)), Ok((time, event)));
            }
        }
    }
}

/// The most that the limits of the texts and the notation allow.
#[test]
fn the_longest_event_fits_in_a_record() {
    let longest = Created {
        id: ID,
        game: "g".repeat(64),
        variant: "v".repeat(64),
        target: u32::MAX,
        time_controls: [Some(TimeControl::Fischer {
            base: MAX_THINKING_TIME,
            increment: MAX_THINKING_TIME,
        }); 2],
        seed: given(&"s".repeat(SeedText::MAX_BYTES)),
        title: Title::new(&"t".repeat(Title::MAX_BYTES)).unwrap(),
        creator: PlayerId::from_bytes([255; 16]),
        reserved: [Some(PlayerId::from_bytes([255; 16])); 2],
        audience: Audience::default(),
        disconnect_grace: Some(Grace::new(MAX_GRACE).unwrap()),
        illegal_action_limit: IllegalActionLimit::new(MAX_ILLEGAL_ACTIONS).ok(),
        join_timeout: Some(Duration::from_micros(u64::MAX)),
        opening: ["a1a7", "b8b2"].map(str::to_owned).to_vec(),
        request_id: Some(RequestId::new(&"r".repeat(RequestId::MAX_BYTES)).unwrap()),
    };
    let last_moment = Timestamp::from_micros(u64::MAX);
    let record = encode(last_moment, &MatchEvent::Created(Box::new(longest)));
    assert!(record.len() < MAX_RECORD_BYTES / 2, "{}", record.len());
    let failed = MatchOutcome {
        failure: FailureText::new(&"f".repeat(FailureText::MAX_BYTES)).ok(),
        ..MatchOutcome::new(Some(Seat::First), Termination::Resignation)
    };
    let aborted = MatchOutcome {
        aborted_by: Some(PlayerId::from_bytes([255; 16])),
        reason: EndReason::new(&"r".repeat(EndReason::MAX_BYTES)).ok(),
        ..MatchOutcome::new(None, Termination::Aborted)
    };
    for outcome in [failed, aborted] {
        let longest = MatchEvent::MatchEnded {
            outcome,
            request_id: RequestId::new(&"r".repeat(RequestId::MAX_BYTES)).ok(),
        };
        let record = encode(last_moment, &longest);
        assert!(record.len() < MAX_RECORD_BYTES / 2, "{}", record.len());
    }
}

proptest! {
    #[test]
    fn every_event_reads_back_as_it_was_written(time_us: u64, event in any_event()) {
        let time = Timestamp::from_micros(time_us);
        let record = encode(time, &event);
        prop_assert_eq!(decode(&record), Ok((time, event)));
    }

    #[test]
    fn any_bytes_are_an_event_or_not(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok((time, event)) = decode(&bytes) {
            prop_assert_eq!(decode(&encode(time, &event)), Ok((time, event)));
        }
    }

    /// Bytes that look more like a record than any.
    #[test]
    fn any_bytes_in_a_record_are_an_event_or_not(
        kind in 3..=10_u8,
        bytes in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let length = u8::try_from(bytes.len()).unwrap();
        let record = [&[0x08, 2, kind << 3 | 2, length], &bytes[..]].concat();
        if let Ok((time, event)) = decode(&record) {
            prop_assert_eq!(decode(&encode(time, &event)), Ok((time, event)));
        }
    }
}

/// The events in the golden records that belong to no match.
fn golden_events() -> Vec<(Timestamp, MatchEvent)> {
    use Seat::{First, Second};
    let host = PlayerId::from_bytes([0xc0; 16]);
    let moment = Timestamp::from_micros(1_700_000_000_000_000);
    let base = |variant: &str, target, time_control| Created {
        id: ID,
        game: "kamisado".to_owned(),
        variant: variant.to_owned(),
        target,
        time_controls: [time_control; 2],
        seed: given("s"),
        title: Title::new("").unwrap(),
        creator: host,
        reserved: [None, Some(PlayerId::from_bytes([0xbb; 16]))],
        audience: Audience::default(),
        disconnect_grace: None,
        illegal_action_limit: None,
        join_timeout: None,
        opening: Vec::new(),
        request_id: request("r"),
    };
    let thirty_days = TimeControl::PerAction {
        limit: MAX_THINKING_TIME,
    };
    let shortest = TimeControl::Delay {
        base: Duration::from_micros(1),
        delay: Duration::from_micros(1),
    };
    let no_increment = TimeControl::Fischer {
        base: Duration::from_mins(1),
        increment: Duration::ZERO,
    };
    let created = [
        Created {
            seed: given(""),
            creator: PlayerId::from_bytes([0; 16]),
            reserved: [None, None],
            request_id: None,
            ..base("random", 15, None)
        },
        Created {
            seed: given("0"),
            title: Title::new("Tête-à-tête").unwrap(),
            request_id: None,
            ..base("standard", 3, Some(thirty_days))
        },
        Created {
            reserved: [Some(PlayerId::from_bytes([0xaa; 16])), None],
            ..base("standard", 7, Some(shortest))
        },
        Created {
            reserved: [None, None],
            ..base("standard", 7, Some(no_increment))
        },
    ];
    let epoch = Timestamp::from_micros(0);
    let times = [epoch, moment, moment, moment];
    let created = created.map(|created| MatchEvent::Created(Box::new(created)));
    let mut expected: Vec<(Timestamp, MatchEvent)> = times.into_iter().zip(created).collect();
    let joined = MatchEvent::SeatJoined {
        seat: First,
        player: PlayerId::from_bytes([0; 16]),
        name: PlayerName::new("").unwrap().into(),
        seed: SeedText::new("dragontooth").unwrap(),
        request_id: None,
    };
    let started = MatchEvent::GameStarted {
        number: 2,
        position: "1OlM+PYRGB/8/8/8/8/8/8/bg1ypmo1 w *".to_owned(),
    };
    let last_moment = Timestamp::from_micros(u64::MAX);
    let greatest = Duration::from_micros(u64::MAX);
    expected.extend([
        (Timestamp::from_micros(1), joined),
        (moment, started),
        (moment, played(First, "left", None, "")),
        (moment, played(Second, "a8a1", Some(Duration::ZERO), "!~")),
        (last_moment, played(Second, "a8a1", Some(greatest), "")),
        (moment, game_ended(None, 0, "agreed")),
        (moment, game_ended(Some(First), 8, "home_row")),
        (moment, match_ended(Some(First), Termination::Timeout, "")),
        (
            moment,
            match_ended(Some(Second), Termination::Resignation, "resign-1"),
        ),
        (moment, match_ended(None, Termination::Aborted, "abort-1")),
        (moment, match_ended(None, Termination::Normal, "")),
    ]);
    let drawn = Created {
        seed: MatchSeed::Drawn(Seed::from_bytes([7; Seed::BYTES])),
        reserved: [None, None],
        request_id: None,
        ..base("standard", 3, None)
    };
    expected.push((moment, MatchEvent::Created(Box::new(drawn))));
    expected.extend(later_events().map(|event| (moment, event)));
    expected
}

/// The golden events of kinds and fields that came later.
fn later_events() -> [MatchEvent; 2] {
    let written = MatchEvent::ActionPlayed {
        seat: Seat::Second,
        action: "13/11".to_owned(),
        received: None,
        remaining: None,
        request_id: request("r"),
        written: Some("13-11".to_owned()),
        thinking: None,
    };
    let rolled = MatchEvent::Rolled {
        roll: "3-1".to_owned(),
    };
    [written, rolled]
}

/// The events in the golden records of format 2.
fn golden_events_2() -> Vec<MatchEvent> {
    let second = Duration::from_secs(1);
    let per_action = |limit| Some(TimeControl::PerAction { limit });
    let fischer = TimeControl::Fischer {
        base: 60 * second,
        increment: 2 * second,
    };
    let delay = TimeControl::Delay {
        base: 5 * second,
        delay: second / 2,
    };
    let odds = [
        [per_action(second), Some(fischer)],
        [None, Some(delay)],
        [per_action(MAX_THINKING_TIME), None],
    ];
    let created = |time_controls| Created {
        id: ID,
        game: "kamisado".to_owned(),
        variant: "standard".to_owned(),
        target: 3,
        time_controls,
        seed: given("s"),
        title: Title::new("").unwrap(),
        creator: PlayerId::from_bytes([0xc0; 16]),
        reserved: [None, None],
        audience: Audience::default(),
        disconnect_grace: None,
        illegal_action_limit: None,
        join_timeout: None,
        opening: Vec::new(),
        request_id: None,
    };
    let mut expected: Vec<MatchEvent> = odds
        .map(|odds| MatchEvent::Created(Box::new(created(odds))))
        .into();
    let limited = Created {
        illegal_action_limit: IllegalActionLimit::new(3).ok(),
        ..created([None; 2])
    };
    let refused = |action: &str, id| MatchEvent::ActionRefused {
        seat: Seat::Second,
        action: action.to_owned(),
        request_id: request(id),
    };
    expected.extend([
        MatchEvent::Created(Box::new(limited)),
        refused("a1b1", "r"),
        refused("Tête", ""),
        match_ended(Some(Seat::First), Termination::IllegalAction, ""),
        MatchEvent::MatchEnded {
            outcome: MatchOutcome {
                aborted_by: Some(PlayerId::from_bytes([0xaa; 16])),
                ..MatchOutcome::new(None, Termination::Aborted)
            },
            request_id: request("a"),
        },
        MatchEvent::MatchEnded {
            outcome: MatchOutcome {
                failure: FailureText::new("Tête: 1").ok(),
                ..MatchOutcome::new(Some(Seat::First), Termination::Resignation)
            },
            request_id: request("r"),
        },
        MatchEvent::SeatJoined {
            seat: Seat::Second,
            player: PlayerId::from_bytes([0xaa; 16]),
            name: DisplayName::Identity(IdentityName::new("Tête").unwrap()),
            seed: SeedText::new("s").unwrap(),
            request_id: request("j"),
        },
    ]);
    expected
}

fn given(seed: &str) -> MatchSeed {
    MatchSeed::Given(SeedText::new(seed).unwrap())
}

fn request(id: &str) -> Option<RequestId> {
    (!id.is_empty()).then(|| RequestId::new(id).unwrap())
}

fn played(seat: Seat, action: &str, remaining: Option<Duration>, id: &str) -> MatchEvent {
    MatchEvent::ActionPlayed {
        seat,
        action: action.to_owned(),
        received: None,
        remaining,
        request_id: request(id),
        written: None,
        thinking: None,
    }
}

fn game_ended(winner: Option<Seat>, points: u32, reason: &str) -> MatchEvent {
    MatchEvent::GameEnded {
        winner,
        points,
        reason: reason.to_owned(),
    }
}

fn match_ended(winner: Option<Seat>, termination: Termination, id: &str) -> MatchEvent {
    MatchEvent::MatchEnded {
        outcome: MatchOutcome::new(winner, termination),
        request_id: request(id),
    }
}

/// An action has the same bytes as before there were thoughts, and one with thoughts has these.
#[test]
fn thoughts_are_stored_in_known_bytes() {
    let time = Timestamp::from_micros(5);
    let without = played(Seat::First, "a1a7", None, "");
    let mut with = without.clone();
    let value = ThinkingValue::points(-1.5).unwrap();
    let mut thought = Thinking::new(Some(value), Some(7), Some(300));
    thought.set_time(Duration::from_millis(1)).unwrap();
    thought.push_line("b1").unwrap();
    thought.push_tag("n", "v").unwrap();
    if let MatchEvent::ActionPlayed { thinking, .. } = &mut with {
        *thinking = Some(Box::new(thought));
    }
    let stored = |action: &[u8]| {
        let length = u8::try_from(action.len()).unwrap();
        [&[0x08, 2, 0x10, 5, 0x32, length][..], action].concat()
    };
    let action = [0x08, 1, 0x12, 4, b'a', b'1', b'a', b'7'];
    let thoughts = [
        // -1,500,000 in zigzag; 7; 300; 1,000.
        &[0x10, 0xbf, 0x8d, 0xb7, 0x01][..],
        &[0x18, 7, 0x20, 0xac, 0x02, 0x28, 0xe8, 0x07],
        &[0x32, 2, b'b', b'1'],
        &[0x3a, 6, 0x0a, 1, b'n', 0x12, 1, b'v'],
    ]
    .concat();
    let length = u8::try_from(thoughts.len()).unwrap();
    let more = [&action[..], &[0x3a, length], &thoughts].concat();
    for (event, bytes) in [(without, stored(&action)), (with, stored(&more))] {
        assert_eq!(encode(time, &event), bytes);
        assert_eq!(decode(&bytes), Ok((time, event)));
    }
}
