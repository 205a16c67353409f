use std::cmp::Ordering;
use std::collections::VecDeque;

use super::weights::Weights;

/// Returns, for each vertex, its mate in a matching of the greatest weight.
///
/// This is Edmonds' algorithm (*Maximum matching and a polyhedron with 0,1-vertices*, 1965) with
/// dual variables and the nearest edge stored for each node (Gabow, 1976), in O(n³) comparisons and
/// steps. Weights need only addition, comparison and halving, so lists of numbers compared in order
/// work as well as numbers. Edges with a weight of zero or less are not used.
pub(super) fn heaviest_matching(weights: &Weights) -> Vec<Option<usize>> {
    let mut search = Search::new(weights);
    while search.augment_once() {}
    (1..=weights.vertices())
        .map(|vertex| search.mate[vertex].checked_sub(1))
        .collect()
}

/// The label of a node in the search for an augmenting path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    /// Not reached.
    Free,
    /// At an even distance from an unmatched vertex.
    Even,
    /// At an odd distance.
    Odd,
}

/// The search. Nodes are vertices, from 1, followed by blossoms; 0 means none.
struct Search<'w> {
    weights: &'w Weights,
    vertices: usize,
    nodes: usize,
    /// The end, in the first node, of the edge with the least slack between two nodes; 0 if there
    /// is none. The other end is at the mirrored index.
    ends: Vec<Vec<usize>>,
    /// Dual variables of the vertices and blossoms, doubled.
    duals: Vec<Vec<i64>>,
    /// The vertex with which a node is matched.
    mate: Vec<usize>,
    /// The even vertex that reaches a node with the least slack.
    nearest: Vec<usize>,
    /// The outermost blossom that contains a node.
    outer: Vec<usize>,
    /// The vertex from which a node was reached.
    parent: Vec<usize>,
    label: Vec<Label>,
    visited: Vec<usize>,
    visit: usize,
    /// The nodes of a blossom in cyclic order, its base first.
    petals: Vec<Vec<usize>>,
    /// The petal of a blossom that contains a vertex.
    petal_of: Vec<Vec<usize>>,
    queue: VecDeque<usize>,
}

impl<'w> Search<'w> {
    fn new(weights: &'w Weights) -> Self {
        let vertices = weights.vertices();
        // A forest has at most half as many blossoms as vertices.
        let nodes = vertices + vertices / 2 + 2;
        let mut ends = vec![vec![0; nodes]; nodes];
        let mut heaviest = vec![0; weights.length()];
        for one in 0..vertices {
            for other in 0..vertices {
                if one != other && weights.has(one, other) {
                    ends[one + 1][other + 1] = one + 1;
                    let weight = weights.of(one, other);
                    if weight > heaviest.as_slice() {
                        heaviest = weight.to_vec();
                    }
                }
            }
        }
        let heaviest: Vec<i64> = heaviest.into_iter().map(i64::from).collect();
        let mut petal_of = vec![vec![0; vertices + 1]; nodes];
        for (vertex, petals) in petal_of.iter_mut().enumerate().skip(1).take(vertices) {
            petals[vertex] = vertex;
        }
        let outer = (0..nodes).map(|node| if node <= vertices { node } else { 0 });
        Self {
            weights,
            vertices,
            nodes: vertices,
            ends,
            duals: vec![heaviest; nodes],
            mate: vec![0; nodes],
            nearest: vec![0; nodes],
            outer: outer.collect(),
            parent: vec![0; nodes],
            label: vec![Label::Free; nodes],
            visited: vec![0; nodes],
            visit: 0,
            petals: vec![Vec::new(); nodes],
            petal_of,
            queue: VecDeque::new(),
        }
    }

    /// Grows the matching by one edge if that makes it heavier.
    fn augment_once(&mut self) -> bool {
        for node in 1..=self.nodes {
            self.label[node] = Label::Free;
            self.nearest[node] = 0;
        }
        self.queue.clear();
        for node in 1..=self.nodes {
            if self.outer[node] == node && self.mate[node] == 0 {
                self.parent[node] = 0;
                self.label[node] = Label::Even;
                self.enqueue(node);
            }
        }
        if self.queue.is_empty() {
            return false;
        }
        loop {
            if self.grow() {
                return true;
            }
            if !self.adjust_duals() {
                return false;
            }
            self.queue.clear();
            for node in 1..=self.nodes {
                let near = self.nearest[node];
                if self.outer[node] == node
                    && near != 0
                    && self.outer[near] != node
                    && self.is_tight(near, node)
                    && self.take(near, node)
                {
                    return true;
                }
            }
            for node in self.vertices + 1..=self.nodes {
                let empty = self.duals[node].iter().all(|number| *number == 0);
                if self.outer[node] == node && self.label[node] == Label::Odd && empty {
                    self.expand(node);
                }
            }
        }
    }

    /// Follows tight edges from the queued vertices. Returns true if the matching has grown.
    fn grow(&mut self) -> bool {
        while let Some(vertex) = self.queue.pop_front() {
            if self.label[self.outer[vertex]] == Label::Odd {
                continue;
            }
            for other in 1..=self.vertices {
                if self.ends[vertex][other] == 0 || self.outer[vertex] == self.outer[other] {
                    continue;
                }
                if self.is_tight(vertex, other) {
                    if self.take(vertex, other) {
                        return true;
                    }
                } else {
                    self.come_near(vertex, self.outer[other]);
                }
            }
        }
        false
    }

    /// Adjusts the duals until another edge is tight or a blossom is to be expanded. Returns false
    /// if nothing can make the matching heavier.
    fn adjust_duals(&mut self) -> bool {
        let mut least: Option<Vec<i64>> = None;
        let mut offer = |candidate: Vec<i64>| {
            if least.as_ref().is_none_or(|least| candidate < *least) {
                least = Some(candidate);
            }
        };
        for blossom in self.vertices + 1..=self.nodes {
            if self.outer[blossom] == blossom && self.label[blossom] == Label::Odd {
                offer(halved(&self.duals[blossom]));
            }
        }
        for node in 1..=self.nodes {
            if self.outer[node] != node || self.nearest[node] == 0 {
                continue;
            }
            let slack = self.slack(self.nearest[node], node);
            match self.label[node] {
                Label::Free => offer(slack),
                Label::Even => offer(halved(&slack)),
                Label::Odd => {}
            }
        }
        for vertex in 1..=self.vertices {
            if self.label[self.outer[vertex]] == Label::Even
                && least
                    .as_ref()
                    .is_none_or(|least| self.duals[vertex] <= *least)
            {
                return false;
            }
        }
        let Some(step) = least else {
            return false;
        };
        for vertex in 1..=self.vertices {
            match self.label[self.outer[vertex]] {
                Label::Even => shift(&mut self.duals[vertex], &step, -1),
                Label::Odd => shift(&mut self.duals[vertex], &step, 1),
                Label::Free => {}
            }
        }
        for blossom in self.vertices + 1..=self.nodes {
            if self.outer[blossom] == blossom {
                match self.label[blossom] {
                    Label::Even => shift(&mut self.duals[blossom], &step, 2),
                    Label::Odd => shift(&mut self.duals[blossom], &step, -2),
                    Label::Free => {}
                }
            }
        }
        true
    }

    /// Returns the vertices at both ends of the edge between two nodes.
    fn edge(&self, one: usize, other: usize) -> (usize, usize) {
        (self.ends[one][other], self.ends[other][one])
    }

    /// Returns the slack of the edge between two nodes.
    fn slack_numbers(&self, one: usize, other: usize) -> impl Iterator<Item = i64> {
        let (u, v) = self.edge(one, other);
        let duals = self.duals[u].iter().zip(&self.duals[v]);
        let weights = self.weights.of(u - 1, v - 1);
        duals
            .zip(weights)
            .map(|((a, b), weight)| a + b - 2 * i64::from(*weight))
    }

    fn slack(&self, one: usize, other: usize) -> Vec<i64> {
        self.slack_numbers(one, other).collect()
    }

    fn is_tight(&self, one: usize, other: usize) -> bool {
        self.slack_numbers(one, other).all(|number| number == 0)
    }

    fn compare_slack(&self, one: (usize, usize), other: (usize, usize)) -> Ordering {
        let (one, other) = (
            self.slack_numbers(one.0, one.1),
            self.slack_numbers(other.0, other.1),
        );
        one.cmp(other)
    }

    /// Records that an even vertex reaches `node`, if it is the nearest.
    fn come_near(&mut self, vertex: usize, node: usize) {
        let near = self.nearest[node];
        if near == 0 || self.compare_slack((vertex, node), (near, node)) == Ordering::Less {
            self.nearest[node] = vertex;
        }
    }

    fn find_nearest(&mut self, node: usize) {
        self.nearest[node] = 0;
        for vertex in 1..=self.vertices {
            if self.ends[vertex][node] != 0
                && self.outer[vertex] != node
                && self.label[self.outer[vertex]] == Label::Even
            {
                self.come_near(vertex, node);
            }
        }
    }

    /// Queues the vertices of a node.
    fn enqueue(&mut self, node: usize) {
        if node <= self.vertices {
            self.queue.push_back(node);
        } else {
            for petal in self.petals[node].clone() {
                self.enqueue(petal);
            }
        }
    }

    fn set_outer(&mut self, node: usize, outer: usize) {
        self.outer[node] = outer;
        if node > self.vertices {
            for petal in self.petals[node].clone() {
                self.set_outer(petal, outer);
            }
        }
    }

    /// Handles a tight edge from an even node. Returns true if the matching has grown.
    fn take(&mut self, one: usize, other: usize) -> bool {
        let (from, to) = self.edge(one, other);
        let (u, v) = (self.outer[from], self.outer[to]);
        match self.label[v] {
            Label::Free => {
                self.parent[v] = from;
                self.label[v] = Label::Odd;
                let next = self.outer[self.mate[v]];
                self.nearest[v] = 0;
                self.nearest[next] = 0;
                self.label[next] = Label::Even;
                self.enqueue(next);
                false
            }
            Label::Even => match self.meeting(u, v) {
                0 => {
                    self.augment(u, v);
                    self.augment(v, u);
                    true
                }
                base => {
                    self.shrink(u, base, v);
                    false
                }
            },
            Label::Odd => false,
        }
    }

    /// Returns the outermost node where the paths of two even nodes meet; 0 if they do not.
    fn meeting(&mut self, one: usize, other: usize) -> usize {
        self.visit += 1;
        let (mut here, mut there) = (one, other);
        while here != 0 || there != 0 {
            if here != 0 {
                if self.visited[here] == self.visit {
                    return here;
                }
                self.visited[here] = self.visit;
                here = self.outer[self.mate[here]];
                if here != 0 {
                    here = self.outer[self.parent[here]];
                }
            }
            std::mem::swap(&mut here, &mut there);
        }
        0
    }

    /// Augments the matching along the path from `node`, whose new mate is `other`.
    fn augment(&mut self, node: usize, other: usize) {
        let (mut node, mut other) = (node, other);
        loop {
            let next = self.outer[self.mate[node]];
            self.set_mate(node, other);
            if next == 0 {
                return;
            }
            let before = self.outer[self.parent[next]];
            self.set_mate(next, before);
            (node, other) = (before, next);
        }
    }

    /// Matches a node with another; inside a blossom the matching moves to the petal that it leaves
    /// by.
    fn set_mate(&mut self, node: usize, other: usize) {
        let (from, to) = self.edge(node, other);
        self.mate[node] = to;
        if node > self.vertices {
            let petal = self.petal_of[node][from];
            let steps = self.steps_to(node, petal);
            for step in 0..steps {
                let (one, two) = (self.petals[node][step], self.petals[node][step ^ 1]);
                self.set_mate(one, two);
            }
            self.set_mate(petal, other);
            self.petals[node].rotate_left(steps);
        }
    }

    /// Returns the even number of steps from the base of a blossom to a petal, reversing the
    /// blossom if necessary.
    fn steps_to(&mut self, blossom: usize, petal: usize) -> usize {
        let petals = &mut self.petals[blossom];
        let steps = petals
            .iter()
            .position(|each| *each == petal)
            .expect("the petal belongs to the blossom");
        if steps % 2 == 1 {
            petals[1..].reverse();
            petals.len() - steps
        } else {
            steps
        }
    }

    /// Creates a blossom from the cycle through `base`, `one` and `other`.
    fn shrink(&mut self, one: usize, base: usize, other: usize) {
        let mut blossom = self.vertices + 1;
        while blossom <= self.nodes && self.outer[blossom] != 0 {
            blossom += 1;
        }
        self.nodes = self.nodes.max(blossom);
        self.duals[blossom].fill(0);
        self.label[blossom] = Label::Even;
        self.mate[blossom] = self.mate[base];
        let mut petals = vec![base];
        self.gather(one, base, &mut petals);
        petals[1..].reverse();
        self.gather(other, base, &mut petals);
        self.petals[blossom].clone_from(&petals);
        self.set_outer(blossom, blossom);
        for node in 1..=self.nodes {
            self.ends[blossom][node] = 0;
            self.ends[node][blossom] = 0;
        }
        self.petal_of[blossom].fill(0);
        for petal in petals {
            for node in 1..=self.nodes {
                if self.ends[petal][node] != 0
                    && (self.ends[blossom][node] == 0
                        || self.compare_slack((petal, node), (blossom, node)) == Ordering::Less)
                {
                    self.ends[blossom][node] = self.ends[petal][node];
                    self.ends[node][blossom] = self.ends[node][petal];
                }
            }
            for vertex in 1..=self.vertices {
                if self.petal_of[petal][vertex] != 0 {
                    self.petal_of[blossom][vertex] = petal;
                }
            }
        }
        self.find_nearest(blossom);
    }

    /// Adds the nodes on the path from `node` up to `base`, exclusive, and queues the odd ones.
    fn gather(&mut self, node: usize, base: usize, petals: &mut Vec<usize>) {
        let mut node = node;
        while node != base {
            petals.push(node);
            let odd = self.outer[self.mate[node]];
            petals.push(odd);
            self.enqueue(odd);
            node = self.outer[self.parent[odd]];
        }
    }

    /// Dissolves an odd blossom whose dual is zero.
    fn expand(&mut self, blossom: usize) {
        for petal in self.petals[blossom].clone() {
            self.set_outer(petal, petal);
        }
        let parent = self.parent[blossom];
        let entered = self.ends[blossom][parent];
        let entry = self.petal_of[blossom][entered];
        let steps = self.steps_to(blossom, entry);
        let petals = std::mem::take(&mut self.petals[blossom]);
        for pair in petals[..steps].chunks(2) {
            let [odd, even] = pair else { break };
            self.parent[*odd] = self.ends[*even][*odd];
            self.label[*odd] = Label::Odd;
            self.label[*even] = Label::Even;
            self.nearest[*odd] = 0;
            self.find_nearest(*even);
            self.enqueue(*even);
        }
        self.label[entry] = Label::Odd;
        self.parent[entry] = parent;
        for petal in &petals[steps + 1..] {
            self.label[*petal] = Label::Free;
            self.find_nearest(*petal);
        }
        self.outer[blossom] = 0;
    }
}

fn halved(numbers: &[i64]) -> Vec<i64> {
    numbers.iter().map(|number| number / 2).collect()
}

fn shift(numbers: &mut [i64], step: &[i64], times: i64) {
    for (number, step) in numbers.iter_mut().zip(step) {
        *number += times * step;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Weights, heaviest_matching};

    /// Returns the weights of all matchings, by enumeration.
    fn all_matchings(weights: &Weights, free: &[usize], so_far: &[i32], found: &mut Vec<Vec<i32>>) {
        let Some((one, rest)) = free.split_first() else {
            found.push(so_far.to_vec());
            return;
        };
        all_matchings(weights, rest, so_far, found);
        for other in rest {
            if weights.has(*one, *other) {
                let left: Vec<usize> = rest.iter().copied().filter(|each| each != other).collect();
                let sum = so_far.iter().zip(weights.of(*one, *other));
                let sum: Vec<i32> = sum.map(|(a, b)| a + b).collect();
                all_matchings(weights, &left, &sum, found);
            }
        }
    }

    fn graph() -> impl Strategy<Value = (usize, Vec<Option<[i32; 3]>>)> {
        let weight = prop_oneof![
            1 => Just(None),
            2 => (0..3_i32, -2..3_i32, -4..5_i32).prop_map(|(a, b, c)| Some([a, b, c])),
        ];
        (1..9_usize).prop_flat_map(move |vertices| {
            let edges = proptest::collection::vec(weight.clone(), vertices * vertices);
            (Just(vertices), edges)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// No matching is heavier.
        #[test]
        fn the_heaviest_matching_is_found((vertices, edges) in graph()) {
            let mut weights = Weights::new(vertices, 3);
            for one in 0..vertices {
                for other in 0..one {
                    if let Some(weight) = edges[one * vertices + other] {
                        weights.set(one, other, &weight);
                    }
                }
            }
            let mates = heaviest_matching(&weights);
            let mut sum = vec![0; 3];
            for (one, mate) in mates.iter().enumerate() {
                let Some(other) = *mate else { continue };
                prop_assert_eq!(mates[other], Some(one));
                prop_assert!(weights.has(one, other));
                if one < other {
                    for (total, number) in sum.iter_mut().zip(weights.of(one, other)) {
                        *total += number;
                    }
                }
            }
            let free: Vec<usize> = (0..vertices).collect();
            let mut found = Vec::new();
            all_matchings(&weights, &free, &[0; 3], &mut found);
            prop_assert_eq!(Some(sum), found.into_iter().max());
        }
    }
}
