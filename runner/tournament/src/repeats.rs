use super::{BotIndex, MatchResult, Results, Schedule, ScheduledMatch, Verdict};

/// Two bots that repeated some of their matches: the same moves in the same seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The bots in the order of the event's list.
    pub bots: [BotIndex; 2],
    /// Number of their matches with recorded moves, at least one each.
    pub matches: u32,
    /// Number of distinct ones among them.
    pub unique: u32,
}

/// Returns the pairs of bots that repeated matches, by the recorded moves. Deterministic bots that
/// start from the same position do that, and the copies carry no information. Void matches and those
/// without an action are left out.
#[must_use]
pub fn repeats(schedule: &Schedule, results: &Results) -> Vec<Repeat> {
    let all = results.with_match(schedule.matches());
    let mut recorded: Vec<(&ScheduledMatch, &MatchResult)> = all
        .filter(|(_, result)| {
            result.moves_of_copies().is_some() && result.verdict() != Verdict::Void
        })
        .collect();
    let key = |planned: &ScheduledMatch, result: &MatchResult| {
        let [first, second] = planned.bots;
        (bots_of(planned), first < second, result.moves_of_copies())
    };
    // A map of a million matches would be several times as large.
    recorded.sort_unstable_by_key(|(planned, result)| key(planned, result));
    let pairings = recorded.chunk_by(|(one, _), (other, _)| bots_of(one) == bots_of(other));
    let counted = pairings.map(|matches| {
        let unlike = matches.chunk_by(|one, other| key(one.0, one.1) == key(other.0, other.1));
        Repeat {
            bots: bots_of(matches[0].0),
            matches: count(matches.len()),
            unique: count(unlike.count()),
        }
    });
    counted
        .filter(|repeat| repeat.unique < repeat.matches)
        .collect()
}

/// The bots of a match in the order of the event's list.
fn bots_of(planned: &ScheduledMatch) -> [BotIndex; 2] {
    let [first, second] = planned.bots;
    [first.min(second), first.max(second)]
}

fn count(matches: usize) -> u32 {
    u32::try_from(matches).unwrap_or(u32::MAX)
}
