//! `dragontooth-runner conformance` from outside.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::command_line::runner;

fn conformance(folder: &Path, arguments: &[&str]) -> Output {
    runner(folder, &["conformance"])
        .args(arguments)
        .output()
        .unwrap()
}

fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn a_built_in_bot_of_a_file_passes() {
    let place = tempfile::tempdir().unwrap();
    let event = "[event]\nname = 'cup'\ngame = 'tzaar'\n[[bot]]\nname = 'a'\nbuiltin = 'random'\n\
                 [[bot]]\nname = 'far'\nbuiltin = 'greedy'\n";
    fs::write(place.path().join("cup.toml"), event).unwrap();
    let arguments = [
        "cup.toml",
        "--bot",
        "a",
        "--check",
        "connects",
        "--check",
        "only-pass",
        "--json",
        "verdicts.json",
    ];
    let (code, table, errors) = told(&conformance(place.path(), &arguments));
    assert_eq!(code, Some(0), "{table}{errors}");
    assert!(
        table.ends_with("2 passed, 0 failed, 0 skipped\n"),
        "{table}"
    );
    let json = fs::read_to_string(place.path().join("verdicts.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["bot"], &json["passed"]), (&"a".into(), &2.into()));
    assert_eq!(json["checks"][1]["check"], "only-pass");
}

#[test]
fn a_failed_program_is_reported_with_its_output() {
    let place = tempfile::tempdir().unwrap();
    let script = "echo I cannot play >&2; exit 3";
    let arguments = [
        "--game", "linja", "--logs", "logs", "--", "sh", "-c", script,
    ];
    let (code, table, errors) = told(&conformance(place.path(), &arguments));
    assert_eq!(code, Some(1), "{table}{errors}");
    assert!(
        table.contains("its program ended: exit status: 3"),
        "{table}"
    );
    assert!(table.contains("it wrote  I cannot play"), "{table}");
    assert!(table.contains("docs/conformance.md#connects"), "{table}");
    let log = place.path().join("logs/linja-connects.log");
    assert_eq!(fs::read_to_string(log).unwrap(), "I cannot play\n");
}

/// Without `--logs` they are kept only for the bot's author to read after a fault.
#[test]
fn an_interruption_leaves_no_logs_in_the_temporary_folder() {
    let place = tempfile::tempdir().unwrap();
    let temporary = place.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let begun = place.path().join("begun");
    let made = Command::new("mkfifo").arg(&begun).status().unwrap();
    assert!(made.success());
    // It writes to its log, says so, and waits for another word, so that the kit waits for it.
    let bot = "echo I begin >&2; echo begun > \"$0\"; exec cat \"$0\"";
    let kit = Command::new(env!("CARGO_BIN_EXE_dragontooth-runner"))
        .args(["conformance", "--game", "linja", "--", "sh", "-c", bot])
        .arg(&begun)
        .env("TMPDIR", &temporary)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(fs::read_to_string(&begun).unwrap(), "begun\n");
    let interrupt = ["-s", "INT", &kit.id().to_string()].map(str::to_owned);
    assert!(
        Command::new("kill")
            .args(interrupt)
            .status()
            .unwrap()
            .success()
    );
    let ended = kit.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    let left: Vec<_> = fs::read_dir(&temporary).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn command_line_mistakes_are_reported() {
    let place = tempfile::tempdir().unwrap();
    let event = "[event]\nname = 'cup'\ngame = 'linja'\n[[bot]]\nname = 'a'\nbuiltin = 'random'\n\
                 [[bot]]\nname = 'b'\ncommand = ['sh']\nprotocol = 'stdio'\n";
    fs::write(place.path().join("cup.toml"), event).unwrap();
    for (arguments, expected) in [
        (&[][..], "required"),
        (
            &["--game", "kamisado", "--check", "doublet", "--", "true"],
            "no check named applies to kamisado",
        ),
        (&["cup.toml"], "--bot"),
        (&["cup.toml", "--bot", "c"], "the file has no bot c"),
        (&["./mybot"], "conformance [OPTIONS] -- COMMAND"),
        (
            &["cup.toml", "--bot", "b"],
            "--game linja -- dragontooth-bot stdio --processes 3 -- sh",
        ),
        (&["--game", "chess", "--builtin", "random"], "chess"),
        (
            &["--check", "luck", "--builtin", "random"],
            "unknown check; expected one of connects, ",
        ),
        (
            &["--game", "backgammon", "--builtin", "alphabeta"],
            "alphabeta does not play backgammon",
        ),
        (
            &["--", "./nobody"],
            "the bot cannot be started: there is no file",
        ),
        (&["--builtin", "random", "--", "sh"], "cannot be used with"),
    ] {
        let (code, _, errors) = told(&conformance(place.path(), arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
    }
    let json = ["--builtin", "random", "--json", "no/where.json"];
    let (code, _, errors) = told(&conformance(place.path(), &json));
    assert_eq!(code, Some(3), "{errors}");
}
