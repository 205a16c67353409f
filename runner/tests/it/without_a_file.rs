//! Events that are described by options, and what the program says of itself.

use std::fs;

use dragontooth_runner::config::RunConfig;

use crate::command_line::Place;
use crate::faults::write_program;

/// A folder with a program that may be executed and is no bot.
fn place() -> Place {
    let place = Place::new("");
    write_program(
        &place.path().join("bot.sh"),
        "#!/bin/sh\necho no bot\nexit 4\n",
    );
    place
}

const QUICK: [&str; 7] = [
    "run",
    "--game",
    "kamisado",
    "--bot",
    "greedy",
    "--bot",
    "deep=alphabeta:nodes=300,table_mib=1",
];

#[test]
fn an_event_needs_no_file() {
    let place = place();
    let quick = [&QUICK[..], &["--target", "1", "--cycles", "2", "--direct"]].concat();
    let (code, out, err) = place.output(&quick);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("4 of 4 matches played"), "{out}");
    let folder = place.path().join("runs/kamisado-greedy-deep");
    assert!(folder.join("report.html").exists());

    // The same command continues, and so does its file from elsewhere.
    let (code, again, err) = place.output(&quick);
    assert_eq!((code, &again), (0, &out), "{err}");
    assert!(!err.contains("[1/"), "{err}");
    let file = folder.join("event.toml");
    let elsewhere = Place::new("");
    let (code, again, err) = elsewhere.output(&["run", file.to_str().unwrap()]);
    assert_eq!((code, &again), (0, &out), "{err}");
    assert!(!elsewhere.path().join("runs").exists());

    // More of it.
    let more = [&QUICK[..], &["--target", "1", "--cycles", "3", "--direct"]].concat();
    let (code, out, err) = place.output(&more);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("6 of 6 matches played"), "{out}");
    // Another event.
    let other = [&QUICK[..], &["--target", "3", "--direct"]].concat();
    let (code, _, err) = place.output(&other);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("event.target is 1 in the folder"), "{err}");
    let aside = [&other[..], &["--dir", "aside"]].concat();
    assert_eq!(place.output(&aside).0, 0);
    assert!(place.path().join("aside/event.toml").exists());
}

#[test]
fn the_file_says_what_the_options_say() {
    let place = place();
    let words = [
        "run",
        "--game",
        "kamisado",
        "--bot",
        "greedy",
        "--bot",
        "greedy",
        "--bot",
        "./bot.sh --level 9",
        "--bot",
        "e=stdio:./bot.sh",
        "--variant",
        "random",
        "--time-control",
        "60+0.5",
        "--seed",
        "7",
        "--max-plies",
        "90",
        "--format",
        "gauntlet",
        "--concurrency",
        "2",
        "--name",
        "cup",
        "--dir",
        "here",
    ];
    let (code, _, err) = place.output(&words);
    // The program plays nothing.
    assert_eq!(code, 3, "{err}");
    let config = RunConfig::load(&place.path().join("here/event.toml")).unwrap();
    let expected = format!(
        "[event]\nname = 'cup'\nseed = 7\ngame = 'kamisado'\nvariant = 'random'\nmax_plies = 90\n\
         time_control = {{ base_ms = 60000, increment_ms = 500 }}\nformat = 'gauntlet'\n\
         challengers = ['greedy']\nfolder = '{here}/here'\n\
         [[bot]]\nname = 'greedy'\nbuiltin = 'greedy'\n[[bot]]\nname = 'greedy-2'\nbuiltin = 'greedy'\n\
         [[bot]]\nname = 'bot'\ncommand = ['{here}/./bot.sh', '--level', '9']\ncwd = '{here}'\n\
         [[bot]]\nname = 'e'\ncommand = ['{here}/./bot.sh']\nprotocol = 'stdio'\ncwd = '{here}'\n",
        here = place.path().canonicalize().unwrap().display()
    )
    .replace("/./", "/");
    assert_eq!(
        config,
        RunConfig::parse(&expected, place.path(), None).unwrap()
    );
}

#[test]
fn a_sequential_test_needs_no_file() {
    let place = place();
    let arguments = [
        &QUICK[..],
        &[
            "--elo0",
            "-10",
            "--elo1",
            "0",
            "--max-encounters",
            "3",
            "--direct",
            "--target",
            "1",
        ],
    ];
    let (code, out, err) = place.output(&arguments.concat());
    assert!([0, 1, 2].contains(&code), "{err}");
    for part in [
        "\nElo ",
        ", nElo ",
        "\nPtnml(0-2): [",
        "\nLLR: ",
        " for nElo -10 (H0) or 0 (H1)\n",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let live = err
        .lines()
        .filter(|line| line.starts_with('[') && line.contains("; LLR "));
    assert!(live.count() >= 2, "{err}");
    let report = place.path().join("runs/kamisado-greedy-deep/report.html");
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains("<h3>Sequential test</h3>"));
    let file = place.path().join("runs/kamisado-greedy-deep/event.toml");
    let event = fs::read_to_string(file).unwrap();
    let hypotheses = "sprt = { elo0 = -10.0, elo1 = 0.0, max_encounters = 3 }";
    assert!(
        event.contains("format = \"sprt\"\n") && event.contains(hypotheses),
        "{event}"
    );
}

#[test]
fn errors_name_the_option() {
    let place = place();
    let game = ["run", "--game", "kamisado"];
    for (arguments, said) in [
        (&["--bot", "greedy"][..], "dragontooth-runner: --bot: "),
        (
            &["--bot", "greedy", "--bot", "gredy"],
            "--bot \"gredy\": there is no program \"gredy\" in the folders of PATH; did you mean \"greedy\"?",
        ),
        (
            &["--bot", "greedy", "--bot", "./gone", "--target", "2"],
            "dragontooth-runner: --bot \"./gone\": ",
        ),
        (
            &[
                "--bot",
                "greedy",
                "--bot",
                "random",
                "--target",
                "2",
                "--variant",
                "wild",
            ],
            "dragontooth-runner: --variant: ",
        ),
        (
            &["--bot", "greedy", "--bot", "random:nodes=5"],
            "has no option \"nodes\"",
        ),
        (
            &["--bot", "greedy", "--bot", "stdio:'./en gine.py' ok"],
            "a path with spaces needs an event file, with `command = […]`",
        ),
        (
            &["--bot", "greedy", "--bot", "random", "--cycles", "-1"],
            "-1 is not in 0..=4294967295",
        ),
        (
            &["--bot", "greedy", "--bot", "random", "--pages", "-1"],
            "must be from 0 to ",
        ),
        (
            &["--bot", "greedy", "--bot", "stdio:"],
            "must name a built-in bot or a program",
        ),
        (
            &["--bot", "greedy", "--bot", "random", "--format", "swis"],
            "did you mean \"swiss\"?",
        ),
        (
            &[
                "--bot", "greedy", "--bot", "random", "--format", "knockout", "--cycles", "3",
            ],
            "dragontooth-runner: --cycles: is for round_robin and gauntlet, not for knockout",
        ),
        (
            &["--bot", "greedy", "--bot", "random", "--time-control", "60"],
            "write \"60+0\" or \"60s\"",
        ),
        (
            &["--bot", "a=greedy", "--bot", "a=random"],
            "another bot is called \"a\" already",
        ),
        (
            &["--bot", "greedy", "--bot", "random", "cup.toml"],
            "cannot be used with",
        ),
        (&[], "--bot"),
    ] {
        let (code, out, err) = place.output(&[&game[..], arguments].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(said), "{arguments:?}: {err}");
    }
    // What a file sets is not set beside it, and without one nothing is played.
    for (more, said) in [
        ("cup.toml", "'--cycles <N>' cannot be used with"),
        ("--dry-run", "<FILE>"),
    ] {
        let (code, _, err) = place.output(&["run", "--cycles", "2", more]);
        assert_eq!(code, 2);
        assert!(err.contains(said), "{err}");
    }
    let (code, _, err) = place.output(&["run", "--bot", "greedy", "--bot", "random"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("--game <GAME>") && !err.contains("<FILE>\n"),
        "{err}"
    );
    let (code, _, err) = place.output(&["run", "--game", "kamisdo", "--bot", "greedy"]);
    assert_eq!(code, 2);
    assert!(err.contains("did you mean \"kamisado\"?"), "{err}");
    assert!(!place.path().join("runs").exists());
}

#[test]
fn shells_complete_the_commands() {
    let place = place();
    for (shell, part) in [
        ("bash", "_dragontooth__runner()"),
        ("zsh", "#compdef dragontooth-runner"),
        ("fish", "complete -c dragontooth-runner"),
    ] {
        let (code, script, err) = place.output(&["completions", shell]);
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(script.contains(part), "{script}");
        assert!(script.contains("time-control"), "{script}");
    }
    let (code, _, err) = place.output(&["completions", "cmd"]);
    assert_eq!(code, 2, "{err}");
}

#[test]
fn every_command_has_a_man_page() {
    let place = place();
    let (code, page, err) = place.output(&["man"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(page.contains(".TH dragontooth-runner 1"), "{page}");
    let (code, out, err) = place.output(&["man", "--dir", "share/man1"]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "", ""));
    let page = place.path().join("share/man1/dragontooth-runner-run.1");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("time\\-control"), "{page}");
    assert!(
        !place
            .path()
            .join("share/man1/dragontooth-runner-supervise.1")
            .exists()
    );
}
