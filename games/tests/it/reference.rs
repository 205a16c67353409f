//! A second, slow implementation of the rules, from the rules page alone: a board of 64 texts, every
//! move walked step by step. Random games compare it with the real implementation.

use std::collections::HashSet;

use dragontooth_games::kamisado::Position;
use dragontooth_games::{Position as _, Seat, Turn};
use proptest::prelude::*;

use crate::play::{legal, position};
use crate::strategies::{Choices, placement, positions, pushes, squares};

const LETTERS: &str = "bgrypmlo";

#[derive(Clone, Debug, PartialEq)]
struct Reference {
    /// a1 to h8: empty, or a letter and a plus for each tooth.
    board: Vec<String>,
    side: char,
    required: char,
    /// The side that made the last real move and the colour of the square where it ended.
    last: (char, char),
}

#[derive(Debug, PartialEq)]
enum State {
    Moves(Vec<String>),
    Blocked,
    Won { side: char, points: u32 },
}

impl Reference {
    fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        let side = fields[1].chars().next().unwrap();
        let required = fields[2].chars().next().unwrap();
        let board = squares(fields[0]);
        Self {
            board,
            side,
            required,
            last: (other(side), required),
        }
    }

    fn text(&self) -> String {
        format!("{} {} {}", placement(&self.board), self.side, self.required)
    }

    fn at(&self, (file, rank): (i32, i32)) -> Option<&str> {
        let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
        on_board.then(|| self.board[usize::try_from(rank * 8 + file).unwrap()].as_str())
    }

    fn put(&mut self, (file, rank): (i32, i32), tower: String) {
        self.board[usize::try_from(rank * 8 + file).unwrap()] = tower;
    }

    fn state(&self) -> State {
        for file in 0..8 {
            for (rank, winner) in [(7, 'b'), (0, 'w')] {
                let tower = self.at((file, rank)).unwrap();
                if !tower.is_empty() && side_of(tower) == winner {
                    return State::Won {
                        side: winner,
                        points: 2_u32.pow(teeth(tower)),
                    };
                }
            }
        }
        let mut moves = Vec::new();
        for rank in 0..8 {
            for file in 0..8 {
                let tower = self.at((file, rank)).unwrap();
                let asked = self.required == '-' || tower.to_lowercase().starts_with(self.required);
                if !tower.is_empty() && side_of(tower) == self.side && asked {
                    let mut targets = self.targets((file, rank));
                    targets.sort_by_key(|(file, rank)| (*rank, *file));
                    let from = name((file, rank));
                    moves.extend(targets.into_iter().map(|to| format!("{from}{}", name(to))));
                }
            }
        }
        if moves.is_empty() {
            State::Blocked
        } else {
            State::Moves(moves)
        }
    }

    fn targets(&self, (file, rank): (i32, i32)) -> Vec<(i32, i32)> {
        let teeth = teeth(self.at((file, rank)).unwrap());
        let ahead = if self.side == 'b' { 1 } else { -1 };
        let most = [7, 5, 3, 1][teeth as usize];
        let mut targets = Vec::new();
        for sideways in [-1, 0, 1] {
            for steps in 1..=most {
                let to = (file + sideways * steps, rank + ahead * steps);
                if self.at(to) != Some("") {
                    break;
                }
                targets.push(to);
            }
        }
        if self.line((file, rank)).is_some() {
            targets.push((file, rank + ahead));
        }
        targets
    }

    /// The number of towers that the tower on `from` pushes.
    fn line(&self, (file, rank): (i32, i32)) -> Option<i32> {
        let own = teeth(self.at((file, rank)).unwrap());
        let ahead = if self.side == 'b' { 1 } else { -1 };
        for length in 0.. {
            let tower = self.at((file, rank + ahead * (length + 1)))?;
            if tower.is_empty() {
                return (length > 0).then_some(length);
            }
            let allowed = length < i32::try_from(own).unwrap() && teeth(tower) < own;
            if side_of(tower) == self.side || !allowed {
                return None;
            }
        }
        None
    }

    fn play(&mut self, action: &str) {
        let letters: Vec<i32> = action.bytes().map(i32::from).collect();
        let from = (letters[0] - 97, letters[1] - 49);
        let to = (letters[2] - 97, letters[3] - 49);
        let mover = self.side;
        self.last = (mover, colour_of(to));
        let ahead = to.1 - from.1;
        if self.at(to) == Some("") {
            self.side = other(mover);
            self.required = colour_of(to);
        } else {
            let length = self.line(from).unwrap();
            for step in (1..=length).rev() {
                let pushed = self.at((from.0, from.1 + ahead * step)).unwrap().to_owned();
                self.put((from.0, from.1 + ahead * (step + 1)), pushed);
            }
            self.required = colour_of((from.0, from.1 + ahead * (length + 1)));
        }
        let tower = self.at(from).unwrap().to_owned();
        self.put(from, String::new());
        self.put(to, tower);
    }

    /// Plays the passes. Returns the sides that pass, and the side and points of the winner if
    /// neither side can move.
    fn settle(&mut self) -> (String, Option<(char, u32)>) {
        let mut passed = HashSet::new();
        let mut order = String::new();
        while self.state() == State::Blocked {
            if !passed.insert((self.side, self.required)) {
                let winner = other(self.last.0);
                let tower = self.tower(winner, self.last.1);
                return (order, Some((winner, 2_u32.pow(teeth(&tower.1)))));
            }
            order.push(self.side);
            self.required = colour_of(self.tower(self.side, self.required).0);
            self.side = other(self.side);
        }
        (order, None)
    }

    fn tower(&self, side: char, colour: char) -> ((i32, i32), String) {
        let letter = if side == 'w' {
            colour.to_ascii_uppercase()
        } else {
            colour
        };
        let index = self
            .board
            .iter()
            .position(|tower| tower.starts_with(letter))
            .unwrap();
        let number = i32::try_from(index).unwrap();
        ((number % 8, number / 8), self.board[index].clone())
    }
}

fn other(side: char) -> char {
    if side == 'b' { 'w' } else { 'b' }
}

fn side_of(tower: &str) -> char {
    if tower.starts_with(|letter: char| letter.is_ascii_uppercase()) {
        'w'
    } else {
        'b'
    }
}

fn teeth(tower: &str) -> u32 {
    u32::try_from(tower.matches('+').count()).unwrap()
}

fn name((file, rank): (i32, i32)) -> String {
    let letter = char::from(b'a' + u8::try_from(file).unwrap());
    format!("{letter}{}", rank + 1)
}

fn colour_of((file, rank): (i32, i32)) -> char {
    let stands_here = |j: i32| (j + rank * (2 * j + 1)) % 8 == file;
    let number = (0..8).find(|j| stands_here(*j)).unwrap();
    LETTERS
        .chars()
        .nth(usize::try_from(number).unwrap())
        .unwrap()
}

fn letter(seat: Seat) -> char {
    match seat {
        Seat::First => 'b',
        Seat::Second => 'w',
    }
}

/// Plays one game with both implementations and compares them after every step.
fn compare(start: &str, mut choices: Choices) {
    let mut fast: Position = position(start);
    let mut slow = Reference::read(start);
    loop {
        let mut passes = String::new();
        while let Turn::Pass(seat) = fast.turn() {
            fast.pass();
            passes.push(letter(seat));
        }
        let (expected_passes, deadlock) = slow.settle();
        assert_eq!(passes, expected_passes, "{fast}");
        let text = fast.to_string();
        let three_fields: Vec<&str> = text.split(' ').take(3).collect();
        assert_eq!(three_fields.join(" "), slow.text());
        let over = match slow.state() {
            State::Won { side, points } => Some((side, points, "home_row")),
            State::Blocked => deadlock.map(|(side, points)| (side, points, "deadlock")),
            State::Moves(_) => None,
        };
        if let Some((winner, points, reason)) = over {
            let Turn::Over(outcome) = fast.turn() else {
                panic!("{fast} is over")
            };
            assert_eq!(outcome.winner.map(letter), Some(winner), "{fast}");
            assert_eq!((outcome.points, outcome.reason), (points, reason), "{fast}");
            assert_eq!(fast.count_legal(), 0);
            return;
        }
        let State::Moves(moves) = slow.state() else {
            panic!("{} is settled", slow.text())
        };
        assert_eq!(legal(&fast), moves.join(" "), "{fast}");
        assert_eq!(fast.count_legal(), moves.len());
        let seat = fast.to_move();
        assert_eq!((fast.turn(), letter(seat)), (Turn::Decide(seat), slow.side));
        let action = &moves[choices.below(moves.len())];
        fast.play(action.parse().unwrap()).unwrap();
        slow.play(action);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn games_from_anywhere_are_the_same(start in positions(), choices in Choices::any()) {
        compare(&start, choices);
    }

    #[test]
    fn games_from_the_start_are_the_same(choices in Choices::any()) {
        compare("OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -", choices);
    }

    #[test]
    fn pushes_are_the_same(start in pushes(), choices in Choices::any()) {
        compare(&start, choices);
    }
}
