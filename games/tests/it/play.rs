//! Helpers that play actions given as text, and whole matches.

use std::collections::BTreeMap;
use std::ops::Range;

use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::Step;
use dragontooth_games::record::{GameRecord, MatchRecord, RecordStep};
use dragontooth_games::{
    GameOutcome, IllegalAction as _, Position, Seat, Turn, catalogue, kamisado,
};

use crate::strategies::Choices;

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

/// A whole match of random actions, now and then one on offer, as a record.
pub(crate) fn random_match(game: &str, variant: &str, target: u32, seed: u64) -> MatchRecord {
    let found = catalogue::find(game).unwrap();
    let mut play = found.new_match(Some(variant), target).unwrap();
    let draws = Draws::from_text(&seed.to_string());
    let mut choices = Choices::new(seed);
    let mut games: Vec<GameRecord> = Vec::new();
    loop {
        let step = match play.step() {
            Step::Deal => {
                let start = play.deal(&mut draws.deal(play.game_number() + 1));
                play.begin_game(&start).unwrap();
                games.push(GameRecord {
                    start,
                    steps: Vec::new(),
                    thinking: BTreeMap::new(),
                    outcome: None,
                });
                continue;
            }
            Step::Decide(seat) => {
                let mut actions = play.legal_actions();
                let offers = play.offers();
                if !offers.is_empty() && choices.below(30) == 0 {
                    actions = offers;
                }
                let action = actions.swap_remove(choices.below(actions.len()));
                play.play(&action).unwrap();
                RecordStep::Action { seat, action }
            }
            Step::Pass(seat) => {
                play.pass().unwrap();
                RecordStep::Pass { seat }
            }
            Step::Chance => {
                let roll = play.draw(&mut draws.roll(play.game_number(), play.rolls() + 1));
                let roll = play.roll(&roll).unwrap();
                RecordStep::Roll { roll }
            }
            Step::Score(outcome) => {
                games.last_mut().unwrap().outcome = Some(outcome.into());
                play.score_game().unwrap();
                continue;
            }
            Step::Over { .. } => break,
        };
        games.last_mut().unwrap().steps.push(step);
    }
    MatchRecord {
        game: game.to_owned(),
        variant: variant.to_owned(),
        target,
        players: ["Ann".to_owned(), "Bob".to_owned()],
        title: "a match".to_owned(),
        date: Some("2026-11-21".to_owned()),
        opening: Vec::new(),
        games,
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
        assert!(position.check(tried).is_err());
        assert!(!position.legal_actions().contains(&tried));
        rules.push(rule);
    }
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// Plays the rows of a data file, each an action in a position or `--` for a pass, the position after it, and the
/// next step. Returns the number of rows.
pub(crate) fn turns<P: Position>(table: &str) -> usize {
    let mut count = 0;
    for [start, action, after, next] in rows(table, " | ") {
        let mut position: P = read(start);
        if action == "--" {
            assert!(matches!(position.turn(), Turn::Pass(_)), "{start}");
            position.pass();
        } else {
            let tried: P::Action = action
                .parse()
                .unwrap_or_else(|error| panic!("{action}: {error}"));
            let played = position
                .play(tried)
                .unwrap_or_else(|error| panic!("{action} in {start}: {error}"));
            assert_eq!(played, tried, "{action} in {start}");
        }
        assert_eq!(position.to_string(), after, "{action} in {start}");
        assert_eq!(described(position.turn()), next, "{action} in {start}");
        count += 1;
    }
    count
}

fn described(turn: Turn) -> String {
    match turn {
        Turn::Chance => panic!("nothing is rolled in this game"),
        Turn::Decide(seat) => format!("{seat} decides"),
        Turn::Pass(seat) => format!("{seat} passes"),
        Turn::Over(outcome) => {
            let winner = outcome
                .winner
                .map_or_else(|| "nobody".to_owned(), |seat| seat.to_string());
            format!("{winner} wins {}: {}", outcome.points, outcome.reason)
        }
    }
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

/// Prints figures, each a name, its value and what is expected, and checks that all are within their bounds.
#[expect(
    clippy::print_stdout,
    reason = "a helper of a test prints, as the test does"
)]
pub(crate) fn in_bounds(figures: &[(&str, f64, Range<f64>)]) {
    let outside: Vec<&str> = figures
        .iter()
        .inspect(|(name, figure, _)| println!("{name}: {figure}"))
        .filter(|(_, figure, expected)| !expected.contains(figure))
        .map(|(name, ..)| *name)
        .collect();
    assert!(outside.is_empty(), "out of bounds: {outside:?}");
}
