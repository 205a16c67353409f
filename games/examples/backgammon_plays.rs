//! Backgammon positions for comparison with other programs: see `cargo xtask oracle`.
//!
//! `results COUNT` prints that many positions, one per line: position id, dice, and the position ids
//! that the legal plays lead to, with the mover as the player on roll. `positions COUNT` prints them
//! as XGIDs. `resolve` reads lines of an XGID and plays, separated by semicolons, and prints every
//! line whose plays are not exactly the legal plays, each listed once. `book` reads a book of positions and
//! prints the first position of matches that begin with each of them; `same` reads lines of an XGID and ids of GNU
//! Backgammon, and prints every line whose positions differ.
#![expect(clippy::print_stdout, reason = "the lines are the product")]

use std::collections::{BTreeSet, HashSet};
use std::io::{BufRead as _, stdin};

use dragontooth_games::backgammon::{Action, Board, Dice, Position};
use dragontooth_games::catalogue;
use dragontooth_games::chance::Draws;
use dragontooth_games::record::opening_entries;
use dragontooth_games::{IllegalAction as _, Position as _, Roll as _, Seat, Turn};

/// Number of positions from random games.
const FROM_PLAY: usize = 20_000;
/// Number of positions of each kind in which a rule about whole turns matters.
const OF_EACH_KIND: usize = 800;
/// The kinds: rules that refuse a single step, and two kinds of boards.
const KINDS: [&str; 5] = [
    "both_dice",
    "larger_die",
    "all_of_double",
    "bar",
    "bear_off",
];
/// The matches that begin with the positions of a book.
const OPENED_MATCHES: [(&str, u32); 3] = [("standard", 1), ("standard", 5), ("money", 1)];

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["results", count] => print_positions(count, results),
        ["positions", count] => print_positions(count, xgid_of_first),
        ["resolve"] => print_faults(resolve),
        ["same"] => print_faults(same),
        ["book"] => {
            for line in stdin().lock().lines() {
                print_starts(&line.map_err(|error| error.to_string())?)?;
            }
            Ok(())
        }
        _ => Err("expected results COUNT, positions COUNT, resolve, book or same".to_owned()),
    }
}

/// Prints the lines of the input that have a fault.
fn print_faults(fault_of: fn(&str) -> Option<String>) -> Result<(), String> {
    for line in stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        if let Some(fault) = fault_of(&line) {
            println!("{line}: {fault}");
        }
    }
    Ok(())
}

/// Prints the first position of each kind of match that begins with this line of a book.
fn print_starts(line: &str) -> Result<(), String> {
    let opening = opening_entries(line.split('#').next().unwrap_or_default());
    if opening.is_empty() {
        return Ok(());
    }
    for (variant, points) in OPENED_MATCHES {
        let game = catalogue::find("backgammon").map_err(|error| error.to_string())?;
        let mut play = game
            .new_match(Some(variant), points)
            .map_err(|error| error.to_string())?;
        play.open_with(&opening, None)
            .map_err(|error| format!("{line}: {error}"))?;
        println!("{}", play.deal(&mut Draws::from_text("any").deal(1)));
    }
    Ok(())
}

/// The difference between a position and what another program has read of it.
fn same(line: &str) -> Option<String> {
    let (ours, theirs) = line.split_once('|')?;
    let [ours, theirs] = [ours, theirs].map(str::parse::<Position>);
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) if ours == theirs => None,
        (Ok(_), Ok(theirs)) => Some(format!("it is {theirs}")),
        (Err(error), _) | (_, Err(error)) => Some(error.to_string()),
    }
}

/// Prints a line for each of `count` positions, evenly spread over all.
fn print_positions(count: &str, line: fn(&Position) -> String) -> Result<(), String> {
    let count: usize = count.parse().map_err(|error| format!("{count}: {error}"))?;
    let all = positions();
    for position in all.iter().step_by(all.len().div_ceil(count.max(1))) {
        println!("{}", line(position));
    }
    Ok(())
}

fn results(position: &Position) -> String {
    let dice = position
        .rolled()
        .map_or_else(String::new, |dice| dice.to_string());
    let mut line = format!("{} {dice}", position.position_id());
    position.for_each_legal(|action| {
        line.push(' ');
        line.push_str(&position.result_of(action));
    });
    line
}

/// The position with the mover as seat first, which GNU Backgammon shows at the bottom.
fn xgid_of_first(position: &Position) -> String {
    let id = position.position_id();
    let dice = position
        .rolled()
        .map_or_else(String::new, |dice| dice.to_string());
    let start: Result<Position, _> = id.parse();
    match start {
        Ok(mut position) => {
            if let Some(dice) = dice
                .parse()
                .ok()
                .filter(|_| position.turn() == Turn::Chance)
            {
                position.roll(dice);
            }
            position.to_string()
        }
        Err(error) => format!("{id}: {error}"),
    }
}

fn resolve(line: &str) -> Option<String> {
    let (start, plays) = line.split_once('|')?;
    let position: Position = match start.parse() {
        Ok(position) => position,
        Err(error) => return Some(error.to_string()),
    };
    let legal: HashSet<Action> = position.legal_actions().into_iter().collect();
    let mut found = HashSet::new();
    for play in plays.split(';').filter(|play| !play.is_empty()) {
        let action: Action = match play.parse() {
            Ok(action) => action,
            Err(error) => return Some(format!("{play}: {error}")),
        };
        match position.resolve(action) {
            Ok(action) if !found.insert(action) => return Some(format!("{action} comes twice")),
            Ok(_) => {}
            Err(refusal) => return Some(format!("{play}: {refusal}")),
        }
    }
    let missing = legal.difference(&found).next();
    missing.map(|missing| format!("{missing} is missing"))
}

/// The positions of random games, followed by those of each kind.
fn positions() -> Vec<Position> {
    let mut choices = Choices(20);
    let mut all = from_play(&mut choices);
    for kind in KINDS {
        let mut found = BTreeSet::new();
        while found.len() < OF_EACH_KIND {
            if let Some(position) = random(kind, &mut choices)
                && is_of(kind, &position)
                && found.insert(position.to_string())
            {
                all.push(position);
            }
        }
    }
    all
}

fn from_play(choices: &mut Choices) -> Vec<Position> {
    let mut all = Vec::new();
    while all.len() < FROM_PLAY {
        let Some(mut position) = Position::match_start(1) else {
            break;
        };
        loop {
            match position.turn() {
                Turn::Chance => {
                    position.roll(Dice::ALL[choices.below(Dice::ALL.len())]);
                    if position.rolled().is_some() && all.len() < FROM_PLAY {
                        all.push(position);
                    }
                }
                Turn::Pass(_) => position.pass(),
                Turn::Decide(_) => {
                    let legal = position.legal_actions();
                    position.play_unchecked(legal[choices.below(legal.len())]);
                }
                Turn::Over(_) => break,
            }
        }
    }
    all
}

/// A random board with walls of the opponent, and a roll, that are likely to be of this kind.
fn random(kind: &str, choices: &mut Choices) -> Option<Position> {
    let mut own = [0_u8; 26];
    let mut other = [0_u8; 26];
    let walls = if kind == "bear_off" {
        2
    } else {
        3 + choices.below(4)
    };
    for _ in 0..walls {
        other[1 + choices.below(24)] = 2;
    }
    let (checkers, farthest) = match kind {
        "bear_off" => (1 + choices.below(15), 6),
        "bar" => (10, 24),
        _ => (1 + choices.below(6), 24),
    };
    for _ in 0..checkers {
        own[1 + choices.below(farthest)] += 1;
    }
    if kind == "bar" {
        own[25] += [1, 1, 2, 3][choices.below(4)];
    }
    for _ in 0..choices.below(3) {
        other[1 + choices.below(25)] += 1;
    }
    for point in 1..25 {
        if own[point] > 0 {
            other[25 - point] = 0;
        }
    }
    let board = Board::new([own, other]).ok()?;
    let mut position: Position = board.position_id(Seat::First).parse().ok()?;
    if position.turn() == Turn::Chance {
        position.roll(Dice::ALL[choices.below(Dice::ALL.len())]);
    }
    position.rolled().map(|_| position)
}

/// Returns true if this rule refuses a single step, or the board is of this kind.
fn is_of(kind: &str, position: &Position) -> bool {
    let Some(dice) = position.rolled() else {
        return false;
    };
    let places = position.board().places(Seat::First);
    match kind {
        "bar" => places[25] > 0,
        "bear_off" => places[7..].iter().all(|count| *count == 0),
        rule => (1..25_u8).any(|from| {
            [dice.first(), dice.second()].into_iter().any(|die| {
                let text = format!("{from}/{}", from.saturating_sub(die));
                let refusal = text
                    .parse()
                    .ok()
                    .and_then(|step| position.resolve(step).err());
                refusal.is_some_and(|refusal| refusal.rule() == rule)
            })
        }),
    }
}

/// Quick choices (`SplitMix64`).
struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^= word >> 31;
        usize::try_from(word % bound as u64).unwrap_or(0)
    }
}
