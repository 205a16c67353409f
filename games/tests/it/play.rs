//! Helpers that play actions given as text.

use dragontooth_games::{GameOutcome, IllegalAction as _, Position, Seat, Turn, kamisado};

/// A position of Kamisado.
pub(crate) fn position(text: &str) -> kamisado::Position {
    read(text)
}

/// A position of any game.
pub(crate) fn read<P: Position>(text: &str) -> P {
    text.parse()
        .unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// Plays `actions`, separated by spaces, and the passes they force. Returns the position
/// and the seats that passed after the last one.
pub(crate) fn play<P: Position>(mut position: P, actions: &str) -> (P, Vec<Seat>) {
    let mut passes = settle(&mut position);
    for text in actions.split_whitespace() {
        let action: P::Action = text
            .parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        position
            .play(action)
            .unwrap_or_else(|error| panic!("{text} in {position}: {error}"));
        passes = settle(&mut position);
    }
    (position, passes)
}

pub(crate) fn settle<P: Position>(position: &mut P) -> Vec<Seat> {
    let mut passes = Vec::new();
    while let Turn::Pass(seat) = position.turn() {
        position.pass();
        passes.push(seat);
    }
    passes
}

/// The legal actions, separated by spaces.
pub(crate) fn legal<P: Position>(position: &P) -> String {
    let words: Vec<String> = position
        .legal_actions()
        .iter()
        .map(ToString::to_string)
        .collect();
    words.join(" ")
}

pub(crate) fn outcome<P: Position>(position: &P) -> GameOutcome {
    match position.turn() {
        Turn::Chance => panic!("nothing is rolled in this game"),
        Turn::Over(outcome) => outcome,
        Turn::Decide(_) | Turn::Pass(_) => panic!("{position} is not over"),
    }
}

/// Plays the rows of a data file, each an action in a position, the rule that forbids it, and the facts.
/// The action is refused with them, is not listed and changes nothing. `prepare` is called first.
/// Returns the rules, each once, in alphabetical order.
pub(crate) fn refused<P: Position>(
    table: &'static str,
    prepare: impl Fn(&mut P, &str),
) -> Vec<&'static str> {
    let mut rules = Vec::new();
    for [start, action, rule, facts] in rows(table, " | ") {
        let mut position: P = read(start);
        prepare(&mut position, rule);
        let tried: P::Action = action
            .parse()
            .unwrap_or_else(|error| panic!("{action}: {error}"));
        let before = position;
        let Err(refusal) = position.play(tried) else {
            panic!("{action} is played in {start}")
        };
        assert_eq!(
            (refusal.rule(), refusal.to_string().as_str()),
            (rule, facts),
            "{action} in {start}"
        );
        assert_eq!(position, before);
        assert!(!position.legal_actions().contains(&tried));
        rules.push(rule);
    }
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// Checks the rows of a data file, each a text that is not a position and its error. Returns the number
/// of rows.
pub(crate) fn unreadable<P: Position>(table: &str) -> usize {
    let mut count = 0;
    for [text, expected] in rows(table, " => ") {
        let Err(error) = text.parse::<P>() else {
            panic!("{text} can be read")
        };
        assert_eq!(error.to_string(), expected, "{text}");
        count += 1;
    }
    count
}

/// The rows of a data file without comments, split into `N` cells.
pub(crate) fn rows<'a, const N: usize>(
    table: &'a str,
    separator: &'a str,
) -> impl Iterator<Item = [&'a str; N]> {
    table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(move |line| {
            let cells: Vec<&str> = line.split(separator).collect();
            <[&str; N]>::try_from(cells).unwrap_or_else(|_| panic!("{N} cells: {line}"))
        })
}
