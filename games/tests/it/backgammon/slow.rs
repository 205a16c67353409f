//! A second, slow implementation of the rules: every order of every step, then the rules about turns.

use std::collections::BTreeSet;

/// The checkers of the mover and of the opponent, each in that side's numbering: off, 24 points, bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slow {
    pub(crate) own: [u8; 26],
    pub(crate) other: [u8; 26],
}

impl Slow {
    /// All positions that a legal play reaches.
    pub(crate) fn results(self, dice: [u8; 2]) -> BTreeSet<Self> {
        let orders = if dice[0] == dice[1] {
            vec![vec![dice[0]; 4]]
        } else {
            vec![vec![dice[0], dice[1]], vec![dice[1], dice[0]]]
        };
        let mut ends = Vec::new();
        for order in orders {
            self.go_on(&order, &mut Vec::new(), &mut ends);
        }
        let most = ends.iter().map(|(played, _)| played.len()).max();
        ends.retain(|(played, _)| Some(played.len()) == most);
        if most == Some(1) && dice[0] != dice[1] {
            let larger = ends.iter().map(|(played, _)| played[0]).max();
            ends.retain(|(played, _)| Some(played[0]) == larger);
        }
        ends.retain(|(played, _)| !played.is_empty());
        ends.into_iter().map(|(_, end)| end).collect()
    }

    fn go_on(self, dice: &[u8], played: &mut Vec<u8>, ends: &mut Vec<(Vec<u8>, Self)>) {
        let mut stuck = true;
        if let Some((die, rest)) = dice.split_first() {
            for from in 1..=25 {
                if let Some(next) = self.step(from, *die) {
                    stuck = false;
                    played.push(*die);
                    next.go_on(rest, played, ends);
                    played.pop();
                }
            }
        }
        if stuck {
            ends.push((played.clone(), self));
        }
    }

    fn step(mut self, from: u8, die: u8) -> Option<Self> {
        let at = usize::from(from);
        if self.own[at] == 0 || (self.own[25] > 0 && from != 25) {
            return None;
        }
        if from > die {
            let to = usize::from(from - die);
            match self.other[25 - to] {
                0 => {}
                1 => {
                    self.other[25 - to] = 0;
                    self.other[25] += 1;
                }
                _ => return None,
            }
            self.own[to] += 1;
        } else {
            let is_home = self.own[7..].iter().all(|count| *count == 0);
            let is_last = self.own[at + 1..].iter().all(|count| *count == 0);
            if !is_home || (from < die && !is_last) {
                return None;
            }
            self.own[0] += 1;
        }
        self.own[at] -= 1;
        Some(self)
    }
}
