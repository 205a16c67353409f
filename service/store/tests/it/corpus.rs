//! Whole logs of every game and every format, as they were once written.
//!
//! `tests/data/<game>_format_2.txt` have been made, each once (those of format 1 likewise, by what wrote it), by
//!
//! ```text
//! STORE_TEST_CORPUS_FOLDER=service/store/tests/data \
//!     cargo test -p dragontooth-service-store --test it corpus::write
//! ```
//!
//! at the time when their format was the one that is written, and never change. The hashes
//! below were computed beside the code under test, by this, in the folder of the files:
//!
//! ```text
//! python3 -c '
//! import hashlib, sys
//! sha = lambda b: hashlib.sha256(b).digest()
//! for name in sys.argv[1:]:
//!     h = sha(b"dragontooth.chain.v1\0" + bytes([1] * 16))
//!     for r in (bytes.fromhex(l) for l in open(name) if l[0] not in "#\n"):
//!         h = sha(h + (r[33:] if r[0] == 2 else r))
//!     print(name, h.hex())
//! ' match_format_1.txt {backgammon,kamisado,linja,tzaar}_format_[12].txt
//! ```

use std::{env, fmt::Write, fs, path::Path, time::Duration};

use dragontooth_games::chance::Seed;
use dragontooth_service_domain::{Command, Decided, MatchState, create, decide};
use dragontooth_service_store::{EVENT_FORMAT, MatchLog, encode};
use dragontooth_service_vocabulary::{
    Grace, MatchEvent, MatchId, NewMatch, PlayerId, PlayerName, Recorded, RequestId, SeedText,
    Sequence, TimeControl, Timestamp, Title,
};

use crate::{
    golden::{self, ID},
    match_log::stored,
    random::Random,
};

/// The logs, with the last sequence, the score and the head hash of each.
const KNOWN: [(&str, u64, &str, &str); 9] = [
    (
        "match_format_1.txt",
        11,
        "0-1",
        "9fb248e19ae4f29d4cad9d5ff8f94511e978eaeb48891878855f4c58d6d2f579",
    ),
    (
        "backgammon_format_1.txt",
        100,
        "0-2",
        "2047999ff08cc9634cd2387b4713ff4612d113a74336487e26cde603d5930408",
    ),
    (
        "backgammon_format_2.txt",
        100,
        "0-2",
        "a754f409fdb6e3d120240cc295b2d961dbcd589ac4d34e483e2460d308ce0186",
    ),
    (
        "kamisado_format_1.txt",
        26,
        "0-1",
        "6a6bb71b50c88e245439c0adbfb9e4e8c3647c174b1d809e955ccfc41cabbb29",
    ),
    (
        "kamisado_format_2.txt",
        26,
        "0-1",
        "98db37c9c1fa26b86e9a1cf691b7f57d48e60e0b192688ac26a273c450ca9333",
    ),
    (
        "linja_format_1.txt",
        96,
        "1-0",
        "65294bcf17d9d1eb31992db05e4fd425c859270ef9c6fd72c994e2c0a511bcf1",
    ),
    (
        "linja_format_2.txt",
        96,
        "1-0",
        "f4447fe70069b457dbed26d40dbccf2535590817968560afd37bee0ab5602f53",
    ),
    (
        "tzaar_format_1.txt",
        53,
        "0-1",
        "9894d8782f9bc29a33a00e5d5a4c1a90cd025d007482bd5bee06877a5c2a82a2",
    ),
    (
        "tzaar_format_2.txt",
        53,
        "0-1",
        "984b3c266bd17bd4bcb038f3418436028ac0228f8de136697ba8aa47179374e9",
    ),
];

#[tokio::test]
async fn every_log_that_was_ever_written_is_read() {
    for (file, sequence, score, head_hash) in KNOWN {
        let log = stored(golden::records(file)).await;
        let read = log.replay(ID).await.unwrap().unwrap();
        assert_eq!(read.head().0, sequence, "{file}");
        assert_eq!(read.play().score().to_string(), score, "{file}");
        assert_eq!(read.head_hash().to_string(), head_hash, "{file}");
        assert!(read.result().is_some(), "{file}");
    }
}

/// A match that was begun in format 1 continues in format 2, from any of its events.
#[tokio::test]
async fn a_log_goes_on_in_the_newer_format() {
    let records = golden::records("backgammon_format_1.txt");
    let whole = stored(records.clone()).await;
    let entries = whole.read(ID, MatchLog::start(ID), 10_000).await.unwrap();
    for upcast in [1, 4, records.len() / 2, records.len() - 1] {
        let log = stored(records[..upcast].to_vec()).await;
        let mut head = log.replay(ID).await.unwrap().unwrap().chain_head();
        for entry in &entries[upcast..] {
            let Recorded { time, event, .. } = &entry.recorded;
            let events = std::slice::from_ref(event);
            head = log.append(ID, head, *time, events).await.unwrap();
        }
        let read = log.replay(ID).await.unwrap().unwrap();
        assert_eq!(read.chain_head(), head);
        let expected = whole.replay(ID).await.unwrap().unwrap();
        assert_eq!(
            format!("{:?}", *read),
            format!("{:?}", *expected),
            "{upcast}"
        );
    }
}

/// Makes the logs of the format that is written; a run of all tests passes over it.
#[test]
fn write() {
    let Some(folder) = env::var_os("STORE_TEST_CORPUS_FOLDER") else {
        return;
    };
    for game in ["backgammon", "kamisado", "linja", "tzaar"] {
        let name = format!("{game}_format_{EVENT_FORMAT}.txt");
        let mut text = format!(
            "# Records of format {EVENT_FORMAT}, one a line in hexadecimal digits: a whole match of \
             {game},\n# made as tests/it/corpus.rs says. They stay as they are for ever.\n\n"
        );
        let mut head = MatchLog::start(ID);
        for Recorded { time, event, .. } in play(game, ID, 0xc0) {
            for byte in head.seal(&encode(time, &event)) {
                write!(text, "{byte:02x}").unwrap();
            }
            text.push('\n');
        }
        fs::write(Path::new(&folder).join(name), text).unwrap();
    }
}

/// The events of a match in which both seats play at random.
pub(crate) fn play(game: &str, id: MatchId, seed: u64) -> Vec<Recorded> {
    let (ann, bob) = (
        PlayerId::from_bytes([0xaa; 16]),
        PlayerId::from_bytes([0xbb; 16]),
    );
    let new = NewMatch {
        time_controls: [Some(TimeControl::Fischer {
            base: Duration::from_mins(5),
            increment: Duration::from_secs(2),
        }); 2],
        title: Title::new("a log of the corpus").unwrap(),
        reserved: [Some(ann), None],
        disconnect_grace: Some(Grace::new(Duration::from_secs(30)).unwrap()),
        request_id: Some(RequestId::new("create").unwrap()),
        ..NewMatch::new(game, 1)
    };
    let mut now = Timestamp::from_micros(1_763_700_000_000_000);
    let created = create(&new, ann, id, &Seed::from_bytes([7; Seed::BYTES])).unwrap();
    let mut recorded = vec![Recorded {
        sequence: Sequence(1),
        time: now,
        event: created,
    }];
    let mut state = MatchState::new(&recorded[0]).unwrap();
    let mut random = Random::new(seed);
    while state.result().is_none() {
        now = now.after(Duration::from_millis(random.below(3_000)));
        let command = match state.due() {
            Some(due) => {
                let mut actions = state.play().legal_actions();
                let action = actions.swap_remove(random.index(actions.len()));
                Command::Act {
                    player: state.seated(due.seat).unwrap().player,
                    decision: due.decision,
                    thinking: None,
                    request_id: Some(RequestId::new(&format!("d{}", due.decision.0)).unwrap()),
                    action,
                }
            }
            None => Command::Join {
                player: if state.head() == Sequence(1) {
                    ann
                } else {
                    bob
                },
                seat: None,
                name: PlayerName::new("Ann or Bob").unwrap().into(),
                seed: Some(SeedText::new("theirs").unwrap()),
                request_id: Some(RequestId::new("join").unwrap()),
            },
        };
        let Decided::Events(events) = decide(&state, &command, now).unwrap() else {
            panic!("{command:?} is a new request");
        };
        for event in events {
            let next = next(&state, now, event);
            state.evolve(&next);
            recorded.push(next);
        }
    }
    recorded
}

fn next(state: &MatchState, time: Timestamp, event: MatchEvent) -> Recorded {
    Recorded {
        sequence: state.head().next(),
        time,
        event,
    }
}
