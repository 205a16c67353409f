//! The bridge to GNU Backgammon.

use std::env;
use std::error::Error as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::builtin::search::SplitMix64;
use dragontooth_bots::gnubg::{FibsBoard, GnuBackgammon, GnubgError, GnubgOptions, GnubgProcess};
use dragontooth_bots::session::{Session, SessionOptions, Summary, ThinkingPool, Until};
use dragontooth_bots::{Bot as _, Budget, Choice, DecisionPoint, MatchInfo, MatchOverFlag};
use dragontooth_games::backgammon::Position;
use dragontooth_games::chance::{Chance as _, Draws};
use dragontooth_games::{Position as _, Seat, catalogue};
use dragontooth_service::{Config, Service, Storage};
use dragontooth_service_client::{Client, Token};
use dragontooth_service_vocabulary::{History, MatchId, NewMatch};

use crate::direct_match::play_match;
use crate::stdio::left_of;

/// Time for killed processes to be gone.
const LIMIT: Duration = Duration::from_secs(30);

/// Possible paths of GNU Backgammon.
const PROGRAMS: [&str; 3] = ["/usr/games/gnubg", "/usr/local/bin/gnubg", "/usr/bin/gnubg"];

const SUPERVISOR: &str = env!("CARGO_BIN_EXE_dragontooth-gnubg");

/// The path of GNU Backgammon; `None` if it is not installed, which CI does not accept.
fn installed() -> Option<GnubgOptions> {
    let program = PROGRAMS
        .into_iter()
        .find(|program| Path::new(program).exists());
    if program.is_none() {
        assert!(
            env::var("CI").is_err(),
            "GNU Backgammon is missing: install the package gnubg"
        );
        // Written directly, because the harness captures a test's output.
        let message = "SKIPPED: GNU Backgammon is not installed (package gnubg)\n";
        std::io::stderr().write_all(message.as_bytes()).unwrap();
    }
    program.map(|program| GnubgOptions {
        supervisor: SUPERVISOR.into(),
        program: PathBuf::from(program),
        plies: 0,
    })
}

/// The example of the FIBS Client Protocol Detailed Specification, section "Board state", with the
/// name of the opponent that the bridge gives.
#[test]
fn the_example_of_the_specification_is_written() {
    let position: Position = "XGID=-b----E-C---eE---c-e----B-:0:0:1:62:0:1:0:3:10"
        .parse()
        .unwrap();
    let board = FibsBoard::new(&position, Seat::First).to_string();
    let example = "board:You:someplayer:3:0:1:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0\
                   :1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0";
    assert_eq!(board, example.replace("someplayer", "opponent"));
}

/// Fields by their numbers in that section, from 0 for the word board.
#[test]
fn the_fields_of_a_board_stand_in_their_places() {
    // After the Crawford game seat second has doubled. It has a checker on the bar; two are off on
    // both sides.
    let text = "XGID=aA----E-C---eB---c-d---AA-:0:0:-1:D:4:3:0:5:10";
    let position: Position = text.parse().unwrap();
    let fields = |seat| -> Vec<String> {
        let board = FibsBoard::new(&position, seat).to_string();
        board.split(':').map(str::to_owned).collect()
    };
    let (asked, other) = (fields(Seat::First), fields(Seat::Second));
    assert_eq!((asked.len(), other.len()), (53, 53));
    let part = |fields: &[String], from: usize, to: usize| fields[from..=to].join(":");
    assert_eq!(part(&asked, 3, 5), "5:4:3");
    assert_eq!(part(&other, 3, 5), "5:3:4");
    assert_eq!(
        part(&asked, 6, 31),
        "-1:1:0:0:0:0:5:0:3:0:0:0:-5:2:0:0:0:-3:0:-4:0:0:0:1:1:0"
    );
    assert_eq!(
        part(&other, 6, 31),
        "0:-1:-1:0:0:0:4:0:3:0:0:0:-2:5:0:0:0:-3:0:-5:0:0:0:0:-1:1"
    );
    // The turn, no dice, the cube, the rights to double, the pending double, colour, direction.
    assert_eq!(part(&asked, 32, 42), "-1:0:0:0:0:1:1:1:1:1:-1");
    assert_eq!(part(&other, 32, 42), "1:0:0:0:0:1:1:1:1:1:-1");
    // The places of home and bar; the checkers off and on the bar of both; no moves; after Crawford.
    assert_eq!(part(&asked, 43, 52), "0:25:2:2:0:1:0:0:1:0");
    assert_eq!(part(&other, 43, 52), "0:25:2:2:1:0:0:0:1:0");
    let money: Position = "XGID=-b----E-C---eE---c-e----B-:0:0:1:62:0:0:0:0:10"
        .parse()
        .unwrap();
    let board = FibsBoard::new(&money, Seat::First).to_string();
    assert!(board.starts_with("board:You:opponent:9999:0:0:"));
}

#[test]
fn a_program_that_is_missing_or_another_is_an_error() {
    let start = |program: &str| {
        GnubgProcess::start(&GnubgOptions {
            supervisor: SUPERVISOR.into(),
            program: PathBuf::from(program),
            plies: 0,
        })
    };
    let error = start("/nowhere/gnubg").unwrap_err();
    assert!(matches!(error, GnubgError::Start { .. }), "{error}");
    let error = start("true").unwrap_err();
    assert!(matches!(error, GnubgError::Ended { .. }), "{error}");
}

#[test]
fn the_program_tells_what_is_missing() {
    let output = Command::new(env!("CARGO_BIN_EXE_dragontooth-gnubg"))
        .args([
            "--token",
            "a-token-of-the-tests",
            "--gnubg",
            "/nowhere/gnubg",
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("/nowhere/gnubg"), "{message}");
    assert!(message.contains("package gnubg"), "{message}");
}

/// Answers the question at the start and then nothing, or none but evaluations if there is a file `rolls`. Notes each start.
const SILENT: &str = r#"#!/usr/bin/env python3
import pathlib, socket, sys
folder = pathlib.Path(sys.argv[0]).parent
port = next(line for line in sys.stdin if line.startswith("external")).split(":")[1]
server = socket.create_server(("127.0.0.1", int(port)))
with open(folder / "starts", "a") as starts:
    starts.write("start\n")
print("Waiting for a connection", flush=True)
asked = server.accept()[0].makefile("rw")
answer = "0.5 0 0 0 0 0.9\n"
for question in asked:
    if answer:
        asked.write(answer)
        asked.flush()
    answer = "roll\n" if (folder / "rolls").exists() and answer != "roll\n" else ""
"#;

/// A question is neither asked again nor waited for longer than a decision may take.
#[test]
fn a_silent_program_is_not_asked_twice() {
    if Command::new("python3").arg("--version").output().is_err() {
        assert!(env::var("CI").is_err(), "python3 is missing");
        return;
    }
    // Before a roll, with the cube in the middle.
    let position = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10";
    let position = position.parse::<Position>().unwrap().to_string();
    for (rolls, chosen) in [(true, Some("roll")), (false, None)] {
        let folder = tempfile::tempdir().unwrap();
        let program = script(&folder, SILENT);
        if rolls {
            fs::write(folder.path().join("rolls"), "").unwrap();
        }
        let mut bot = GnuBackgammon::new(GnubgOptions {
            supervisor: SUPERVISOR.into(),
            program,
            plies: 0,
        })
        .unwrap();
        let budget = Budget {
            time: Some(Duration::from_secs(1)),
            seed: 0,
        };
        let choice = bot.choose(&position, &budget);
        assert_eq!(choice.as_deref().ok(), chosen, "{choice:?}");
        if let Err(error) = choice {
            let why = error.source().unwrap().to_string();
            assert!(
                why.starts_with("GNU Backgammon did not answer within"),
                "{why}"
            );
        }
        assert_eq!(bot.take_thinking(), None);
        let starts = fs::read_to_string(folder.path().join("starts")).unwrap();
        assert_eq!(starts, "start\n");
    }
}

/// Answers the question at the start at once, and later ones after a second. Notes each question.
const SLOW: &str = r#"#!/usr/bin/env python3
import pathlib, socket, sys, threading
folder = pathlib.Path(sys.argv[0]).parent
port = next(line for line in sys.stdin if line.startswith("external")).split(":")[1]
server = socket.create_server(("127.0.0.1", int(port)))
print("Waiting for a connection", flush=True)
asked = server.accept()[0].makefile("rw")
for number, question in enumerate(asked):
    with open(folder / "questions", "a") as questions:
        questions.write("question\n")
    threading.Event().wait(1 if number else 0)
    asked.write("roll\n" if number else "0.5 0 0 0 0 0.9\n")
    asked.flush()
"#;

/// The wait for other matches may use up the time of a decision. Once the clock has run out too, the program is left to
/// the other matches.
#[test]
fn a_choice_may_take_all_of_the_clock() {
    if Command::new("python3").arg("--version").output().is_err() {
        assert!(env::var("CI").is_err(), "python3 is missing");
        return;
    }
    let position = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10";
    let position = position.parse::<Position>().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let mut bot = GnuBackgammon::new(GnubgOptions {
        supervisor: SUPERVISOR.into(),
        program: script(&folder, SLOW),
        plies: 0,
    })
    .unwrap();
    let mut decide = |deadline| {
        let point = DecisionPoint {
            decision: 4,
            game_number: 1,
            ply: 0,
            position: &position,
            score: [0; 2],
            roll: None,
            clocks: None,
            deadline: Some(deadline),
            since: &History::default(),
            over: &MatchOverFlag::default(),
        };
        let budget = Budget {
            time: Some(Duration::ZERO),
            seed: 0,
        };
        bot.decide(&point, &budget)
    };
    let rolls = Choice::Action("roll".to_owned());
    assert_eq!(decide(Instant::now() + LIMIT).unwrap(), rolls);
    let unasked = decide(Instant::now()).unwrap_err();
    let why = unasked.source().unwrap().to_string();
    assert!(
        why.contains("before GNU Backgammon could be asked"),
        "{why}"
    );
    assert_eq!(decide(Instant::now() + LIMIT).unwrap(), rolls);
    let questions = fs::read_to_string(folder.path().join("questions")).unwrap();
    assert_eq!(
        questions.lines().count(),
        3,
        "one at the start, no more starts"
    );
}

fn script(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let program = folder.path().join("gnubg");
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// By itself the program would wait for the next connection.
#[test]
fn the_program_does_not_outlive_the_bridge() {
    let Some(options) = installed() else { return };
    let folder = tempfile::tempdir().unwrap();
    // A variable that every program gets.
    let mark = format!("TMPDIR={}", folder.path().display());
    let mut bridge = Command::new(SUPERVISOR)
        .args(["--token", "a-token-of-the-tests", "--wait", "1h"])
        .args(["--server", "http://127.0.0.1:1"])
        .arg("--gnubg")
        .arg(options.program)
        .env("TMPDIR", folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The bridge asks for matches only once the program listens.
    let mut lines = BufReader::new(bridge.stderr.take().unwrap()).lines();
    let waiting = "waiting for the service at http://127.0.0.1:1, at most 1h: ";
    assert!(lines.next().unwrap().unwrap().starts_with(waiting));
    assert_eq!(
        left_of(&mark),
        3,
        "the bridge, the supervisor and the program"
    );
    bridge.kill().unwrap();
    bridge.wait().unwrap();
    let began = Instant::now();
    while left_of(&mark) > 0 {
        assert!(began.elapsed() < LIMIT);
        std::thread::yield_now();
    }
}

/// The answer of the program at its own prompt to a question about a position, by its XGID.
fn at_the_prompt(options: &GnubgOptions, position: &Position, question: &str) -> String {
    let plies = options.plies;
    let commands = format!(
        "set evaluation chequerplay evaluation plies {plies}\n\
         set evaluation cubedecision evaluation plies {plies}\n\
         set automatic game off\nset automatic roll off\nset automatic move off\n\
         set beavers 0\nset display off\n\
         set output digits 6\nset output matchpc off\nset output mwc on\n\
         set xgid {position}\n{question}\n"
    );
    let mut program = Command::new(&options.program)
        .args(["-t", "-q", "-r"])
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    input.write_all(commands.as_bytes()).unwrap();
    drop(input);
    let output = program.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The rest of the line with these words, of which all such lines have the same.
fn after<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let found: Vec<&str> = text
        .lines()
        .filter_map(|line| Some(line.split_once(words)?.1.trim()))
        .collect();
    assert!(found.iter().all(|line| *line == found[0]), "{text}");
    found.first().copied()
}

/// The play that the program finds best.
fn best_play(options: &GnubgOptions, position: &Position) -> String {
    let text = at_the_prompt(options, position, "hint 1");
    let best = after(&text, "1. Cubeful ").unwrap_or_else(|| panic!("{text}"));
    // The depth is in front, which is less where one play is far ahead.
    let (play, _) = best
        .split_once("-ply")
        .unwrap()
        .1
        .trim()
        .split_once("  ")
        .unwrap();
    play.to_owned()
}

/// The evaluation of a position for the side on roll: its chances to win, to win a gammon and a backgammon, and to lose
/// these, and what the game is worth to it if it doubles where that is right: in a match the chance to win this.
fn evaluation(options: &GnubgOptions, position: &Position) -> Vec<f64> {
    let text = at_the_prompt(options, position, "eval");
    let line = match options.plies {
        0 => after(&text, "static:"),
        plies => after(&text, &format!(" {plies} ply:")),
    };
    let line = line.unwrap_or_else(|| panic!("{text}"));
    let numbers = line.split_ascii_whitespace();
    let mut numbers: Vec<f64> = numbers.map(|number| number.parse().unwrap()).collect();
    assert_eq!(numbers.len(), 7, "{text}");
    // The game without the cube.
    numbers.remove(5);
    let cubeful = |words: &str| -> Option<f64> {
        let rest = after(&text, words)?.split_ascii_whitespace().next()?;
        Some(rest.parse().unwrap())
    };
    let doubled = [". Double, take", ". Double, pass"].map(cubeful);
    if let [Some(take), Some(pass)] = doubled {
        let single = numbers[5];
        numbers[5] = single.max(take.min(pass));
    }
    numbers
}

/// The program is asked about the same positions at its own prompt, by their XGIDs: by neither the port nor the boards of
/// the bridge.
#[test]
fn its_thoughts_are_what_the_program_prints_at_its_prompt() {
    let Some(mut options) = installed() else {
        return;
    };
    let decisions = [
        // Opening rolls, also of seat second, and for money without and with the Jacoby rule.
        (
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10",
            "play",
        ),
        (
            "XGID=-b----E-C---eE---c-e----B-:0:0:-1:64:2:3:0:7:10",
            "play",
        ),
        (
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:55:0:0:0:0:10",
            "play",
        ),
        (
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:41:0:0:1:0:10",
            "play",
        ),
        // From the bar with a cube of 2, behind, ahead and in the Crawford game: three scores with two best plays.
        (
            "XGID=-b----E-C---eD---c-e----BA:1:1:1:42:2:4:0:7:10",
            "play",
        ),
        (
            "XGID=-b----E-C---eD---c-e----BA:1:1:1:42:4:2:0:7:10",
            "play",
        ),
        (
            "XGID=-b----E-C---eD---c-e----BA:0:0:1:42:6:3:1:7:10",
            "play",
        ),
        // A bear-off.
        (
            "XGID=-BBCCC-------------bbbccc-:0:0:1:21:0:0:0:0:10",
            "play",
        ),
        // The cube: not yet, to double, to take, in a race.
        (
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:1:4:0:7:10",
            "roll",
        ),
        (
            "XGID=----CDE-C-------bc-ecb----:0:0:1:00:0:0:0:7:10",
            "double",
        ),
        ("XGID=----CDE-C-------bc-ecb----:0:0:1:D:0:0:0:7:10", "take"),
        (
            "XGID=----BCE-CB-------c-edc----:0:0:-1:D:3:1:0:7:10",
            "take",
        ),
    ];
    for plies in [0, 1] {
        options.plies = plies;
        let mut bot = GnuBackgammon::new(options.clone()).unwrap();
        for (text, kind) in decisions {
            let asked: Position = (text.parse()).unwrap_or_else(|error| panic!("{text}: {error}"));
            let played = bot.choose(text, &untimed(1)).unwrap();
            let thinking = bot.take_thinking().unwrap();
            assert_eq!(bot.take_thinking(), None);
            let action = played.parse().unwrap();
            // A play and a take leave the roll to the opponent.
            let is_others = ["play", "take"].contains(&kind);
            let mut evaluated = asked;
            if is_others {
                evaluated.play(action).unwrap();
            }
            if kind == "play" {
                let best = best_play(&options, &asked).parse().unwrap();
                assert_eq!(action, asked.resolve(best).unwrap(), "{text}");
            } else {
                assert_eq!(played, kind, "{text}");
            }
            let printed = evaluation(&options, &evaluated);
            let win = if is_others {
                1.0 - printed[0]
            } else {
                printed[0]
            };
            let value = thinking.value.unwrap().get();
            assert!((value - win).abs() < 2e-6, "{text}: {value} and {win}");
            assert_eq!(thinking.depth, Some(plies.into()));
            assert_eq!((thinking.nodes, thinking.line().len()), (None, 0));
            let tags = thinking.tags().iter();
            let tags: Vec<_> = tags.map(|tag| (&*tag.name, &*tag.value)).collect();
            let [("gnubg", said), ("gnubg.view", view)] = tags[..] else {
                panic!("{tags:?}");
            };
            assert_eq!(view, if is_others { "opponent" } else { "own" });
            let said = said.split_ascii_whitespace();
            let said: Vec<f64> = said.map(|number| number.parse().unwrap()).collect();
            assert_eq!(said.len(), printed.len());
            for (said, printed) in said.iter().zip(&printed) {
                assert!(
                    (said - printed).abs() < 2e-6,
                    "{text}: {said} and {printed}"
                );
            }
        }
    }
}

#[test]
fn every_answer_is_legal() {
    let Some(options) = installed() else { return };
    let mut bot = GnuBackgammon::new(options).unwrap();
    let backgammon = catalogue::find("backgammon").unwrap();
    let mut asked = 0;
    for (variant, target) in [
        ("standard", 1),
        ("standard", 3),
        ("standard", 7),
        ("money", 1),
    ] {
        for seed in 0..3 {
            let (mut random, mut decisions) = (SplitMix64::new(seed), 0);
            let draws = Draws::from_text(&seed.to_string());
            play_match(
                backgammon,
                Some(variant),
                target,
                &draws,
                |position, legal| {
                    decisions += 1;
                    if decisions % 7 == 0 {
                        let action = bot.choose(position, &untimed(1)).unwrap();
                        assert!(legal.contains(&action), "{action} at {position}");
                        asked += 1;
                    }
                    let choice = random.below(u32::try_from(legal.len()).unwrap());
                    legal[choice as usize].clone()
                },
            );
        }
    }
    assert!(asked > 100, "{asked} questions");
}

#[test]
fn resignations_are_answered_by_what_the_game_is_worth() {
    let Some(options) = installed() else { return };
    let mut bot = GnuBackgammon::new(options).unwrap();
    // Seat second is far from home when seat first bears off: a gammon. At the start it is only a
    // single game.
    for (text, answer) in [
        (
            "XGID=-BBCCC-h-g----------------:0:0:-1:00:0:0:0:0:10",
            "decline",
        ),
        (
            "XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:10",
            "accept",
        ),
    ] {
        let mut position: Position = text.parse().unwrap();
        position.play("resign 1".parse().unwrap()).unwrap();
        let choice = bot.choose(&position.to_string(), &untimed(1)).unwrap();
        assert_eq!(choice, answer, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_played_through_a_service() {
    let Some(options) = installed() else { return };
    let service = Service::start(Config {
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        storage: Storage::Memory,
        ..Config::default()
    })
    .await
    .unwrap();
    let address = format!("http://{}", service.address());
    let client = |token: &str| {
        Client::connect_lazily(&address.parse().unwrap(), &Token::new(token).unwrap()).unwrap()
    };
    let random: BotSpec = "random".parse().unwrap();
    let (ours, theirs) = (client("a-token-of-random-0"), client("a-token-of-gnubg-00"));
    let new = NewMatch {
        seed: Some("bridge".parse().unwrap()),
        ..NewMatch::new("backgammon", 3)
    };
    let match_id = ours.create_match(new).await.unwrap().id;
    for (client, seat) in [(&ours, Seat::First), (&theirs, Seat::Second)] {
        client
            .join_match(match_id, Some(seat), "", None)
            .await
            .unwrap();
    }
    let bridge = GnuBackgammon::new(options).unwrap();
    let (first, second) = tokio::join!(
        session(ours, match_id, move |info| Ok(random.make(info)?)),
        session(theirs, match_id, move |_| Ok(Box::new(bridge.clone())))
    );
    assert_eq!((first.matches, second.matches), (1, 1));
    assert_eq!(second.failures, 0, "the bridge failed");
    assert_eq!((first.lost, second.won), (1, 1));
    service.stop().await;
}

async fn session(
    client: Client,
    match_id: MatchId,
    factory: impl Fn(
        &MatchInfo,
    )
        -> Result<Box<dyn dragontooth_bots::Bot>, dragontooth_bots::session::MakeBotError>
    + Send
    + Sync
    + 'static,
) -> Summary {
    let options = SessionOptions {
        until: Until::Match(match_id),
        ..SessionOptions::default()
    };
    let pool = ThinkingPool::of_the_machine().unwrap();
    let session = Session::new(client, pool, options, factory);
    session.run(std::future::pending()).await.unwrap()
}

fn untimed(seed: u64) -> Budget {
    Budget { time: None, seed }
}
