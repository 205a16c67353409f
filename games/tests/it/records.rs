//! Records of matches of every game: their text, and the verification of their draws.

use std::collections::BTreeMap;
use std::time::Duration;

use dragontooth_games::catalogue::{self, Game};
use dragontooth_games::chance::{Draws, Seed};
use dragontooth_games::match_play::Step;
use dragontooth_games::record::{
    GameRecord, Headers, MatchRecord, RecordStep, SeedHeaders, SeedOrigin, Thinking, ThinkingValue,
    read_text, write_text,
};
use dragontooth_games::verify::{DrawFault, verify_draws};

use crate::strategies::Choices;

const MATCH: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// A match with random actions whose draws follow from its headers.
fn played(game: &Game, variant: &str, target: u32, seed: u64) -> (MatchRecord, Headers) {
    let server_seed = *Seed::from_text(&seed.to_string()).bytes();
    let headers = Headers {
        match_id: MATCH.to_owned(),
        result: "somehow".to_owned(),
        head_hash: Some([0xa5; 32]),
        seeds: SeedHeaders {
            commitment: Some(Seed::from_bytes(server_seed).commitment(MATCH)),
            server_seed: Some(server_seed),
            origin: [SeedOrigin::Drawn, SeedOrigin::Given][usize::from(seed.is_multiple_of(2))],
            players: ["ann".to_owned(), String::new()],
        },
    };
    let record = MatchRecord {
        game: game.name.to_owned(),
        variant: variant.to_owned(),
        target,
        players: ["Ann \"the\\ one\"".to_owned(), "Bob".to_owned()],
        title: "a title".to_owned(),
        date: Some("2026-11-21".to_owned()),
        opening: Vec::new(),
        games: games(game, variant, target, &headers.draws().unwrap(), seed),
    };
    (record, headers)
}

fn games(game: &Game, variant: &str, target: u32, draws: &Draws, seed: u64) -> Vec<GameRecord> {
    let mut choices = Choices::new(seed);
    let mut play = game.new_match(Some(variant), target).unwrap();
    let mut games: Vec<GameRecord> = Vec::new();
    loop {
        let steps = games.last_mut().map(|game| &mut game.steps);
        match play.step() {
            Step::Deal => {
                let start = play.deal(&mut draws.deal(play.game_number() + 1));
                play.begin_game(&start).unwrap();
                games.push(GameRecord {
                    start,
                    steps: Vec::new(),
                    thinking: BTreeMap::new(),
                    outcome: None,
                });
            }
            Step::Decide(seat) => {
                let legal = play.legal_actions();
                let action = play.play(&legal[choices.below(legal.len())]).unwrap();
                steps.unwrap().push(RecordStep::Action { seat, action });
            }
            Step::Pass(seat) => {
                play.pass().unwrap();
                steps.unwrap().push(RecordStep::Pass { seat });
            }
            Step::Chance => {
                let roll = play.draw(&mut draws.roll(play.game_number(), play.rolls() + 1));
                steps.unwrap().push(RecordStep::Roll {
                    roll: play.roll(&roll).unwrap(),
                });
            }
            Step::Score(outcome) => {
                play.score_game().unwrap();
                games.last_mut().unwrap().outcome = Some(outcome.into());
            }
            Step::Over { .. } => return games,
        }
    }
}

fn in_every_variant(law: impl Fn(&Game, &str, u32, u64)) {
    for game in catalogue::GAMES {
        for variant in game.variants() {
            for (target, seed) in variant.targets.usual.iter().take(2).zip(1..) {
                law(game, variant.name, *target, seed);
            }
        }
    }
}

#[test]
fn a_text_reads_back_as_it_was_written() {
    in_every_variant(|game, variant, target, seed| {
        let (record, headers) = played(game, variant, target, seed);
        let text = write_text(&record, &headers);
        let marked = read_text(&format!("\u{feff}{text}"));
        assert_eq!(marked, Ok((record.clone(), headers.clone())), "{text}");
        assert_eq!(read_text(&text), Ok((record, headers)), "{text}");
    });
}

/// Control characters in texts for people count as spaces. A seed is not changed: its bytes determine the draws.
#[test]
fn control_characters_are_read_as_they_are_written() {
    let (record, headers) = played(&catalogue::GAMES[0], "standard", 1, 1);
    let spaced = write_text(&record, &headers);
    let text = spaced.replace("a title", "a\ttitle");
    let text = text.replace("somehow", "some\u{7}how");
    let (record, headers) = read_text(&text).unwrap();
    assert_eq!((&*record.title, &*headers.result), ("a title", "some how"));
    let written = write_text(&record, &headers);
    assert_eq!(read_text(&written), Ok((record, headers)), "{written}");
    for (seat, seed) in [("First", "ann"), ("Second", "")] {
        let header = |seed| format!("[{seat}Seed \"{seed}\"]");
        let text = spaced.replace(&header(seed), &header("a\tb"));
        let line = 1 + text
            .lines()
            .position(|line| line == header("a\tb"))
            .unwrap();
        let error = format!("line {line}: {seat}Seed must not contain control characters");
        assert_eq!(read_text(&text).unwrap_err().to_string(), error);
    }
}

#[test]
fn an_unfinished_match_without_a_seed_reads_back() {
    let (mut record, mut headers) = played(&catalogue::GAMES[0], "random", 3, 5);
    let last = record.games.last_mut().unwrap();
    last.outcome = None;
    last.steps.pop();
    headers.seeds = SeedHeaders::default();
    headers.head_hash = None;
    record.date = None;
    let text = write_text(&record, &headers);
    assert_eq!(read_text(&text), Ok((record, headers.clone())), "{text}");
    assert_eq!((headers.draws(), headers.keeps_commitment()), (None, None));
}

#[test]
fn draws_follow_from_the_seeds() {
    in_every_variant(|game, variant, target, seed| {
        let (record, headers) = played(game, variant, target, seed);
        assert_eq!(headers.keeps_commitment(), Some(true));
        let checked = verify_draws(&record, &headers.draws().unwrap()).unwrap();
        assert_eq!(checked.deals as usize, record.games.len());
        let is_roll = |step: &&RecordStep| matches!(step, RecordStep::Roll { .. });
        let steps = record.games.iter().flat_map(|game| &game.steps);
        assert_eq!(checked.rolls as usize, steps.filter(is_roll).count());
    });
}

/// Thoughts of which every part is there.
fn thought(value: ThinkingValue) -> Thinking {
    let mut thinking = Thinking::new(Some(value), Some(0), Some(u64::MAX));
    thinking.set_time(Duration::from_micros(250_001)).unwrap();
    for action in ["13/11 8/7", "a1 \"b\"", "\\"] {
        thinking.push_line(action).unwrap();
    }
    for (name, value) in [("net", "v2, \"new\" ] \\"), ("cut.off-1", ""), ("n", " ü")] {
        thinking.push_tag(name, value).unwrap();
    }
    thinking
}

#[test]
fn thoughts_read_back_as_they_were_written() {
    let values = [
        ThinkingValue::win_probability(0.0).unwrap(),
        ThinkingValue::win_probability(1.0).unwrap(),
        ThinkingValue::win_probability(0.612_345).unwrap(),
        ThinkingValue::points(-0.000_001).unwrap(),
        ThinkingValue::points(999_999.999_999).unwrap(),
    ];
    let (mut record, headers) = played(&catalogue::GAMES[0], "standard", 1, 7);
    let game = &mut record.games[0];
    let acts = |index: &usize| matches!(game.steps[*index], RecordStep::Action { .. });
    let actions = (0..game.steps.len()).filter(acts);
    let mut thoughts: Vec<_> = values.map(thought).into();
    thoughts.push(Thinking::new(None, Some(3), None));
    let mut line_only = Thinking::default();
    line_only.push_line("a1a2").unwrap();
    thoughts.push(line_only);
    game.thinking = actions.zip(thoughts).collect();
    assert_eq!(game.thinking.len(), 7);
    let text = write_text(&record, &headers);
    assert!(text.contains(
        "[Thinking \"points -0.000001, depth 0, nodes 18446744073709551615, time 0.250001 s\"]"
    ));
    assert_eq!(read_text(&text), Ok((record, headers)), "{text}");
}

/// The times that a double of seconds cannot hold exactly read back to the microsecond.
#[test]
fn every_time_of_a_thought_reads_back() {
    let (mut record, headers) = played(&catalogue::GAMES[0], "standard", 1, 7);
    for micros in [
        1,
        999_999,
        1_000_001,
        123_456_789_012,
        2_591_999_999_999,
        2_592_000_000_000,
    ] {
        let mut thinking = Thinking::default();
        thinking.set_time(Duration::from_micros(micros)).unwrap();
        record.games[0].thinking.insert(0, thinking);
        let read = read_text(&write_text(&record, &headers)).unwrap().0;
        assert_eq!(read, record);
    }
}

#[test]
fn a_thought_that_breaks_a_rule_is_refused() {
    use dragontooth_games::record::{InvalidThinking, MAX_THINKING_BYTES, MAX_TIME_SPENT};
    let why = |result: Result<ThinkingValue, InvalidThinking>| {
        let error = result.unwrap_err();
        format!("{}: {error}", error.part)
    };
    assert_eq!(
        why(ThinkingValue::win_probability(f64::NAN)),
        "win_probability: NaN is out of range: it must be from 0 to 1"
    );
    assert!(ThinkingValue::win_probability(1.000_001).is_err());
    assert!(ThinkingValue::win_probability(-0.1).is_err());
    assert_eq!(
        why(ThinkingValue::points(f64::NEG_INFINITY)),
        "points: -inf is out of range: it must be from -1000000 to 1000000"
    );
    let mut thinking = Thinking::default();
    for action in ["", "a,b", "a\n", &"a".repeat(129)] {
        assert_eq!(thinking.push_line(action).unwrap_err().part, "line");
    }
    for (name, value) in [
        ("", "x"),
        ("two words", "x"),
        ("n", "\u{1b}[2J"),
        (&"n".repeat(33), ""),
    ] {
        assert_eq!(thinking.push_tag(name, value).unwrap_err().part, "tags");
    }
    thinking.push_tag("n", "").unwrap();
    assert!(thinking.push_tag("n", "again").is_err());
    let late = MAX_TIME_SPENT + Duration::from_micros(1);
    assert_eq!(thinking.set_time(late).unwrap_err().part, "time");
    // Nothing of it is there, and the tag counts 9 bytes.
    assert_eq!((thinking.line().len(), thinking.time()), (0, None));
    for _ in 0..7 {
        thinking.push_line("a".repeat(128)).unwrap();
    }
    let left = MAX_THINKING_BYTES - 9 - 7 * 132;
    assert!(thinking.push_line("a".repeat(left - 3)).is_err());
    thinking.push_line("a".repeat(left - 4)).unwrap();
    assert!(thinking.push_tag("m", "").is_err());
}

/// Changes one roll, one start and one seed.
#[test]
fn changed_draws_are_found() {
    let backgammon = catalogue::find("backgammon").unwrap();
    let (record, headers) = played(backgammon, "standard", 1, 1);
    let draws = headers.draws().unwrap();
    let places: Vec<usize> = (0..record.games[0].steps.len())
        .filter(|at| matches!(record.games[0].steps[*at], RecordStep::Roll { .. }))
        .collect();
    assert!(places.len() > 10);
    for at in places {
        let mut changed = record.clone();
        let RecordStep::Roll { roll } = &mut changed.games[0].steps[at] else {
            panic!("it is a roll")
        };
        *roll = if roll == "66" { "55" } else { "66" }.to_owned();
        assert!(matches!(
            verify_draws(&changed, &draws),
            Err(DrawFault::Roll { .. })
        ));
    }
    let mut other = headers.clone();
    other.seeds.players[1] = "another".to_owned();
    assert!(verify_draws(&record, &other.draws().unwrap()).is_err());
    other.seeds.server_seed = Some([0; 32]);
    assert_eq!(other.keeps_commitment(), Some(false));

    let tzaar = catalogue::find("tzaar").unwrap();
    let (mut record, headers) = played(tzaar, "random", 1, 1);
    record.games[0].start = played(tzaar, "random", 1, 2).0.games[0].start.clone();
    assert!(matches!(
        verify_draws(&record, &headers.draws().unwrap()),
        Err(DrawFault::Deal { game: 1, .. })
    ));
}

#[test]
fn broken_rules_are_found() {
    let (record, headers) = played(&catalogue::GAMES[0], "standard", 3, 1);
    let draws = headers.draws().unwrap();
    let fault = |change: &dyn Fn(&mut MatchRecord)| {
        let mut changed = record.clone();
        change(&mut changed);
        verify_draws(&changed, &draws).unwrap_err().to_string()
    };
    assert_eq!(
        fault(&|record| record.games[0]
            .steps
            .insert(0, RecordStep::Roll { roll: "3-1".into() })),
        "step 1 of game 1 is against the rules: no roll is due"
    );
    assert_eq!(
        fault(&|record| {
            record.games[0].steps.remove(0);
        }),
        "step 1 of game 1 is against the rules: the second seat does not decide here"
    );
    assert_eq!(
        fault(&|record| record.target = 2),
        "against the rules: kamisado (standard) is played to 1, 3, 7 \
         or 15 points, not 2"
    );
    let more = fault(&|record| record.games.push(record.games[0].clone()));
    assert!(more.ends_with("the match needs no further game"), "{more}");
}

#[test]
fn unreadable_lines_are_named() {
    for (text, error) in [
        ("", "line 1: the header Game is missing"),
        (
            "[Game kamisado]",
            "line 1: expected a header such as [Name \"value\"]",
        ),
        (
            "[Target \"x\"]",
            "line 1: Target must be a number of points",
        ),
        (
            "[ServerSeed \"00\"]",
            "line 1: ServerSeed must be 64 hexadecimal digits",
        ),
        (
            "[Game \"g\"]\n\n  1. first a",
            "line 3: no game has started",
        ),
        ("Game 2: p", "line 1: expected game 1"),
        (
            "Game 1 p",
            "line 1: expected a game number, a colon and a position",
        ),
        (
            "Game 1: p\nfirst a1a2",
            "line 2: expected a number before the action",
        ),
        (
            "Game 1: p\n  1. first a\n  3. first b",
            "line 3: expected action 2",
        ),
        (
            "Game 1: p\n  1. third a1a2",
            "line 2: expected \"first\" or \"second\"",
        ),
        (
            "Game 1: p\nx",
            "line 2: expected a seat and its action, or `roll` and the dice",
        ),
        (
            "Game 1: p\nfirst wins many",
            "line 2: expected a number of points after wins",
        ),
        (
            "Game 1: p\nfirst wins 1\n  1. first a",
            "line 3: the game is over",
        ),
        (
            "Game 1: p\n[Thinking \"depth 3\"]",
            "line 2: expected an action before the thoughts about it",
        ),
        (
            "Game 1: p\n  1. first a\n[Thinking \"depth -3\"]",
            "line 3: depth must be followed by a number",
        ),
        (
            "Game 1: p\n  1. first a\n[Thinking \"win 2\"]",
            "line 3: 2 is out of range: it must be from 0 to 1",
        ),
        (
            "Game 1: p\n  1. first a\n[Thinking \"mood 3\"]",
            "line 3: mood is not a part of a thinking",
        ),
    ] {
        assert_eq!(read_text(text).unwrap_err().to_string(), error, "{text:?}");
    }
}

/// A record with changed characters is read or refused.
#[test]
fn any_text_is_read_or_refused() {
    let (record, headers) = played(&catalogue::GAMES[1], "random", 1, 3);
    let text: Vec<char> = write_text(&record, &headers).chars().collect();
    let mut choices = Choices::new(4);
    for _ in 0..2_000 {
        let mut changed = text.clone();
        for _ in 0..=choices.below(3) {
            let at = choices.below(changed.len());
            match choices.below(3) {
                0 => changed[at] = ['"', '\\', '[', 'é', '\n', ' ', '0'][choices.below(7)],
                1 => changed.insert(at, ['"', '\\', ']', '\0', '\n', '.', '-'][choices.below(7)]),
                _ => changed.truncate(at.max(1)),
            }
        }
        if let Ok((record, headers)) = read_text(&String::from_iter(changed)) {
            if let Some(draws) = headers.draws() {
                let _ = verify_draws(&record, &draws);
            }
            assert!(write_text(&record, &headers).starts_with("[Match "));
        }
    }
}
