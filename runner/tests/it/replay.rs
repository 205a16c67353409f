//! `replay`: playing one match again.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use dragontooth_games::Seat;
use dragontooth_games::record::{GameRecord, RecordOutcome, RecordStep};
use dragontooth_runner_report::Divergence;
use dragontooth_service::Service;
use dragontooth_service_client::{Client, MatchFilter, Token};
use serde_json::Value;
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use crate::command_line::call;
use crate::faults::write_program;
use crate::programs::becomes;
use crate::recorded::json_lines;

/// A run of two built-in bots, on a service or without.
fn run(service: &str) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("cup.toml");
    let event = format!(
        "[event]\nname = 'cup'\ngame = 'kamisado'\nvariant = 'random'\ntarget = 1\n\
         time_control = {{ per_action_ms = 60000 }}\n{service}\
         [[bot]]\nname = 'a'\nbuiltin = 'random'\n\
         [[bot]]\nname = 'b'\nbuiltin = 'alphabeta'\ntime_control = 'none'\n\
         options = {{ nodes = 50, table_mib = 1 }}\n"
    );
    fs::write(&file, event).unwrap();
    let (code, _, err) = call(place.path(), &["run", "cup.toml", "--folder", "run"]);
    assert_eq!(code, 0, "{err}");
    place
}

fn results(place: &TempDir) -> Vec<Value> {
    let text = fs::read_to_string(place.path().join("run/results.jsonl")).unwrap();
    json_lines(&text)
}

#[test]
fn a_match_is_replayed_unchanged() {
    for service in ["", "[service]\ndirect = true\n"] {
        let place = run(service);
        for line in results(&place) {
            for name in [&line["title"], &line["match_id"]] {
                let (code, out, err) =
                    call(place.path(), &["replay", "run", name.as_str().unwrap()]);
                assert_eq!(code, 0, "{out}{err}");
                assert!(out.ends_with("as recorded\n"), "{out}");
                assert!(!out.contains("here it parts"), "{out}");
                let bots = &line["bots"];
                let [first, second] = ["first", "second"].map(|seat| bots[seat].as_str().unwrap());
                let head = format!(
                    "{}: {first} against {second}\n",
                    line["title"].as_str().unwrap()
                );
                assert!(out.starts_with(&head), "{out}");
                let has_time =
                    |line: &&str| [" µs", " ms", " s"].iter().any(|unit| line.ends_with(unit));
                let timed = out.lines().filter(has_time).count();
                assert_eq!(timed as u64, line["plies"].as_u64().unwrap());
            }
        }
    }
}

/// Its first attempt was called off, so that it was played from another seed than the other match of its encounter.
#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_was_restarted_is_replayed_from_its_own_seed() {
    let config = dragontooth_service::Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        ..dragontooth_service::Config::default()
    };
    let service = Service::start(config).await.unwrap();
    let address = format!("http://{}", service.address());
    let place = tempfile::tempdir().unwrap();
    let event = format!(
        "[event]\nname = 'cup'\ngame = 'kamisado'\nvariant = 'random'\ntarget = 1\n\
         [limits]\njoin_ms = 60000\n\
         [service]\naddress = '{address}'\ntoken_file = 'token'\n\
         [[bot]]\nname = 'a'\nbuiltin = 'random'\n\
         [[bot]]\nname = 'b'\ncommand = ['./late']\n"
    );
    fs::write(place.path().join("cup.toml"), event).unwrap();
    let script = format!(
        "#!/bin/sh\nif [ ! -e called_off ]; then read -r line < gate; fi\n{}\n",
        becomes("random:seed=9")
    );
    write_program(&place.path().join("late"), &script);
    let gate = place.path().join("gate");
    assert!(
        Command::new("mkfifo")
            .arg(&gate)
            .status()
            .unwrap()
            .success()
    );
    let token = Token::random();
    fs::write(place.path().join("token"), token.reveal()).unwrap();

    let creator = Client::connect_lazily(&address.parse().unwrap(), &token).unwrap();
    let call_off = async {
        let id = loop {
            let listed = creator.list_matches(MatchFilter::default(), None).await;
            if let Some(view) = listed.unwrap().items.first() {
                break view.id;
            }
        };
        creator.abort_match(id, None).await.unwrap();
        fs::write(place.path().join("called_off"), "").unwrap();
        spawn_blocking(move || fs::write(gate, "go\n"))
            .await
            .unwrap()
            .unwrap();
    };
    let path = place.path().to_owned();
    let run = spawn_blocking(move || call(&path, &["run", "cup.toml", "--folder", "run"]));
    let (run, ()) = tokio::join!(run, call_off);
    service.stop().await;
    let (code, _, err) = run.unwrap();
    assert_eq!(code, 0, "{err}");
    let results = results(&place);
    assert_eq!(
        results.iter().filter(|line| line["replays"] == 1).count(),
        1
    );
    for line in results {
        let title = line["title"].as_str().unwrap();
        // On a service, and without one.
        for more in [&[][..], &["--bot", "b=random:seed=9"]] {
            let arguments = [&["replay", "run", title], more].concat();
            let (code, out, err) = call(place.path(), &arguments);
            assert_eq!(code, 0, "{out}{err}");
            assert!(out.ends_with("as recorded\n"), "{out}");
        }
    }
}

#[test]
fn a_different_bot_diverges_from_the_record() {
    let place = run("[service]\ndirect = true\n");
    let title = "cup/c1/r1/p1/m1";
    let before = fs::read(place.path().join("run/results.jsonl")).unwrap();
    let (code, out, err) = call(
        place.path(),
        &["replay", "run", title, "--bot", "a=random:seed=99"],
    );
    assert_eq!(code, 1, "{out}{err}");
    assert_eq!(
        out.matches("here it diverges from the record").count(),
        1,
        "{out}"
    );
    assert!(
        out.lines()
            .last()
            .unwrap()
            .starts_with("diverges from the record in game 1 at step ")
    );
    // The same options as before are the same bot.
    let manifest = fs::read_to_string(place.path().join("run/event.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let same = format!("b={}", manifest["bots"][1]["builtin"].as_str().unwrap());
    let (code, out, err) = call(place.path(), &["replay", "run", title, "--bot", &same]);
    assert_eq!(code, 0, "{out}{err}");
    // The event file and its folder agree.
    let (code, out, err) = call(
        place.path(),
        &["replay", "run", title, "--file", "cup.toml"],
    );
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(
        fs::read(place.path().join("run/results.jsonl")).unwrap(),
        before
    );
}

/// A program's output is kept, and its faults are reported.
#[test]
fn a_program_may_play_instead() {
    let place = run("[service]\ndirect = true\n");
    let program = place.path().join("mine");
    write_program(&program, "#!/bin/sh\necho \"it is $1\"\nexit 3\n");
    let arguments = [
        "replay",
        "run",
        "cup/c1/r1/p1/m2",
        "--bot",
        "b=./mine seven",
        "--logs",
        "logs",
    ];
    let (code, out, err) = call(place.path(), &arguments);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("resignation\nfault of the "), "{out}");
    assert!(out.contains(" seat: crash: "), "{out}");
    let log = fs::read_to_string(place.path().join("logs/b.log")).unwrap();
    assert!(log.starts_with("it is seven\n"), "{log}");
}

/// A program's path is relative to the event file, which the run does not know.
#[test]
fn the_file_locates_programs_from_another_folder() {
    let place = run("[service]\ndirect = true\n");
    let manifest = place.path().join("run/event.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let builtin = "\"builtin\": \"random:seed=";
    let at = text.find(builtin).unwrap();
    let line = text[at..].lines().next().unwrap();
    let text = text.replacen(line, "\"command\": [\"./mine\", \"seven\"]", 1);
    fs::write(&manifest, text).unwrap();
    let other = place.path().join("other");
    fs::create_dir(&other).unwrap();
    let (code, out, err) = call(&other, &["replay", "../run", "cup/c1/r1/p1/m1"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    let missing = other.join("mine");
    assert_eq!(
        err,
        format!(
            "dragontooth-runner: a, as event.json tells: there is no file {}; --file FILE takes the bots \
             from the file of the event, whose folder counts then\n",
            missing.display()
        )
    );
    let with_file = [
        "replay",
        "../run",
        "cup/c1/r1/p1/m1",
        "--file",
        "../cup.toml",
    ];
    let (code, out, err) = call(&other, &with_file);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn impossible_replays_are_refused() {
    let place = run("[service]\ndirect = true\n");
    let title = "cup/c1/r1/p1/m1";
    for (arguments, told) in [
        (
            &["replay", "run", "cup/c9/r1/p1/m1"][..],
            "the run has no match",
        ),
        (
            &["replay", "run", title, "--bot", "c=random"],
            "c does not play in this match",
        ),
        (
            &["replay", "run", title, "--bot", "a=alphabeta:nodes=0"],
            "'--bot <NAME=BOT>': nodes is a number from 1",
        ),
        (
            &["replay", "run", title, "--bot", "a=alphabeta:nodes"],
            "'--bot <NAME=BOT>': an option has the form NAME=NUMBER",
        ),
        (
            &["replay", "run", title, "--bot", "a=nobody"],
            "runner: --bot a=nobody: there is no program \"nobody\" in the folders of PATH\n",
        ),
        (
            &["replay", "run", title, "--bot", "a=expectimax"],
            "runner: --bot a=expectimax: ",
        ),
        (&["replay", "run", title, "--bot", "a"], "must be NAME=BOT"),
        (
            &["replay", "nowhere", title],
            "runner: nowhere: there is no run here; name the folder of one, such as runs/cup\n",
        ),
        (
            &["replay", "cup.toml", title],
            "runner: cup.toml: there is no run here; name",
        ),
    ] {
        let (code, out, err) = call(place.path(), arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(told), "{arguments:?}: {err}");
    }
}

#[test]
fn the_first_difference_is_found() {
    let action = |seat, action: &str| RecordStep::Action {
        seat,
        action: action.to_owned(),
    };
    let game = || GameRecord {
        start: "start".to_owned(),
        steps: vec![action(Seat::First, "x"), action(Seat::Second, "y")],
        thinking: BTreeMap::new(),
        outcome: Some(RecordOutcome {
            winner: None,
            points: 0,
        }),
    };
    let found = |change: &dyn Fn(&mut Vec<GameRecord>)| {
        let before = vec![game(), game()];
        let mut now = before.clone();
        change(&mut now);
        let there = Divergence::find(&before, &now)?;
        let back = Divergence::find(&now, &before).unwrap();
        assert_eq!(
            (back.before, back.now),
            (there.now.clone(), there.before.clone())
        );
        Some((there.game, there.step, there.now))
    };
    assert_eq!(found(&|_| {}), None);
    let says = |text: &str| Some(text.to_owned());
    assert_eq!(
        found(&|now| now[1].start.push('!')),
        Some((2, 0, says("start!")))
    );
    assert_eq!(
        found(&|now| now[0].steps[1] = RecordStep::Pass { seat: Seat::Second }),
        Some((1, 2, says("second --")))
    );
    assert_eq!(found(&|now| now[1].outcome = None), Some((2, 3, None)));
    assert_eq!(found(&|now| drop(now.pop())), Some((2, 0, None)));
    assert_eq!(found(&|now| now.push(game())), Some((3, 0, says("start"))));
}
