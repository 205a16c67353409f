use std::collections::BTreeMap;

use dragontooth_games::Seat;

use super::{BotIndex, MatchResult, Results, Schedule, Verdict};

/// From so many encounters on it is no chance that all of them are alike.
pub const MIN_REPEATS: u32 = 3;

/// Two bots that seem to play the same encounter again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The bots in the order of the event's list.
    pub bots: [BotIndex; 2],
    /// How many encounters they have played to their end.
    pub encounters: u32,
}

/// The pairs of bots whose encounters, at least [`MIN_REPEATS`], were all alike: the same winners,
/// points, games and numbers of actions, seat by seat. Bots without anything random in them that
/// start from the same position do that, and then they have told as much as in one encounter.
#[must_use]
pub fn repeats(schedule: &Schedule, results: &Results) -> Vec<Repeat> {
    let mut encounters: BTreeMap<u32, ([BotIndex; 2], Legs)> = BTreeMap::new();
    for (planned, result) in results.with_match(schedule) {
        if result.verdict() == Verdict::Void {
            continue;
        }
        let (first, second) = (planned.bot(Seat::First), planned.bot(Seat::Second));
        let bots = [first.min(second), first.max(second)];
        let (_, legs) = encounters
            .entry(planned.encounter)
            .or_insert((bots, [None; 2]));
        legs[usize::from(first > second)] = Some(result);
    }
    let mut pairings: BTreeMap<[BotIndex; 2], (Legs, u32, bool)> = BTreeMap::new();
    for (bots, legs) in encounters.into_values() {
        if legs.contains(&None) {
            continue;
        }
        let (one, count, alike) = pairings.entry(bots).or_insert((legs, 0, true));
        *count += 1;
        *alike &= legs.map(traces) == one.map(traces);
    }
    let alike = pairings
        .into_iter()
        .filter_map(|(bots, (_, count, alike))| {
            (alike && count >= MIN_REPEATS).then_some(Repeat {
                bots,
                encounters: count,
            })
        });
    alike.collect()
}

/// The match in which the earlier bot has the first seat, and the other one.
type Legs<'a> = [Option<&'a MatchResult>; 2];

/// What two equal matches have in common.
fn traces(result: Option<&MatchResult>) -> impl PartialEq + use<> {
    result.map(|result| {
        let MatchResult {
            winner,
            termination,
            score,
            games,
            plies,
            ..
        } = result;
        (*winner, *termination, *score, *games, *plies)
    })
}
