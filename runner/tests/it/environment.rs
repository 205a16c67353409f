//! The environment of programs, in every command that starts some.

use std::fs;
use std::path::Path;

use crate::command_line::{call, runner};
use crate::faults::write_program;

const SECRET: &str = "a-secret-of-the-runner";

/// Variables that a shell adds by itself, and the one that marks the processes of a program.
const OF_THE_SHELL: [&str; 5] = ["PWD", "OLDPWD", "SHLVL", "_", "DRAGONTOOTH_GROUP"];
const PASSED: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];
const OF_A_BOT: [&str; 5] = [
    "DRAGONTOOTH_SERVER",
    "DRAGONTOOTH_DRAW_SECRET",
    "DRAGONTOOTH_TOKEN",
    "DRAGONTOOTH_OPTIONS",
    "DRAGONTOOTH_SEED",
];

/// Runs a command in a place where the program of a bot writes down its environment, and ends. Returns the
/// names of its variables.
fn variables(place: &Path, arguments: &[&str]) -> Vec<String> {
    let seen = place.join("seen");
    let _ = fs::remove_file(&seen);
    let output = runner(place, arguments)
        .env("RUNNERS_TOKEN", SECRET)
        .env("DRAGONTOOTH_TOKEN", SECRET)
        .env("LANG", "C")
        .output()
        .unwrap();
    let text = fs::read_to_string(&seen);
    let text = text.unwrap_or_else(|_| panic!("{arguments:?}: {output:?}"));
    assert!(!text.contains(SECRET), "{arguments:?}: {text}");
    let names = text.lines().map(|line| line.split_once('=').unwrap().0);
    names.map(str::to_owned).collect()
}

#[test]
fn a_program_sees_nothing_of_the_runner_but_four_variables() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let seen = place.join("seen");
    write_program(
        &place.join("bot"),
        &format!(
            "#!/bin/sh\nenv > {0}.new && mv {0}.new {0}\nexit 1\n",
            seen.display()
        ),
    );
    let event = |name: &str, bot: &str| {
        let text = format!(
            "[event]\nname = '{name}'\ngame = 'kamisado'\ntarget = 1\n\
             [[bot]]\nname = 'a'\n{bot}\n[[bot]]\nname = 'b'\nbuiltin = 'random'\n"
        );
        fs::write(place.join(format!("{name}.toml")), text).unwrap();
    };
    event("base", "builtin = 'random'");
    event("grpc", "command = ['./bot']\nenv = { OWN = 'own' }");
    event(
        "stdio",
        "command = ['./bot']\nprotocol = 'stdio'\nenv = { OWN = 'own' }",
    );
    let (code, _, err) = call(place, &["run", "base.toml"]);
    assert_eq!(code, 0, "{err}");
    let replay = ["replay", "runs/base", "base/c1/r1/p1/m1", "--bot"];
    for (arguments, is_engine, is_named) in [
        (&["run", "grpc.toml"][..], false, true),
        (&["check", "grpc.toml"], false, true),
        (&[&replay[..], &["a=./bot"]].concat(), false, false),
        (
            &[
                "conformance",
                "--check",
                "connects",
                "--logs",
                "logs",
                "--",
                "./bot",
            ],
            false,
            false,
        ),
        (&["run", "stdio.toml"], true, true),
        (&["check", "stdio.toml"], true, true),
        (&[&replay[..], &["a=stdio:./bot"]].concat(), true, false),
    ] {
        let names = variables(place, arguments);
        for name in &names {
            let is_known = PASSED.contains(&name.as_str())
                || OF_THE_SHELL.contains(&name.as_str())
                || (!is_engine && OF_A_BOT.contains(&name.as_str()))
                || (is_named && name == "OWN");
            assert!(is_known, "{arguments:?}: {name}");
        }
        assert_eq!(names.contains(&"OWN".to_owned()), is_named, "{arguments:?}");
        assert!(names.contains(&"LANG".to_owned()), "{arguments:?}");
    }
}
