use std::collections::BTreeMap;

use super::PlayedMatch;

/// Duplicate matches: the same bots in the same seats with the same moves. Duplicates carry no
/// information.
#[derive(Clone, Debug)]
pub(super) struct Duplicates {
    clusters: Vec<u64>,
    copies: Vec<u64>,
}

impl Duplicates {
    /// Finds the duplicates.
    pub(super) fn new(matches: &[PlayedMatch]) -> Self {
        let key = |place: usize| {
            let played = &matches[place];
            (played.first, played.second, played.moves)
        };
        let known = (0..matches.len()).filter(|place| matches[*place].moves.is_some());
        let mut known: Vec<usize> = known.collect();
        // A map of a million matches would be several times as large.
        known.sort_unstable_by_key(|place| (key(*place), *place));
        let groups = known.chunk_by(|one, other| key(*one) == key(*other));
        let mut copies = vec![1; matches.len()];
        let mut roots: BTreeMap<u64, u64> = BTreeMap::new();
        for places in groups.filter(|places| places.len() > 1) {
            let one = root(&mut roots, matches[places[0]].encounter);
            for place in places {
                copies[*place] = places.len() as u64;
                let other = root(&mut roots, matches[*place].encounter);
                let first = root(&mut roots, one);
                roots.insert(first.max(other), first.min(other));
            }
        }
        let clusters = matches
            .iter()
            .map(|played| root(&mut roots, played.encounter));
        Self {
            clusters: clusters.collect(),
            copies,
        }
    }

    /// The cluster of each match, in order; different clusters are independent. An encounter is one
    /// cluster, and encounters that share a match form one together.
    pub(super) fn clusters(&self) -> &[u64] {
        &self.clusters
    }

    /// Number of times each match was played, in order.
    pub(super) fn copies(&self) -> &[u64] {
        &self.copies
    }
}

/// Returns the representative of an encounter's cluster.
fn root(roots: &mut BTreeMap<u64, u64>, encounter: u64) -> u64 {
    let mut at = encounter;
    while let Some(next) = roots.get(&at).copied().filter(|next| *next != at) {
        at = next;
    }
    if at != encounter {
        roots.insert(encounter, at);
    }
    at
}
