use std::collections::BTreeMap;

use dragontooth_games::record::{MatchRecord, RecordStep};
use serde::Serialize;

/// The most matches whose decisions are looked at.
pub const MAX_TIMED_MATCHES: usize = 10_000;

/// The durations of the bots' decisions, from the transcripts.
#[derive(Clone, Debug, Default)]
pub struct ThinkingTime {
    matches: usize,
    by_bot: BTreeMap<String, Vec<u64>>,
}

/// The durations of a bot's decisions, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThinkingLine {
    /// The bot.
    pub bot: String,
    /// The number of its decisions.
    pub decisions: usize,
    /// The shortest: at least the round trip.
    pub shortest_ms: f64,
    /// Half of them were not longer.
    pub median_ms: f64,
    /// All of them together by their number.
    pub mean_ms: f64,
    /// 99 of 100 were not longer.
    pub percentile_99_ms: f64,
    /// The longest.
    pub longest_ms: f64,
}

impl ThinkingTime {
    /// Returns true if it has the decisions of [`MAX_TIMED_MATCHES`], and takes no others.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.matches >= MAX_TIMED_MATCHES
    }

    /// Adds the decisions of a match, if there is room: how long each took in microseconds, in the order of
    /// the record.
    pub fn add(&mut self, record: &MatchRecord, thinking_us: &[u64]) {
        if self.is_full() {
            return;
        }
        self.matches += 1;
        let steps = record.games.iter().flat_map(|game| &game.steps);
        let seats = steps.filter_map(|step| match step {
            RecordStep::Action { seat, .. } => Some(*seat),
            RecordStep::Pass { .. } | RecordStep::Roll { .. } => None,
        });
        for (seat, time_us) in seats.zip(thinking_us) {
            let bot = &record.players[seat.index()];
            if let Some(times) = self.by_bot.get_mut(bot) {
                times.push(*time_us);
            } else {
                self.by_bot.insert(bot.clone(), vec![*time_us]);
            }
        }
    }

    /// The matches whose decisions are in it.
    #[must_use]
    pub const fn matches(&self) -> usize {
        self.matches
    }

    /// All times, in microseconds.
    #[must_use]
    pub fn times_us(&self) -> Vec<u64> {
        self.by_bot.values().flatten().copied().collect()
    }

    /// The bots by name.
    #[must_use]
    pub fn lines(&self) -> Vec<ThinkingLine> {
        let lines = self.by_bot.iter();
        lines.filter_map(|(bot, times)| line(bot, times)).collect()
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "times are shown in milliseconds"
)]
fn line(bot: &str, times_us: &[u64]) -> Option<ThinkingLine> {
    let mut sorted = times_us.to_vec();
    sorted.sort_unstable();
    let ms = |us: u64| us as f64 / 1000.0;
    // The least time that is not below this share of them, in percent.
    let percentile = |percent: usize| sorted[(sorted.len() * percent).div_ceil(100) - 1];
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    let sum: f64 = sorted.iter().map(|time| ms(*time)).sum();
    Some(ThinkingLine {
        bot: bot.to_owned(),
        decisions: sorted.len(),
        shortest_ms: ms(first),
        median_ms: ms(percentile(50)),
        mean_ms: sum / sorted.len() as f64,
        percentile_99_ms: ms(percentile(99)),
        longest_ms: ms(last),
    })
}
