use std::collections::HashMap;

use dragontooth_games::{Position, Seat, Turn};

/// A search for the seat that wins by force, in a game without dice. Positions are compared whole, so that no
/// collision of hashes can prove anything.
struct Solver<P> {
    nodes_left: u32,
    known: HashMap<P, Known>,
    /// True if something was left out that a deeper search would visit.
    is_cut: bool,
}

#[derive(Clone, Copy)]
struct Known {
    winner: Option<Seat>,
    /// The actions within which no other winner was found.
    depth: u32,
}

/// Returns the seat that wins from `position` whatever the other plays, if a search of at most `nodes` positions
/// proves it. It deepens by one action after the other, so that short proofs are found first.
pub(super) fn forced_winner<P: Position>(position: P, nodes: u32) -> Option<Seat> {
    let mut solver = Solver {
        nodes_left: nodes,
        known: HashMap::new(),
        is_cut: false,
    };
    for depth in 0.. {
        solver.is_cut = false;
        let winner = solver.winner(position, depth);
        if winner.is_some() || !solver.is_cut || solver.nodes_left == 0 {
            return winner;
        }
    }
    None
}

impl<P: Position> Solver<P> {
    /// The seat that wins within `depth` actions; `None` if neither does, or the game ends in a draw.
    fn winner(&mut self, mut position: P, depth: u32) -> Option<Seat> {
        if self.nodes_left == 0 {
            self.is_cut = true;
            return None;
        }
        self.nodes_left -= 1;
        position.settle();
        let seat = match position.turn() {
            Turn::Decide(seat) => seat,
            Turn::Over(outcome) => return outcome.winner,
            Turn::Chance | Turn::Pass(_) => return None,
        };
        if let Some(known) = self.known.get(&position)
            && (known.winner.is_some() || known.depth >= depth)
        {
            self.is_cut |= known.winner.is_none();
            return known.winner;
        }
        if depth == 0 {
            self.is_cut = true;
            return None;
        }
        let mut replies = Vec::new();
        position.for_each_next(|_, next| replies.push(next));
        let mut loses = true;
        for reply in replies {
            match self.winner(reply, depth - 1) {
                Some(winner) if winner == seat => {
                    return self.remember(position, Some(seat), depth);
                }
                Some(_) => {}
                None => loses = false,
            }
        }
        let winner = loses.then(|| seat.other());
        if winner.is_some() || self.nodes_left > 0 {
            return self.remember(position, winner, depth);
        }
        None
    }

    fn remember(&mut self, position: P, winner: Option<Seat>, depth: u32) -> Option<Seat> {
        self.known.insert(position, Known { winner, depth });
        winner
    }
}
