use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use dragontooth_bots::{Choice, MatchEnd};
use dragontooth_bots_engines::stdio::{
    AnswerDeadline, DecisionRequest, EngineFault, EngineMatch, Engines, FromEngine, MatchInfo,
    ToEngine,
};
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::{Seat, catalogue};
use dragontooth_service_vocabulary::{History, HistoryEvent, Sequence, TimeControl};

use super::{launch, terms};

const PAGE: &str = include_str!("../../../../docs/stdio.md");

/// The lines of the page's transcript, those to the engine and those from it, in order.
fn transcript() -> Vec<(bool, &'static str)> {
    let lines = PAGE.lines().filter_map(|line| {
        let to = line.strip_prefix("→ ").map(|line| (true, line));
        to.or_else(|| line.strip_prefix("← ").map(|line| (false, line)))
    });
    lines.collect()
}

/// An engine that writes the lines of the page, each after as many lines of input as there, and saves its
/// input.
fn actor(folder: &tempfile::TempDir) -> std::path::PathBuf {
    let mut text = "#!/bin/sh\n".to_owned();
    let heard = folder.path().join("heard");
    for (is_to, line) in transcript() {
        if is_to {
            let heard = heard.display();
            writeln!(text, "read -r line; printf '%s\\n' \"$line\" >> '{heard}'").unwrap();
        } else {
            writeln!(text, "printf '%s\\n' '{line}'").unwrap();
        }
    }
    let path = folder.path().join("engine");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn every_line_of_the_page_is_a_message() {
    let lines = transcript();
    assert!(lines.len() > 10, "{lines:?}");
    for (is_to, line) in lines {
        if is_to {
            let message = ToEngine::read(line.as_bytes()).unwrap();
            let mut written = Vec::new();
            message.write(&mut written);
            assert_eq!(String::from_utf8(written).unwrap(), format!("{line}\n"));
        } else {
            FromEngine::read(line.as_bytes()).unwrap();
        }
    }
}

/// The match of the page, between an engine in seat second and these actions.
#[test]
fn the_match_of_the_page_is_played_as_written() {
    let folder = tempfile::tempdir().unwrap();
    let (launch, notes) = launch(actor(&folder));
    let engines = Engines::new(launch);
    let terms = MatchInfo {
        id: "01a1fc3c-aedb-72bf-a6a9-1b1e3e017cec".to_owned(),
        title: "a friendly".to_owned(),
        game: "kamisado".to_owned(),
        variant: "standard".to_owned(),
        target: 1,
        seat: Seat::Second,
        time_controls: [Some(TimeControl::Fischer {
            base: Duration::from_mins(5),
            increment: Duration::from_millis(1500),
        }); 2],
    };
    let mut playing = EngineMatch::begin(&engines, terms).unwrap();
    let game = catalogue::find("kamisado").unwrap();
    let mut play = game.new_match(None, 1).unwrap();
    play.begin_game(super::START).unwrap();
    let mut history = History::default();
    let begun = HistoryEvent::GameStarted {
        game_number: 1,
        position: super::START,
    };
    history.push(Sequence(4), begun);
    act(&mut *play, "d1d7", &mut history);
    let mut clocks = [Duration::from_millis(296_514), Duration::from_mins(5)];
    for (decision, ply) in [(5, 1), (7, 2)] {
        let position = play.position().unwrap();
        let asked = DecisionRequest {
            decision,
            game_number: 1,
            ply,
            position: &position,
            score: [0; 2],
            roll: None,
            history: Some(&history),
            seed: decision << 40,
            time: Some(clocks[1] / 20 + Duration::from_millis(1500)),
            left: Some(clocks[1]),
            clocks: Some(clocks.map(Some)),
        };
        let patience = AnswerDeadline {
            until: Some(Instant::now() + super::LONG),
            fault: &EngineFault::Late,
            is_over: &|| false,
        };
        let Ok(Choice::Action(action)) = playing.ask(&asked, patience) else {
            panic!("{:?}", notes.lock().unwrap());
        };
        act(&mut *play, &action, &mut history);
        clocks[1] -= Duration::from_millis(320);
    }
    let end = MatchEnd {
        winner: Some(Seat::Second),
        termination: "normal".to_owned(),
        score: [0, 1],
        since: history,
    };
    playing.end(&end);
    engines.close();
    let heard = fs::read_to_string(folder.path().join("heard")).unwrap();
    let lines = transcript();
    let expected = lines.iter().filter(|(is_to, _)| *is_to);
    let expected: Vec<&str> = expected.map(|(_, line)| *line).collect();
    assert_eq!(heard.lines().collect::<Vec<_>>(), expected, "{heard}");
    assert!(notes.lock().unwrap().is_empty(), "{notes:?}");
}

#[test]
fn an_end_of_which_nothing_is_known_has_no_score() {
    let folder = tempfile::tempdir().unwrap();
    let (launch, _) = launch(actor(&folder));
    let engines = Engines::new(launch);
    let playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    playing.end(&MatchEnd::unknown());
    engines.close();
    let heard = fs::read_to_string(folder.path().join("heard")).unwrap();
    let expected = r#"{"type":"matchover","match":"m","winner":null,"termination":"unknown"}"#;
    assert!(heard.lines().any(|line| line == expected), "{heard}");
}

/// Plays an action and the passes that follow from it.
fn act(play: &mut dyn Match, action: &str, history: &mut History) {
    let next = |history: &History| history.last_sequence().unwrap().next();
    let Step::Decide(seat) = play.step() else {
        panic!("{:?}", play.step());
    };
    let action = play.play(action).unwrap();
    let action = &*action;
    history.push(next(history), HistoryEvent::Action { seat, action });
    loop {
        match play.step() {
            Step::Pass(seat) => {
                play.pass().unwrap();
                history.push(next(history), HistoryEvent::Pass { seat });
            }
            Step::Score(outcome) => {
                play.score_game().unwrap();
                let ended = HistoryEvent::GameEnded {
                    winner: outcome.winner,
                    points: outcome.points,
                    reason: outcome.reason,
                    score: play.score(),
                };
                history.push(next(history), ended);
            }
            Step::Decide(_) | Step::Over { .. } => return,
            Step::Deal | Step::Chance => panic!("Kamisado to one point has neither"),
        }
    }
}

/// Many languages read every number as a double, which has 53 bits.
#[test]
fn the_seed_of_the_hello_is_exact_in_every_language() {
    for (seed, expected) in [(1 << 52, 1 << 52), (u64::MAX, (1_u64 << 53) - 1)] {
        let folder = tempfile::tempdir().unwrap();
        let (mut launch, _) = launch(actor(&folder));
        launch.seed = seed;
        Engines::new(launch).warm_up(1).unwrap();
        let heard = fs::read_to_string(folder.path().join("heard")).unwrap();
        let hello: serde_json::Value = serde_json::from_str(heard.lines().next().unwrap()).unwrap();
        assert_eq!(hello["seed"], expected);
    }
}
