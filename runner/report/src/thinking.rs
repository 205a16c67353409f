use std::collections::BTreeMap;
use std::time::Duration;

use dragontooth_games::record::MatchRecord;
use serde::Serialize;

use super::thoughts::of_actions;

/// The most matches whose decisions are looked at.
pub const MAX_TIMED_MATCHES: usize = 10_000;

/// The durations of the bots' decisions, from the transcripts.
#[derive(Clone, Debug, Default)]
pub struct ThinkingTime {
    matches: usize,
    by_bot: BTreeMap<String, Decisions>,
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
    /// The positions a second of its own clock, over the decisions for which it sent both; `None` without any.
    pub nodes_per_second: Option<f64>,
    /// The mean depth of those for which it sent one, in plies; `None` without any.
    pub mean_depth: Option<f64>,
}

/// The decisions of a bot.
#[derive(Clone, Debug, Default)]
struct Decisions {
    /// The time that each took, in microseconds.
    times_us: Vec<u64>,
    /// The positions that it looked at in a time, and that time.
    nodes: u64,
    nodes_time: Duration,
    /// The sum of the depths, and their number.
    depths: u64,
    depths_sent: u32,
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
        for ((_, seat, thinking), time_us) in of_actions(record).zip(thinking_us) {
            let bot = &record.players[seat.index()];
            let decisions = match self.by_bot.get_mut(bot) {
                Some(decisions) => decisions,
                None => self.by_bot.entry(bot.clone()).or_default(),
            };
            decisions.times_us.push(*time_us);
            let Some(thinking) = thinking else { continue };
            if let (Some(nodes), Some(time)) = (thinking.nodes, thinking.time()) {
                decisions.nodes = decisions.nodes.saturating_add(nodes);
                decisions.nodes_time = decisions.nodes_time.saturating_add(time);
            }
            if let Some(depth) = thinking.depth {
                decisions.depths += u64::from(depth);
                decisions.depths_sent += 1;
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
        let times = self.by_bot.values().flat_map(|bot| &bot.times_us);
        times.copied().collect()
    }

    /// The bots by name.
    #[must_use]
    pub fn lines(&self) -> Vec<ThinkingLine> {
        let lines = self.by_bot.iter();
        lines
            .filter_map(|(bot, decisions)| line(bot, decisions))
            .collect()
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "times are shown in milliseconds, and means with few digits"
)]
fn line(bot: &str, decisions: &Decisions) -> Option<ThinkingLine> {
    let mut sorted = decisions.times_us.clone();
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
        nodes_per_second: (!decisions.nodes_time.is_zero())
            .then(|| decisions.nodes as f64 / decisions.nodes_time.as_secs_f64()),
        mean_depth: (decisions.depths_sent > 0)
            .then(|| decisions.depths as f64 / f64::from(decisions.depths_sent)),
    })
}
