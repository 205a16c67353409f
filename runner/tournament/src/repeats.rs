use std::collections::{BTreeMap, BTreeSet};

use dragontooth_games::Seat;

use super::{BotIndex, MovesDigest, Results, Schedule, Verdict};

/// Two bots that repeated some of their matches: the same moves in the same seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The bots in the order of the event's list.
    pub bots: [BotIndex; 2],
    /// Number of their matches with recorded moves.
    pub matches: u32,
    /// Number of distinct ones among them.
    pub unique: u32,
}

/// Returns the pairs of bots that repeated matches, by the recorded moves. Deterministic bots that
/// start from the same position do that, and the copies carry no information. Void matches are left
/// out.
#[must_use]
pub fn repeats(schedule: &Schedule, results: &Results) -> Vec<Repeat> {
    let mut pairings: BTreeMap<[BotIndex; 2], Seen> = BTreeMap::new();
    for (planned, result) in results.with_match(schedule.matches()) {
        let Some(moves) = result.moves.filter(|_| result.verdict() != Verdict::Void) else {
            continue;
        };
        let (first, second) = (planned.bot(Seat::First), planned.bot(Seat::Second));
        let bots = [first.min(second), first.max(second)];
        let seen = pairings.entry(bots).or_default();
        seen.matches += 1;
        seen.unlike.insert((first < second, moves));
    }
    let counted = pairings.into_iter().map(|(bots, seen)| Repeat {
        bots,
        matches: seen.matches,
        unique: u32::try_from(seen.unlike.len()).unwrap_or(u32::MAX),
    });
    counted
        .filter(|repeat| repeat.unique < repeat.matches)
        .collect()
}

/// The moves of two bots, with true if the bot listed earlier had the first seat.
#[derive(Debug, Default)]
struct Seen {
    matches: u32,
    unlike: BTreeSet<(bool, MovesDigest)>,
}
