/// How bots hang together by what they took from each other.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    took: Vec<Vec<usize>>,
    gave: Vec<Vec<usize>>,
}

impl Connection {
    /// So many bots that have not met.
    pub(super) fn new(bots: usize) -> Self {
        Self {
            took: vec![Vec::new(); bots],
            gave: vec![Vec::new(); bots],
        }
    }

    /// `bot` took some points from `opponent`.
    pub(super) fn took(&mut self, bot: usize, opponent: usize) {
        self.took[bot].push(opponent);
        self.gave[opponent].push(bot);
    }

    /// The groups of bots that never met, not even by way of others: 1 if there is only one.
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

    /// Whether there are finite ratings: the bots cannot be parted so that one part took nothing
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

/// Marks whoever can be reached from `start`.
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
