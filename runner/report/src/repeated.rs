use std::cmp::Reverse;

use dragontooth_games::counted;
use dragontooth_runner_tournament::{Event, Repeat};

/// The most pairs of bots that the note names; their number grows with the square of the bots.
const MAX_NAMED_PAIRS: usize = 10;

/// The note on the pairs of bots that repeat matches, those with the most copies first; `None` without any.
pub(super) fn repeated(event: &Event, repeats: &[Repeat]) -> Option<String> {
    let sum = |count: fn(&Repeat) -> u32| repeats.iter().map(|one| u64::from(count(one))).sum();
    let (matches, unique): (u64, u64) = (sum(|one| one.matches), sum(|one| one.unique));
    let pair = |repeat: &Repeat| repeat.bots.map(|bot| event.bot(bot).as_str()).join(" and ");
    let told = |who: &str| {
        format!(
            "{who} repeat themselves: of {} only {unique} are distinct, and the errors are computed from those.",
            counted(matches, "match")
        )
    };
    match repeats {
        [] => None,
        [repeat] => Some(told(&pair(repeat))),
        _ => {
            let mut worst: Vec<&Repeat> = repeats.iter().collect();
            worst.sort_by_key(|one| Reverse(one.matches - one.unique));
            let named = worst.iter().take(MAX_NAMED_PAIRS);
            let named = named.map(|one| format!("{} {} of {}", pair(one), one.unique, one.matches));
            let named: Vec<String> = named.collect();
            let which = if repeats.len() > MAX_NAMED_PAIRS {
                format!(" of the {MAX_NAMED_PAIRS} with the most copies")
            } else {
                String::new()
            };
            let pairs = told(&format!("{} pairs of bots", repeats.len()));
            Some(format!(
                "{pairs} Distinct matches{which}: {}.",
                named.join(", ")
            ))
        }
    }
}
