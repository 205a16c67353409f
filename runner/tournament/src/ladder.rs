use super::encounter::{EncounterScore, Side};
use super::{BotIndex, Pairing, Results, ScheduledMatch};

/// Returns the order of a ladder, the top first, after `matches`. Unfinished encounters change
/// nothing.
///
/// The lower bot of an encounter takes the place of the higher one if it scored more match points.
pub(super) fn ladder_order(
    start: &[BotIndex],
    matches: &[ScheduledMatch],
    results: &Results,
) -> Vec<BotIndex> {
    let mut order = start.to_vec();
    for legs in matches.chunks(2) {
        let pairing = legs[0].pairing();
        let over = legs.iter().map(|leg| results.of(leg.number));
        let Some(over) = over.collect::<Option<Vec<_>>>() else {
            continue;
        };
        let mut score = EncounterScore::default();
        for (planned, result) in legs.iter().zip(over) {
            score.count(pairing, planned, result);
        }
        let place = |bot| order.iter().position(|each| *each == bot);
        if score.winner() == Some(Side::Second)
            && let (Some(upper), Some(lower)) = (place(pairing.first), place(pairing.second))
        {
            order.swap(upper, lower);
        }
    }
    order
}

/// Returns the encounters of a round, from 1, of a ladder in this order: in odd rounds the first
/// meets the second, the third the fourth, and so on; in even rounds the second meets the third,
/// and so on. Two bots meet in every round. The higher one has the first seat.
pub(super) fn ladder_round(order: &[BotIndex], round: u32) -> Vec<Pairing> {
    let skipped = usize::from(round.is_multiple_of(2) && order.len() > 2);
    let pair = |two: &[BotIndex]| Pairing {
        first: two[0],
        second: two[1],
    };
    order[skipped..].chunks_exact(2).map(pair).collect()
}
