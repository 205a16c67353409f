use super::BotIndex;

/// Two bots that meet in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The bot named first in the table, which has the first seat.
    pub first: BotIndex,
    /// The other bot.
    pub second: BotIndex,
}

/// Returns the rounds of a single round robin of `bots` bots by the Berger tables (FIDE Handbook,
/// C.05, annex 1), each with its pairings in the order of the tables.
///
/// An odd number of bots uses the table for one more; the bot paired with the missing one has a
/// bye.
#[must_use]
pub fn berger_rounds(bots: usize) -> Vec<Vec<Pairing>> {
    let even = bots.next_multiple_of(2);
    (0..even.saturating_sub(1))
        .map(|round| {
            berger_round(even, round)
                .filter(|pair| pair.first.max(pair.second).get() < bots)
                .collect()
        })
        .collect()
}

/// Returns one round, counted from 0, for an even number of bots.
///
/// All but the last bot stand on a circle of `bots - 1` places. From round to round the last bot
/// meets the bot half a table further on and alternates its seat. The circle is folded around that
/// opponent, and the end of each pair that comes first in the circle's direction is named first.
fn berger_round(bots: usize, round: usize) -> impl Iterator<Item = Pairing> {
    let circle = bots - 1;
    let hinge = round * (bots / 2) % circle;
    let (first, second) = if round.is_multiple_of(2) {
        (hinge, circle)
    } else {
        (circle, hinge)
    };
    let pair = |first, second| Pairing {
        first: BotIndex::new(first),
        second: BotIndex::new(second),
    };
    let folded = (1..bots / 2)
        .map(move |step| pair((hinge + step) % circle, (hinge + circle - step) % circle));
    std::iter::once(pair(first, second)).chain(folded)
}
