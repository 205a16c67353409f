//! Random positions, and the symmetries of the game as operations on texts.

use proptest::prelude::*;

const LETTERS: [char; 8] = ['b', 'g', 'r', 'y', 'p', 'm', 'l', 'o'];

/// Positions with towers of every rank anywhere but on their goal row, and a required colour.
pub(crate) fn positions() -> impl Strategy<Value = String> {
    let teeth = prop::collection::vec(prop_oneof![3 => Just(0), 3 => 1..=3_usize], 16);
    (shuffled(64), teeth, any::<bool>(), 0..8_usize).prop_map(|(squares, teeth, turned, asked)| {
        let towers: Vec<String> = towers(&[0, 1, 2, 3, 4, 5, 6, 7], &teeth);
        text_for_black(&set_up(&towers, &[], &squares), LETTERS[asked], turned)
    })
}

/// Positions in which the required tower is right in front of a line of lower towers.
pub(crate) fn pushes() -> impl Strategy<Value = String> {
    let line = (1..=3_usize).prop_flat_map(|teeth| (Just(teeth), 1..=teeth));
    let others = prop::collection::vec(0..=3_usize, 16);
    let place = (0..8_usize, 0..5_usize, any::<bool>());
    (shuffled(64), shuffled(8), line, others, place).prop_map(
        |(squares, order, (own, length), mut teeth, (file, row, turned))| {
            teeth[0] = own;
            for ahead in &mut teeth[8..8 + length] {
                *ahead %= own;
            }
            let at: Vec<usize> = (0..=length).map(|ahead| (row + ahead) * 8 + file).collect();
            let towers = towers(&order, &teeth);
            text_for_black(&set_up(&towers, &at, &squares), LETTERS[order[0]], turned)
        },
    )
}

fn shuffled(count: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..count).collect::<Vec<usize>>()).prop_shuffle()
}

/// Black's and then White's towers, in this order of colours.
fn towers(order: &[usize], teeth: &[usize]) -> Vec<String> {
    let black = order.iter().map(|index| LETTERS[*index]);
    let white = black.clone().map(|letter| letter.to_ascii_uppercase());
    let with_teeth = |(letter, teeth): (char, &usize)| format!("{letter}{}", "+".repeat(*teeth));
    black.chain(white).zip(teeth).map(with_teeth).collect()
}

/// A board with the first towers of Black and White on the squares `at`, and all others on the
/// first free squares off their goal row.
fn set_up(towers: &[String], at: &[usize], squares: &[usize]) -> Vec<String> {
    let mut board = vec![String::new(); 64];
    let mut waiting = Vec::new();
    for (index, tower) in towers.iter().enumerate() {
        let fixed = if index < 8 {
            at.get(index).filter(|_| index == 0)
        } else {
            at.get(index - 7)
        };
        match fixed {
            Some(square) => board[*square].clone_from(tower),
            None => waiting.push((index, tower)),
        }
    }
    for (index, tower) in waiting {
        let goal = if index < 8 { 56..64 } else { 0..8 };
        let is_free = |square: &&usize| board[**square].is_empty() && !goal.contains(*square);
        let square = *squares.iter().find(is_free).unwrap();
        board[square].clone_from(tower);
    }
    board
}

/// A position with Black to move this tower, or the same for White.
fn text_for_black(board: &[String], asked: char, turned: bool) -> String {
    let text = format!("{} b {asked}", placement(board));
    if turned { half_turn(&text) } else { text }
}

/// The placement of a board of 64 squares from a1 to h8, empty texts for empty squares.
pub(crate) fn placement(board: &[String]) -> String {
    let ranks: Vec<String> = board.chunks(8).rev().map(row).collect();
    ranks.join("/")
}

fn row(squares: &[String]) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for square in squares {
        if square.is_empty() {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
        empty = 0;
        text.push_str(square);
    }
    if empty > 0 {
        text.push_str(&empty.to_string());
    }
    text
}

/// The squares of a placement from a1 to h8.
pub(crate) fn squares(placement: &str) -> Vec<String> {
    let mut board = Vec::new();
    for rank in placement.rsplit('/') {
        for letter in rank.chars() {
            match letter.to_digit(10) {
                Some(empty) => board.extend((0..empty).map(|_| String::new())),
                None if letter == '+' => board.last_mut().unwrap().push('+'),
                None => board.push(letter.to_string()),
            }
        }
    }
    board
}

/// A position mirrored left to right, with the colours swapped in pairs: orange for
/// brown, blue for green, purple for red, pink for yellow.
pub(crate) fn mirror(position: &str) -> String {
    let (board, fields) = position.split_once(' ').unwrap();
    let (side, rest) = fields.split_once(' ').unwrap();
    let mut board: Vec<String> = squares(board)
        .iter()
        .map(|tower| swap_colours(tower))
        .collect();
    for row in board.chunks_mut(8) {
        row.reverse();
    }
    format!("{} {side} {}", placement(&board), swap_colours(rest))
}

/// A mirrored action.
pub(crate) fn mirror_action(action: &str) -> String {
    match action {
        "left" => "right".to_owned(),
        "right" => "left".to_owned(),
        _ => action
            .chars()
            .map(|c| {
                if c.is_ascii_digit() {
                    c
                } else {
                    flip(c, 'a', 'h')
                }
            })
            .collect(),
    }
}

/// A position after half a turn, with the sides swapped.
pub(crate) fn half_turn(position: &str) -> String {
    let fields: Vec<&str> = position.split(' ').collect();
    let mut board: Vec<String> = squares(fields[0])
        .iter()
        .map(|tower| swap_case(tower))
        .collect();
    board.reverse();
    let side = if fields[1] == "b" { "w" } else { "b" };
    let mut turned = format!("{} {side} {}", placement(&board), fields[2]);
    if let Some(heir) = fields.get(3) {
        turned = format!("{turned} {}", swap_case(heir));
    }
    turned
}

/// An action after half a turn.
pub(crate) fn half_turn_action(action: &str) -> String {
    if action == "left" || action == "right" {
        return action.to_owned();
    }
    let turn = |c: char| {
        if c.is_ascii_digit() {
            flip(c, '1', '8')
        } else {
            flip(c, 'a', 'h')
        }
    };
    action.chars().map(turn).collect()
}

fn flip(c: char, first: char, last: char) -> char {
    char::from_u32(u32::from(first) + u32::from(last) - u32::from(c)).unwrap()
}

fn swap_colours(text: &str) -> String {
    let swap = |c: char| {
        let lower = c.to_ascii_lowercase();
        let Some(index) = LETTERS.iter().position(|letter| *letter == lower) else {
            return c;
        };
        let other = LETTERS[7 - index];
        if c.is_ascii_uppercase() {
            other.to_ascii_uppercase()
        } else {
            other
        }
    };
    text.chars().map(swap).collect()
}

fn swap_case(text: &str) -> String {
    let swap = |c: char| {
        if c.is_ascii_uppercase() {
            c.to_ascii_lowercase()
        } else {
            c.to_ascii_uppercase()
        }
    };
    text.chars().map(swap).collect()
}

/// A sequence of choices from a seed.
#[derive(Clone, Debug)]
pub(crate) struct Choices(u64);

impl Choices {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn any() -> impl Strategy<Value = Self> {
        any::<u64>().prop_map(Self)
    }

    /// `SplitMix64`, reduced to a number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^= word >> 31;
        usize::try_from(word % bound as u64).unwrap()
    }
}
