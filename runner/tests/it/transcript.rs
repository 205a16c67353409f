use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::chance::Seed;
use dragontooth_games::record::{RecordOutcome, RecordStep, SeedOrigin, Thinking};
use dragontooth_runner::record::{Gameplay, Transcript};
use dragontooth_runner_tournament::{Ending, MovesDigest};
use dragontooth_service_vocabulary::Termination;

use crate::fixture::{played, schedule};

const DOCUMENTATION: &str = include_str!("../../../docs/runner/run-directory.md");

/// A line of `games.jsonl` as the documentation shows it.
const LINE: &str = include_str!("../data/transcript.jsonl");

/// The fixture's match, but lost on time.
fn transcript() -> Transcript {
    let schedule = schedule(3, 1);
    let planned = &schedule.matches()[1];
    let mut played = played(planned);
    (played.winner, played.score) = (Some(Seat::Second), [0, 0]);
    played.termination = Ending::By(Termination::Timeout);
    Transcript::new(&schedule, planned, &played)
}

#[test]
fn a_transcript_is_written_as_documented() {
    assert_eq!(transcript().to_line(), LINE);
    assert_eq!(Transcript::from_line(LINE.as_bytes()), Ok(transcript()));
    let shown = DOCUMENTATION.split("```json\n").nth(2).unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(shown.replace("\n ", ""), LINE);
}

#[test]
fn transcripts_are_read_back() {
    let transcript = transcript();
    let (record, headers) = transcript.read().unwrap();
    assert_eq!(transcript.title(), "demo/c1/r1/p1/m2");
    assert_eq!(record.title, transcript.title());
    assert_eq!(record.players, ["c", "b"]);
    assert_eq!(record.date.as_deref(), Some("2027-01-15"));
    assert_eq!(
        record.games,
        played(&schedule(3, 1).matches()[1]).gameplay.games
    );
    assert_eq!(headers.result, "second 0-0 timeout");
    let seeds = headers.seeds;
    assert_eq!(
        seeds.commitment,
        Some(Seed::from_text("seed").commitment(""))
    );
    // The other match of the encounter may still be played.
    assert_eq!(
        (seeds.server_seed, seeds.origin),
        (None, SeedOrigin::Shared)
    );
    assert_eq!(headers.head_hash, None);
    assert_eq!(transcript.thinking_us(), [12_345, 678]);
}

/// The digest equals `sed -n '/^Game 1: /,$p' | grep -v '^\[' | sha256sum` of the record: here
/// `printf 'Game 1: OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -\n  1. first  d1d5\n  2. second a8a3\n' | sha256sum`.
#[test]
fn the_digest_is_that_of_the_lines_from_the_first_game_on() {
    let digest = transcript().digest();
    assert_eq!(
        digest.to_string(),
        "bf185732b725c77acbb720109311d90aed154d38a0fd5d822a8adca4ba38947d"
    );
    assert_eq!(digest.to_string().parse(), Ok(digest));

    let schedule = schedule(3, 1);
    let planned = &schedule.matches()[1];
    let mut unplayed = played(planned);
    unplayed.gameplay.games.clear();
    let nothing = Transcript::new(&schedule, planned, &unplayed).digest();
    assert_eq!(
        nothing.to_string(),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha256sum < /dev/null"
    );
}

#[test]
fn the_digest_depends_only_on_the_moves() {
    let schedule = schedule(3, 2);
    let of = |number: usize, change: &dyn Fn(&mut Gameplay)| {
        let planned = &schedule.matches()[number];
        let mut played = played(planned);
        change(&mut played.gameplay);
        Transcript::new(&schedule, planned, &played).digest()
    };
    let first = of(0, &|_| {});
    // The thoughts of a bot differ from run to run.
    let thoughtful = of(0, &|gameplay| {
        let mut thinking = Thinking::new(None, Some(7), Some(12_345));
        thinking.push_line("a8a3").unwrap();
        thinking.push_tag("net", "v2").unwrap();
        gameplay.games[0].thinking.insert(1, thinking);
    });
    assert_eq!(thoughtful, first);
    let slow = of(3, &|play| play.thinking = vec![Duration::from_hours(1); 2]);
    assert_eq!(first, slow, "other bots, another day, but the same moves");

    let changes: [&dyn Fn(&mut Gameplay); 6] = [
        &|play| play.games.clear(),
        &|play| play.games[0].start.push(' '),
        &|play| drop(play.games[0].steps.pop()),
        &|play| {
            play.games[0]
                .steps
                .insert(1, RecordStep::Pass { seat: Seat::Second });
        },
        &|play| {
            play.games[0].steps.push(RecordStep::Roll {
                roll: "6 1".to_owned(),
            });
        },
        &|play| {
            play.games[0].outcome = Some(RecordOutcome {
                winner: Some(Seat::First),
                points: 1,
            });
        },
    ];
    let mut digests: Vec<MovesDigest> = changes.iter().map(|change| of(0, change)).collect();
    digests.push(first);
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), changes.len() + 1);
}

#[test]
fn invalid_transcripts_are_refused() {
    let more = LINE.replacen('{', r#"{"extra":1,"#, 1);
    for line in ["", "{", "3", "{}", more.as_str()] {
        assert!(Transcript::from_line(line.as_bytes()).is_err(), "{line}");
    }
    for digest in [
        "",
        "00",
        &"0".repeat(63),
        &"0".repeat(65),
        &"G".repeat(64),
        &"é".repeat(32),
    ] {
        assert!(digest.parse::<MovesDigest>().is_err(), "{digest}");
    }
}
