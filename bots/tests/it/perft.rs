use crate::cli::run;

/// Positions by the number of actions in one game from the standard start: the rules page.
const STANDARD: [u64; 5] = [102, 1_150, 11_332, 107_068, 928_716];

#[test]
fn prints_the_count_alone() {
    for (depth, count) in (1..).zip(STANDARD) {
        let run = run(&["perft", "kamisado", &depth.to_string()], b"");
        assert_eq!((run.code, run.stdout), (Some(0), format!("{count}\n")));
        assert_eq!(run.stderr, "");
    }
    assert_eq!(run(&["perft", "kamisado", "0"], b"").stdout, "1\n");
}

#[test]
fn divides_the_count_by_actions() {
    let run = run(&["perft", "kamisado", "3", "--divide"], b"");
    let mut lines: Vec<&str> = run.stdout.lines().collect();
    let total: u64 = lines.pop().unwrap().parse().unwrap();
    assert_eq!(total, STANDARD[2]);
    assert_eq!(lines.len(), 102);
    let part = |line: &&str| -> u64 { line.split_once(' ').unwrap().1.parse().unwrap() };
    assert_eq!(lines.iter().map(part).sum::<u64>(), total);
}

#[test]
fn starts_where_it_is_told_to() {
    // After a1a7 from the start White's red tower has 13 actions.
    let position = "OLMPYRGB/b7/8/8/8/8/8/1grypmlo w r";
    let there = run(&["perft", "kamisado", "1", "--position", position], b"");
    assert_eq!(there.stdout, "13\n");
    let start = "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -";
    let same = run(&["perft", "kamisado", "2", "--position", start], b"");
    assert_eq!(same.stdout, "1150\n");
    let drawn = [
        "perft",
        "kamisado",
        "1",
        "--variant",
        "random",
        "--seed",
        "s",
    ];
    assert_eq!(run(&drawn, b"").stdout, "102\n");
}

#[test]
fn says_what_it_cannot_count() {
    for (arguments, expected) in [
        (&["perft", "chess", "1"][..], "unknown game \"chess\""),
        (
            &["perft", "kamisado", "1", "--variant", "x"],
            "unknown variant \"x\"",
        ),
        (
            &["perft", "kamisado", "1", "--position", "8 w l"],
            "invalid position",
        ),
        (
            &[
                "perft",
                "kamisado",
                "1",
                "--position",
                "8 w l",
                "--variant",
                "random",
            ],
            "--variant",
        ),
        (
            &[
                "perft",
                "kamisado",
                "1",
                "--position",
                "8 w l",
                "--seed",
                "s",
            ],
            "--seed",
        ),
        (
            &["perft", "kamisado", "many"],
            "invalid value 'many' for '<DEPTH>': not a whole number from 0 to 1000",
        ),
        (&["perft", "kamisado", "5000"], "5000"),
        (&["perft", "kamisado"], "<DEPTH>"),
    ] {
        let run = run(arguments, b"");
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains(expected), "{}", run.stderr);
        assert_eq!(run.stdout, "");
    }
}
