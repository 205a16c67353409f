use crate::cli::run;

#[test]
fn a_book_names_the_command_that_makes_it() {
    for (game, variant, opening) in [
        ("linja", "standard", " "),
        ("tzaar", "random", " w o; "),
        ("backgammon", "standard", "XGID="),
        ("backgammon", "money_jacoby_64", " capped;"),
    ] {
        let arguments = format!(
            "openings {game} --variant {variant} --plies 4 --count 3 --candidates 10 --nodes 100"
        );
        let made = run(&arguments.split(' ').collect::<Vec<_>>(), b"");
        assert_eq!((made.code, made.stderr.as_str()), (Some(0), ""));
        let lines: Vec<&str> = made.stdout.lines().collect();
        assert_eq!(lines.len(), 5, "{lines:?}");
        assert!(
            lines[2..].iter().all(|line| line.contains(opening)),
            "{lines:?}"
        );
        let command = lines[1].strip_prefix("# dragontooth-bot ").unwrap();
        let again: Vec<&str> = command.split(' ').collect();
        assert_eq!(run(&again, b"").stdout, made.stdout);
    }
}

#[test]
fn says_which_book_it_cannot_make() {
    for (arguments, message) in [
        (
            "backgammon --plies 3 --variant odd",
            "unknown variant \"odd\"; expected one of standard, money, money_jacoby",
        ),
        (
            "linja --plies 3 --count 20 --candidates 10",
            "--candidates 10 is less than --count 20",
        ),
    ] {
        let arguments: Vec<&str> = ["openings"]
            .into_iter()
            .chain(arguments.split(' '))
            .collect();
        let refused = run(&arguments, b"");
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert_eq!(refused.stderr, format!("dragontooth-bot: {message}\n"));
    }
}
