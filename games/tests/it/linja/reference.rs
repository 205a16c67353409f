//! A second, slow implementation of the rules, from the rules page alone: pieces are moved one by
//! one, and the state is a text. Random games compare it with the real implementation.

use dragontooth_games::linja::Position;
use dragontooth_games::{Position as _, Seat, Turn};
use proptest::prelude::*;

use super::strategies::positions;
use crate::play::{legal, read};
use crate::strategies::Choices;

#[derive(Clone, Debug)]
struct Reference {
    /// Each piece: its side and its row.
    pieces: Vec<(char, i32)>,
    side: char,
    state: String,
}

impl Reference {
    fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        let mut pieces = Vec::new();
        for (side, counts) in ['r', 'b'].into_iter().zip(fields[0].split('/')) {
            for (row, count) in (0..).zip(counts.split(',')) {
                pieces.extend((0..count.parse().unwrap()).map(|_: u32| (side, row)));
            }
        }
        Self {
            pieces,
            side: fields[1].chars().next().unwrap(),
            state: fields[2].to_owned(),
        }
    }

    fn text(&self) -> String {
        let counts = |side: char| {
            let count = |row: i32| {
                self.pieces
                    .iter()
                    .filter(|piece| **piece == (side, row))
                    .count()
            };
            (0..8)
                .map(|row| count(row).to_string())
                .collect::<Vec<_>>()
                .join(",")
        };
        format!(
            "{}/{} {} {}",
            counts('r'),
            counts('b'),
            self.side,
            self.state
        )
    }

    fn standing(&self, row: i32) -> i32 {
        i32::try_from(self.pieces.iter().filter(|(_, at)| *at == row).count()).unwrap()
    }

    /// The moves of `side` by `steps` rows.
    fn moves(&self, side: char, steps: i32) -> Vec<(i32, i32)> {
        let mut moves = Vec::new();
        for from in 0..8 {
            let to = if side == 'r' {
                (from + steps).min(7)
            } else {
                (from - steps).max(0)
            };
            let is_frozen = from == goal(side);
            let is_full = to != 0 && to != 7 && self.standing(to) >= 6;
            if self.pieces.contains(&(side, from)) && !is_frozen && !is_full {
                moves.push((from, to));
            }
        }
        moves
    }

    fn due(&self) -> Vec<(i32, i32)> {
        let steps = self.state.trim_end_matches('x').strip_prefix("2:");
        self.moves(self.side, steps.map_or(1, |steps| steps.parse().unwrap()))
    }

    fn is_separated(&self) -> bool {
        let red = self.pieces.iter().filter(|(side, _)| *side == 'r');
        red.clone().all(|(_, red)| {
            let black = self.pieces.iter().filter(|(side, _)| *side == 'b');
            black.clone().all(|(_, black)| red > black)
        })
    }

    /// The next step, in words.
    fn next(&self) -> String {
        if self.is_separated() {
            return format!("over by separation, {}", self.result());
        }
        if !self.due().is_empty() {
            return format!("{} moves", self.side);
        }
        if self.moves(other(self.side), 1).is_empty() {
            return format!("over by deadlock, {}", self.result());
        }
        format!("{} passes", self.side)
    }

    fn result(&self) -> &str {
        let points = |side: char| -> i32 {
            let of_piece = |row: i32| match (row - goal(side)).abs() {
                0 => 5,
                1 => 3,
                2 => 2,
                3 => 1,
                _ => 0,
            };
            let own = self.pieces.iter().filter(|(owner, _)| *owner == side);
            own.map(|(_, row)| of_piece(*row)).sum()
        };
        match points('r') - points('b') {
            0 => "drawn",
            1.. => "r wins",
            _ => "b wins",
        }
    }

    fn play(&mut self, from: i32, to: i32) {
        let met = self.standing(to);
        let piece = self
            .pieces
            .iter()
            .position(|piece| *piece == (self.side, from));
        self.pieces[piece.unwrap()].1 = to;
        let is_first = self.state.starts_with('1');
        let extra = if self.state.ends_with('x') { "x" } else { "" };
        let at_goal = to == goal(self.side);
        if !self.is_separated() {
            if is_first {
                let steps = if at_goal { 1 } else { met };
                if steps > 0 && !self.moves(self.side, steps).is_empty() {
                    self.state = format!("2:{steps}{extra}");
                    return;
                }
            } else if met == 0 && !at_goal && extra.is_empty() {
                "1x".clone_into(&mut self.state);
                return;
            }
        }
        self.pass();
    }

    fn pass(&mut self) {
        self.side = other(self.side);
        "1".clone_into(&mut self.state);
    }
}

fn goal(side: char) -> i32 {
    if side == 'r' { 7 } else { 0 }
}

fn other(side: char) -> char {
    if side == 'r' { 'b' } else { 'r' }
}

fn letter(seat: Seat) -> char {
    match seat {
        Seat::First => 'r',
        Seat::Second => 'b',
    }
}

fn next(turn: Turn) -> String {
    match turn {
        Turn::Chance => panic!("nothing is rolled in this game"),
        Turn::Decide(seat) => format!("{} moves", letter(seat)),
        Turn::Pass(seat) => format!("{} passes", letter(seat)),
        Turn::Over(outcome) => {
            assert_eq!(outcome.points, u32::from(outcome.winner.is_some()));
            let reason = if outcome.reason == "separated" {
                "separation"
            } else {
                outcome.reason
            };
            let result = outcome.winner.map_or_else(
                || "drawn".to_owned(),
                |seat| format!("{} wins", letter(seat)),
            );
            format!("over by {reason}, {result}")
        }
    }
}

/// Plays one game with both implementations and compares them after every step.
fn compare(start: &str, mut choices: Choices) {
    let mut fast: Position = read(start);
    let mut slow = Reference::read(start);
    loop {
        assert_eq!(fast.to_string(), slow.text());
        assert_eq!(next(fast.turn()), slow.next(), "{fast}");
        match fast.turn() {
            Turn::Chance => panic!("nothing is rolled in this game"),
            Turn::Over(_) => {
                assert_eq!(fast.count_legal(), 0);
                return;
            }
            Turn::Pass(_) => {
                assert_eq!(fast.count_legal(), 0);
                fast.pass();
                slow.pass();
            }
            Turn::Decide(_) => {
                let moves = slow.due();
                let words: Vec<String> = moves
                    .iter()
                    .map(|(from, to)| format!("{from}>{to}"))
                    .collect();
                assert_eq!(legal(&fast), words.join(" "), "{fast}");
                assert_eq!(fast.count_legal(), words.len());
                let chosen = choices.below(moves.len());
                fast.play(words[chosen].parse().unwrap()).unwrap();
                slow.play(moves[chosen].0, moves[chosen].1);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn games_from_the_start_are_the_same(choices in Choices::any()) {
        compare("6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6 r 1", choices);
    }

    #[test]
    fn games_from_anywhere_are_the_same(start in positions(), choices in Choices::any()) {
        compare(&start, choices);
    }
}
