use std::collections::BTreeMap;

use super::PlayedMatch;

/// Which matches tell nothing new, because others were played alike: the same bots in the same seats
/// with the same moves.
#[derive(Clone, Debug)]
pub(super) struct Alike {
    clusters: Vec<u64>,
    copies: Vec<u64>,
}

impl Alike {
    /// Looks for matches that were played alike.
    pub(super) fn new(matches: &[PlayedMatch]) -> Self {
        let mut groups: BTreeMap<(usize, usize, u64), Vec<usize>> = BTreeMap::new();
        for (place, played) in matches.iter().enumerate() {
            if let Some(moves) = played.moves {
                let key = (played.first, played.second, moves);
                groups.entry(key).or_default().push(place);
            }
        }
        let mut copies = vec![1; matches.len()];
        let mut roots: BTreeMap<u64, u64> = BTreeMap::new();
        for places in groups.values().filter(|places| places.len() > 1) {
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

    /// The clusters of the matches, in their order: what does not depend on each other. An encounter
    /// is one, and encounters that have a match in common are one together.
    pub(super) fn clusters(&self) -> &[u64] {
        &self.clusters
    }

    /// How often each match was played, in their order.
    pub(super) fn copies(&self) -> &[u64] {
        &self.copies
    }
}

/// The least encounter with which this one hangs together.
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
