use super::{BotIndex, Pairing};

/// The rounds of a gauntlet of `bots` bots: each of the challengers meets each of the others once.
///
/// Both sides stand in rows, in the order of `challengers` and of the event's list. In the first
/// round those meet who stand opposite; then the row of the others moves on by one place, round
/// about, until each has stood opposite of everybody. The shorter row has gaps at its end, and who
/// stands opposite of one has a bye. The challenger has the first seat.
pub(super) fn gauntlet_rounds(bots: usize, challengers: &[BotIndex]) -> Vec<Vec<Pairing>> {
    let others: Vec<BotIndex> = (0..bots)
        .map(BotIndex)
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
