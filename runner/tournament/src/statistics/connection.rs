/// The connections between bots by the points taken from each other.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    took: Vec<Vec<usize>>,
    gave: Vec<Vec<usize>>,
}

impl Connection {
    /// Creates `bots` bots that have not met.
    pub(super) fn new(bots: usize) -> Self {
        Self {
            took: vec![Vec::new(); bots],
            gave: vec![Vec::new(); bots],
        }
    }

    /// Records that `bot` took points from `opponent`.
    pub(super) fn took(&mut self, bot: usize, opponent: usize) {
        self.took[bot].push(opponent);
        self.gave[opponent].push(bot);
    }

    /// Returns the groups of bots that never met, not even through others: 1 if all are connected.
    pub(super) fn groups(&self) -> usize {
        let mut seen = vec![false; self.took.len()];
        let mut groups = 0;
        for bot in 0..seen.len() {
            if !seen[bot] {
                groups += 1;
                reach(bot, &mut seen, &[&self.took, &self.gave]);
            }
        }
        groups
    }

    /// Returns true if finite ratings exist: the bots cannot be split so that one part took nothing
    /// from the other (Ford, 1957).
    pub(super) fn is_balanced(&self) -> bool {
        [&self.took, &self.gave].iter().all(|ways| {
            let mut seen = vec![false; self.took.len()];
            if !seen.is_empty() {
                reach(0, &mut seen, &[ways]);
            }
            seen.iter().all(|seen| *seen)
        })
    }
}

/// Marks all bots reachable from `start`.
fn reach(start: usize, seen: &mut [bool], ways: &[&Vec<Vec<usize>>]) {
    let mut open = vec![start];
    seen[start] = true;
    while let Some(bot) = open.pop() {
        for next in ways.iter().flat_map(|ways| &ways[bot]) {
            if !seen[*next] {
                seen[*next] = true;
                open.push(*next);
            }
        }
    }
}
