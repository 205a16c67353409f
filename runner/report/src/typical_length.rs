use std::time::Duration;

use dragontooth_service_vocabulary::TimeControl;

/// The targets for which typical lengths were measured.
const TARGETS: [u32; 4] = [1, 3, 7, 15];

/// The mean number of decisions of both seats in a match to these targets, between built-in bots of about
/// the same strength. The runner's documentation has the same table.
const DECISIONS: &[(&str, [u32; 4])] = &[
    ("kamisado", [15, 75, 190, 345]),
    ("linja", [78, 245, 570, 1230]),
    ("tzaar", [50, 205, 545, 1300]),
    ("backgammon", [48, 110, 245, 580]),
];

/// The typical number of decisions of both seats in a match to `target` points; `None` for an unknown game.
/// Interpolated between the measured targets, and proportional beyond them.
#[must_use]
pub fn typical_decisions(game: &str, target: u32) -> Option<u64> {
    let (_, measured) = DECISIONS.iter().find(|(name, _)| *name == game)?;
    let last = TARGETS.len() - 1;
    if target >= TARGETS[last] {
        let scaled = u64::from(measured[last]) * u64::from(target);
        return Some(scaled / u64::from(TARGETS[last]));
    }
    let above = TARGETS.iter().position(|one| *one > target)?;
    let below = above.checked_sub(1)?;
    let [low, high] = [below, above].map(|at| (TARGETS[at], measured[at]));
    let rise = u64::from(high.1 - low.1) * u64::from(target - low.0);
    Some(u64::from(low.1) + rise / u64::from(high.0 - low.0))
}

/// The mean of the longest time that a match with `decisions` takes, if every bot uses all of its own.
/// `clocks` are the time controls of those of the `seats` whose bot has one; `None` if none has.
#[must_use]
pub fn mean_longest_match(
    clocks: impl Iterator<Item = TimeControl>,
    seats: u32,
    decisions: u64,
) -> Option<Duration> {
    // Both seats together, if both had this bot's time.
    let of_two = |control: TimeControl| {
        let decisions = u32::try_from(decisions).unwrap_or(u32::MAX);
        let times = |each: Duration| each.saturating_mul(decisions);
        match control {
            TimeControl::PerAction { limit } => times(limit),
            TimeControl::Fischer { base, increment } => {
                base.saturating_mul(2).saturating_add(times(increment))
            }
            TimeControl::Delay { base, delay } => {
                base.saturating_mul(2).saturating_add(times(delay))
            }
        }
    };
    let all = clocks.map(of_two).reduce(Duration::saturating_add)?;
    Some(all / seats.max(1))
}
