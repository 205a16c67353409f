use std::io::{self, Write};
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

const TOKEN: &str = "correct-horse-battery-staple";

/// The outcome of a run of the program.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program, without the variables that it reads.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dragontooth-bot"));
    command.args(arguments);
    for variable in ["DRAGONTOOTH_TOKEN", "DRAGONTOOTH_SERVER", "RUST_LOG"] {
        command.env_remove(variable);
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs the program to its end with this input.
pub(crate) fn run(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = program(arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().unwrap();
    match writer.join().unwrap() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => panic!("{error}"),
        Ok(()) | Err(_) => {}
    }
    Run {
        code: status.code(),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

/// Checks the exit code and the message on standard error, which is one line unless it comes from the parser
/// of the command line.
fn check_failure(arguments: &[&str], code: i32, expected: &str) -> Run {
    let run = run(arguments, b"");
    assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
    assert!(
        run.stderr.contains(expected),
        "{arguments:?}: {}",
        run.stderr
    );
    if let Some(message) = run.stderr.strip_prefix("dragontooth-bot: ") {
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    run
}

/// The address of a service that is not running: a port that was free a moment ago.
fn unreachable_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn lists_the_bots_with_their_options() {
    let run = run(&["bots"], b"");
    assert_eq!(run.code, Some(0));
    for expected in [
        "random: ",
        "greedy: ",
        "alphabeta: ",
        "  nodes: ",
        "  seed: ",
    ] {
        assert!(
            run.stdout.lines().any(|line| line.starts_with(expected)),
            "{}",
            run.stdout
        );
    }
    let games: Vec<&str> = run
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("  plays "))
        .collect();
    assert_eq!(
        games,
        [
            "kamisado, linja, tzaar, backgammon",
            "kamisado, linja, tzaar, backgammon",
            "kamisado, linja, tzaar",
            "backgammon"
        ]
    );
}

#[test]
fn explains_refusals() {
    let explain = |reasons: &[&'static str]| run(&[&["explain"], reasons].concat(), b"");
    let two = explain(&["stale_decision", "NO_SEAT"]).stdout;
    assert!(two.starts_with("STALE_DECISION (ABORTED)\n  "), "{two}");
    assert!(two.contains("\nNO_SEAT (PERMISSION_DENIED)\n  "), "{two}");
    assert_eq!(two.matches("\n  A bot: ").count(), 2, "{two}");
    // The table of the page is generated from the same comments.
    let page = include_str!("../../../docs/errors.md");
    let names = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let names: Vec<&str> = names.map(|line| line.split('`').next().unwrap()).collect();
    let all = explain(&[]).stdout;
    let explained = all.lines().filter(|line| !line.starts_with(' '));
    let explained: Vec<&str> = explained
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(explained, names);
    check_failure(&["explain", "NOTHING"], 2, "no reason \"NOTHING\"");
}

#[test]
fn the_help_begins_with_the_purpose_of_the_program() {
    for (program, begin) in [
        (
            env!("CARGO_BIN_EXE_dragontooth-bot"),
            "Plays board games against other bots on a Dragontooth service",
        ),
        (
            env!("CARGO_BIN_EXE_dragontooth-gnubg"),
            "Plays matches of Backgammon on a Dragontooth service with GNU Backgammon",
        ),
    ] {
        for flag in ["-h", "--help"] {
            let output = Command::new(program).arg(flag).output().unwrap();
            assert_eq!(output.status.code(), Some(0));
            let help = String::from_utf8(output.stdout).unwrap();
            assert!(help.starts_with(begin), "{help}");
            assert!(help.contains("Exit codes:"), "{help}");
        }
    }
}

#[test]
fn names_the_mistake_on_the_command_line() {
    let play = |more: &[&'static str]| {
        let start = ["play", "--token", TOKEN, "--bot", "random"];
        [&start[..], more].concat()
    };
    for (arguments, expected) in [
        (
            vec!["play", "--token", TOKEN, "--bot", "deep"],
            "unknown bot \"deep\"",
        ),
        (play(&["--option", "nodes=5"]), "no option \"nodes\""),
        (play(&["--option", "seed=many"]), "\"many\""),
        (
            play(&["--option", "seed=1", "--option", "seed=2"]),
            "set twice",
        ),
        (play(&["--server", "ftp://x:1"]), "only http and https"),
        (play(&["--match", "42"]), "a match id is a UUID"),
        (
            play(&["--seat", "third"]),
            "expected \"first\" or \"second\"",
        ),
        (play(&["--target", "3"]), "--new"),
        (
            play(&["--new", "kamisado", "--target", "3", "--time", "blitz:1m"]),
            "blitz",
        ),
        (play(&["--matches", "0"]), "--matches"),
        (play(&["--seat", "first"]), "--match"),
        (
            play(&["--new", "linja", "--target", "1", "--matches", "2"]),
            "--matches",
        ),
        (
            play(&[
                "--new",
                "linja",
                "--target",
                "1",
                "--match",
                "01a1fc3c-aedb-72bf-a6a9-1b1e3e017cec",
            ]),
            "--match",
        ),
        (vec!["play", "--bot", "random"], "--token"),
        (vec!["fly"], "fly"),
        (vec![], "Usage"),
    ] {
        check_failure(&arguments, 2, expected);
    }
}

#[test]
fn a_service_that_is_not_there_is_an_exit_code_of_its_own() {
    let server = unreachable_server();
    let service = [
        "--server",
        server.as_str(),
        "--token",
        TOKEN,
        "--wait",
        "0s",
    ];
    let play = [&["play", "--bot", "random"][..], &service].concat();
    let whoami = [&["whoami"][..], &service].concat();
    let new = [&play[..], &["--new", "kamisado", "--target", "3"]].concat();
    let cause = "Connection refused (os error 111)";
    let hint = "start one there with dragontooth-service serve, or name another with --server";
    let expected = format!("dragontooth-bot: no service answers at {server}: {cause}; {hint}\n");
    for arguments in [play, whoami, new] {
        let run = check_failure(&arguments, 3, &expected);
        assert_eq!(run.stderr, expected);
    }
}

/// The program says once, before anything else, that it waits.
#[test]
fn a_program_without_a_service_says_what_it_waits_for() {
    let server = unreachable_server();
    let service = ["--server", &server, "--token", TOKEN, "--wait", "300ms"];
    let waiting = format!("waiting for the service at {server}, at most 300ms: Connection refused");
    for command in [&["play", "--bot", "random"][..], &["whoami"]] {
        let run = run(&[command, &service].concat(), b"");
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
        let lines: Vec<&str> = run.stderr.lines().collect();
        let [first, last] = lines[..] else {
            panic!("{}", run.stderr);
        };
        assert!(first.starts_with(&waiting), "{first}");
        let begins = "dragontooth-bot: no service answers at ";
        assert!(last.starts_with(begins), "{last}");
    }
}

#[test]
fn the_token_is_shown_nowhere() {
    let server = unreachable_server();
    for token in [TOKEN, "tooshort", "with-a-blank in-the-middle"] {
        let arguments = [
            "play", "--bot", "random", "--server", &server, "--token", token, "--wait", "0s",
        ];
        let mut command = program(&arguments);
        command.env("RUST_LOG", "trace");
        let output = command.output().unwrap();
        assert!(!output.status.success());
        let help = program(&["play", "--help"])
            .env("DRAGONTOOTH_TOKEN", token)
            .output()
            .unwrap();
        for text in [output.stdout, output.stderr, help.stdout, help.stderr] {
            let text = String::from_utf8(text).unwrap();
            assert!(!text.contains(token), "{text}");
        }
    }
}

#[test]
fn terms_that_no_match_has_are_refused() {
    for (terms, expected) in [
        ("", "names no game"),
        ("kamisado:none", "is not a number of points"),
        ("kamisado@60", "write \"60+0\" or \"60s\""),
        ("chess", "unknown game \"chess\""),
        (
            "kamisado:4",
            "--accept: kamisado is played to 1, 3, 7 or 15 points, not 4",
        ),
        (
            "linja:4-6",
            "--accept: linja is played to 1, 3, 7 or 15 points, not 4 to 6",
        ),
        ("kamisado/odd", "odd"),
    ] {
        let play = [
            "play", "--token", TOKEN, "--bot", "random", "--accept", terms,
        ];
        check_failure(&play, 2, expected);
    }
}

/// The service would refuse every seat.
#[test]
fn texts_that_no_player_may_have_are_refused() {
    let long = "b".repeat(65);
    for (option, text, expected) in [
        ("--build", long.as_str(), "64"),
        ("--name", &long, "64"),
        ("--name", "two  spaces", "--name"),
        ("--draw-seed", &long, "64"),
        ("--draw-seed", "two\nlines", "--draw-seed"),
    ] {
        let play = ["play", "--token", TOKEN, "--bot", "random", option, text];
        check_failure(&play, 2, expected);
    }
}

#[test]
fn prints_completions_and_man_pages() {
    for (name, program, command) in [
        (
            "dragontooth-bot",
            env!("CARGO_BIN_EXE_dragontooth-bot"),
            "perft",
        ),
        (
            "dragontooth-gnubg",
            env!("CARGO_BIN_EXE_dragontooth-gnubg"),
            "completions",
        ),
    ] {
        let print = |arguments: &[&str]| {
            let output = Command::new(program).args(arguments).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        let script = print(&["completions", "bash"]);
        let function = name.replace('-', "__");
        assert!(
            script.contains(&format!("complete -F _{function} ")),
            "{script}"
        );
        let page = print(&["man"]);
        assert!(page.contains(&format!(".TH {name} 1")), "{page}");
        let folder = tempfile::tempdir().unwrap();
        let printed = print(&["man", "--dir", folder.path().to_str().unwrap()]);
        assert_eq!(printed, "");
        for page in [format!("{name}.1"), format!("{name}-{command}.1")] {
            assert!(folder.path().join(&page).is_file(), "{page}");
        }
    }
}
