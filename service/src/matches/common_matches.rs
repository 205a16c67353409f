use dragontooth_service_store::{Catalogue, ReadError, Shelf};
use dragontooth_service_vocabulary::{ListOrder, MatchId};

/// Matches of each list that are compared at once.
const COMPARED: usize = 500;

/// The times that matches are compared for one part: a caller looks after others between two parts.
const ROUNDS: usize = 4;

/// A part of a list.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CommonMatches {
    pub(super) ids: Vec<MatchId>,
    /// The place after which the list goes on; `None` if this is its end.
    pub(super) next: Option<MatchId>,
}

/// At most `limit` matches after `last` that are on shelves of each list, in order. There may be fewer although the list goes on.
///
/// Each round jumps to the next match of the list that has the fewest of them there, so that a rare condition costs as much as it has matches,
/// whatever the others have.
pub(super) async fn common_matches(
    catalogue: &dyn Catalogue,
    lists: &[Vec<Shelf>],
    order: ListOrder,
    last: Option<MatchId>,
    limit: usize,
) -> Result<CommonMatches, ReadError> {
    if let [shelves] = lists {
        let (ids, has_more) = catalogue.list(shelves.clone(), order, last, limit).await?;
        let next = ids.last().copied().filter(|_| has_more);
        return Ok(CommonMatches { ids, next });
    }
    let mut common = CommonMatches {
        ids: Vec::new(),
        next: last,
    };
    for _ in 0..ROUNDS {
        let mut rows = Vec::with_capacity(lists.len());
        for shelves in lists {
            let row = catalogue.list(shelves.clone(), order, common.next, COMPARED);
            rows.push(row.await?);
        }
        let mut rests: Vec<&[MatchId]> = rows.iter().map(|(ids, _)| &ids[..]).collect();
        while let Some(furthest) = furthest(&rests, order) {
            for rest in &mut rests {
                let passed = rest.partition_point(|id| order.compare(*id, furthest).is_lt());
                *rest = &rest[passed..];
            }
            if rests.iter().all(|rest| rest.first() == Some(&furthest)) {
                common.ids.push(furthest);
                common.next = Some(furthest);
                if common.ids.len() == limit {
                    return Ok(common);
                }
                for rest in &mut rests {
                    *rest = &rest[1..];
                }
            }
        }
        let mut ends = rows.iter().zip(&rests);
        if ends.any(|((_, has_more), rest)| rest.is_empty() && !has_more) {
            common.next = None;
            return Ok(common);
        }
        // What comes before the first of a row, or up to the last of one that has run out, is on no other.
        let firsts = rests.iter().filter_map(|rest| order.before(*rest.first()?));
        let passed = rows.iter().zip(&rests);
        let passed =
            passed.filter_map(|((ids, _), rest)| ids.last().filter(|_| rest.is_empty()).copied());
        common.next = (firsts.chain(passed)).max_by(|one, other| order.compare(*one, *other));
    }
    Ok(common)
}

/// The first match of the row that begins last; `None` if a row is empty.
fn furthest(rows: &[&[MatchId]], order: ListOrder) -> Option<MatchId> {
    let firsts: Option<Vec<_>> = rows.iter().map(|row| row.first().copied()).collect();
    firsts?
        .into_iter()
        .max_by(|one, other| order.compare(*one, *other))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use dragontooth_service_store::{MatchBrief, MatchGroup, MatchKind, MemoryCatalogue, Party};
    use dragontooth_service_vocabulary::{PlayerId, Stage, Visibility};
    use futures::FutureExt;

    use super::*;

    const MATCHES: u128 = 20_000;
    const CREATOR: PlayerId = PlayerId::from_bytes([1; 16]);
    const FREQUENT: PlayerId = PlayerId::from_bytes([2; 16]);
    const RARE: PlayerId = PlayerId::from_bytes([3; 16]);

    fn id(number: u128) -> MatchId {
        MatchId::from_bytes(number.to_be_bytes())
    }

    /// The creator has all matches, and the players have those that these functions choose.
    fn catalogue(is_frequent: fn(u128) -> bool, is_rare: fn(u128) -> bool) -> MemoryCatalogue {
        let catalogue = MemoryCatalogue::default();
        for number in 1..=MATCHES {
            let brief = MatchBrief {
                game: "linja".to_owned(),
                variant: "standard".to_owned(),
                players: [
                    is_frequent(number).then_some(FREQUENT),
                    is_rare(number).then_some(RARE),
                ],
                creator: CREATOR,
                visibility: Visibility::Public,
                seed_mark: None,
                request_id: None,
            };
            catalogue.put_ended(id(number), &brief);
        }
        catalogue
    }

    fn lists() -> Vec<Vec<Shelf>> {
        let groups = [
            MatchGroup::CreatedBy(CREATOR),
            MatchGroup::PlayedBy(FREQUENT),
            MatchGroup::PlayedBy(RARE),
        ];
        let shelves = groups.map(|of| {
            let ended = MatchKind::all().filter(|kind| kind.stage == Stage::Ended);
            let shelves = ended.map(|kind| Shelf {
                of,
                shown_to: Party::Anyone,
                kind,
            });
            shelves.collect()
        });
        shelves.into()
    }

    /// All common matches, and the number of parts in which they come.
    fn all(catalogue: &MemoryCatalogue, order: ListOrder, limit: usize) -> (Vec<MatchId>, usize) {
        let (lists, mut found, mut last) = (lists(), Vec::new(), None);
        for parts in 1.. {
            let part = common_matches(catalogue, &lists, order, last, limit);
            let part = part.now_or_never().unwrap().unwrap();
            assert!(part.ids.len() <= limit);
            found.extend(part.ids);
            last = part.next;
            if last.is_none() {
                return (found, parts);
            }
        }
        unreachable!("the parts have no end");
    }

    #[test]
    fn every_common_match_is_found_once_in_order() {
        type Has = fn(u128) -> bool;
        let cases: [(Has, Has); 4] = [
            (|number| number % 2 == 0, |number| number % 3 == 0),
            (|number| number % 500 == 0, |number| number % 499 == 0),
            (|_| true, |number| [1, 9_000, MATCHES].contains(&number)),
            (|number| number < 9_000, |number| number > 8_000),
        ];
        for (is_frequent, is_rare) in cases {
            let catalogue = catalogue(is_frequent, is_rare);
            let fitting = (1..=MATCHES).filter(|number| is_frequent(*number) && is_rare(*number));
            let expected: BTreeSet<_> = fitting.map(id).collect();
            for limit in [1, 7, 10_000] {
                let (oldest, _) = all(&catalogue, ListOrder::OldestFirst, limit);
                assert!(oldest.iter().eq(&expected), "{limit}");
                let (newest, _) = all(&catalogue, ListOrder::NewestFirst, limit);
                assert!(newest.iter().eq(expected.iter().rev()), "{limit}");
            }
        }
    }

    /// Two rounds for each match of the player who has few, not one for each part of the others.
    #[test]
    fn a_rare_condition_jumps_over_the_others() {
        let catalogue = catalogue(|_| true, |number| number == 10_000);
        let (found, parts) = all(&catalogue, ListOrder::NewestFirst, 50);
        assert_eq!((found, parts), (vec![id(10_000)], 1));
        let catalogue = self::catalogue(|_| true, |_| false);
        let (found, parts) = all(&catalogue, ListOrder::OldestFirst, 50);
        assert_eq!((found, parts), (Vec::new(), 1));
    }
}
