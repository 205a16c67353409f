use super::{BotIndex, Pairing};

/// Returns the rounds of a gauntlet of `bots` bots, in which each challenger meets each other bot
/// once.
///
/// Both sides stand in rows, in the order of `challengers` and of the event's list. In the first
/// round the bots opposite each other meet. After each round the row of the others rotates by one
/// place, until each has faced every challenger. The shorter row has gaps at its end; a bot
/// opposite a gap has a bye. The challenger has the first seat.
pub(super) fn gauntlet_rounds(bots: usize, challengers: &[BotIndex]) -> Vec<Vec<Pairing>> {
    let others: Vec<BotIndex> = (0..bots)
        .map(BotIndex::new)
        .filter(|bot| !challengers.contains(bot))
        .collect();
    let places = challengers.len().max(others.len());
    let opposite = |round: usize| {
        let pair = |(place, challenger): (usize, &BotIndex)| {
            let other = others.get((place + round) % places)?;
            Some(Pairing {
                first: *challenger,
                second: *other,
            })
        };
        challengers.iter().enumerate().filter_map(pair).collect()
    };
    (0..places).map(opposite).collect()
}
