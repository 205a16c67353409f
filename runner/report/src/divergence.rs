use std::fmt::Write as _;
use std::time::Duration;

use dragontooth_games::record::{GameRecord, RecordStep};

use super::elapsed::elapsed;

/// The first difference between a replayed match and its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The game, from 1.
    pub game: usize,
    /// The step of the game, from 1; 0 for the position that opens it.
    pub step: usize,
    /// The step in the record; `None` if it ends there.
    pub before: Option<String>,
    /// The step in the replay; `None` if it ends there.
    pub now: Option<String>,
}

impl Divergence {
    /// The first difference of two matches; `None` if they are alike.
    #[must_use]
    pub fn find(before: &[GameRecord], now: &[GameRecord]) -> Option<Self> {
        (0..before.len().max(now.len())).find_map(|at| {
            let (before, now) = (lines(before.get(at)), lines(now.get(at)));
            let steps = 0..before.len().max(now.len());
            let differs = |step: &usize| before.get(*step) != now.get(*step);
            steps.into_iter().find(differs).map(|step| Self {
                game: at + 1,
                step,
                before: before.get(step).cloned(),
                now: now.get(step).cloned(),
            })
        })
    }
}

/// The replay, a line a step, with the duration of each decision. The record's step is shown at the
/// divergence.
#[must_use]
pub fn replayed(
    names: [&str; 2],
    now: &[GameRecord],
    thinking: &[Duration],
    divergence: Option<&Divergence>,
) -> String {
    let mut text = String::new();
    let mut thinking = thinking.iter();
    let mut out = |line: &str| writeln!(text, "{line}").expect("writing to a string does not fail");
    for (number, game) in (1..).zip(now) {
        for (at, line) in lines(Some(game)).iter().enumerate() {
            let mut line = if at == 0 {
                format!("game {number}: {line}")
            } else {
                format!("{at:>4}. {line}")
            };
            if let Some(RecordStep::Action { seat, .. }) =
                at.checked_sub(1).and_then(|at| game.steps.get(at))
            {
                let took = thinking.next().copied().unwrap_or_default();
                let took = elapsed(took.as_secs_f64() * 1e6);
                line = format!("{line:<40} {} {took}", names[seat.index()]);
            }
            out(&line);
            if let Some(divergence) =
                divergence.filter(|divergence| (divergence.game, divergence.step) == (number, at))
            {
                let before = divergence.before.as_deref().unwrap_or("nothing more");
                out(&format!(
                    "      here it diverges from the record, which has: {before}"
                ));
            }
        }
    }
    text
}

/// A game as lines: the position that opens it, its steps, its outcome.
fn lines(game: Option<&GameRecord>) -> Vec<String> {
    let Some(game) = game else {
        return Vec::new();
    };
    let step = |step: &RecordStep| match step {
        RecordStep::Action { seat, action } => format!("{seat:<6} {action}"),
        RecordStep::Pass { seat } => format!("{seat:<6} --"),
        RecordStep::Roll { roll } => format!("roll   {roll}"),
    };
    let outcome = game.outcome.map(|outcome| {
        let winner = outcome
            .winner
            .map_or("nobody".to_owned(), |seat| seat.to_string());
        format!("{winner} wins {}", outcome.points)
    });
    let steps = game.steps.iter().map(step);
    std::iter::once(game.start.clone())
        .chain(steps)
        .chain(outcome)
        .collect()
}
