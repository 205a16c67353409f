use std::collections::BTreeMap;

use dragontooth_games::Seat;
use dragontooth_games::record::{MatchRecord, RecordStep, Thinking, ValueUnit};

/// The difference of two chances from which the players disagree.
pub(super) const DISAGREEMENT: f64 = 0.2;

/// The thoughts of both players of a match, from the view of the first seat.
#[derive(Clone, Debug, Default)]
pub(super) struct Thoughts {
    /// The values, in order.
    pub(super) values: Vec<Thought>,
    /// The stretches of actions of a game, first to last, during which the values of both lay more than
    /// [`DISAGREEMENT`] apart.
    pub(super) disagreements: Vec<[usize; 2]>,
    /// For each game, the action from which on the mean of both favoured the same side to the end, if it changed.
    pub(super) turns: Vec<usize>,
}

/// The value of an action.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thought {
    /// The number of the action in the match, from 0.
    pub(super) action: usize,
    /// The number of the game, from 0.
    pub(super) game: usize,
    /// The seat that acted.
    pub(super) seat: Seat,
    /// The chances of the first seat, from 0 to 1. Points are scaled by the greatest amount in the match.
    pub(super) chances: f64,
}

/// The values of both seats at an action of a game.
struct Pair {
    action: usize,
    game: usize,
    chances: [f64; 2],
}

impl Thoughts {
    /// The thoughts of a record; empty if nobody sent a value.
    pub(super) fn of(record: &MatchRecord) -> Self {
        let values = values(record);
        let pairs = pairs(&values);
        Self {
            disagreements: disagreements(&pairs),
            turns: turns(&pairs),
            values,
        }
    }
}

/// The thoughts about each action of a record, with the number of its game and its seat.
pub(super) fn of_actions(
    record: &MatchRecord,
) -> impl Iterator<Item = (usize, Seat, Option<&Thinking>)> {
    record.games.iter().enumerate().flat_map(|(number, game)| {
        let steps = game.steps.iter().enumerate();
        steps.filter_map(move |(index, step)| match step {
            RecordStep::Action { seat, .. } => Some((number, *seat, game.thinking.get(&index))),
            RecordStep::Pass { .. } | RecordStep::Roll { .. } => None,
        })
    })
}

/// The values in one unit: chances, or points if there are no chances.
fn values(record: &MatchRecord) -> Vec<Thought> {
    let valued = of_actions(record).enumerate();
    let valued = valued.filter_map(|(action, (game, seat, thinking))| {
        Some((action, game, seat, thinking?.value?))
    });
    let valued: Vec<_> = valued.collect();
    let has_chances = |(.., value): &(usize, usize, Seat, _)| is_chances(*value);
    let unit = if valued.iter().any(has_chances) {
        ValueUnit::WinProbability
    } else {
        ValueUnit::Points
    };
    let of_unit = valued.iter().filter(|(.., value)| value.unit() == unit);
    let greatest = of_unit.clone().map(|(.., value)| value.get().abs());
    let greatest = greatest.fold(1e-6, f64::max);
    let thoughts = of_unit.map(|(action, game, seat, value)| {
        let own = match unit {
            ValueUnit::WinProbability => value.get(),
            ValueUnit::Points => 0.5 + value.get() / greatest / 2.0,
        };
        Thought {
            action: *action,
            game: *game,
            seat: *seat,
            chances: match seat {
                Seat::First => own,
                Seat::Second => 1.0 - own,
            },
        }
    });
    thoughts.collect()
}

fn is_chances(value: dragontooth_games::record::ThinkingValue) -> bool {
    value.unit() == ValueUnit::WinProbability
}

/// The latest values of both seats at each value, within a game.
fn pairs(values: &[Thought]) -> Vec<Pair> {
    let mut latest: [Option<Thought>; 2] = [None, None];
    let pairs = values.iter().filter_map(|thought| {
        latest[thought.seat.index()] = Some(*thought);
        let [Some(first), Some(second)] = latest else {
            return None;
        };
        (first.game == second.game).then_some(Pair {
            action: thought.action,
            game: thought.game,
            chances: [first.chances, second.chances],
        })
    });
    pairs.collect()
}

fn disagreements(pairs: &[Pair]) -> Vec<[usize; 2]> {
    let mut stretches: Vec<[usize; 2]> = Vec::new();
    // The game of the last stretch while it goes on.
    let mut open: Option<usize> = None;
    for pair in pairs {
        let is_open = open == Some(pair.game);
        if let (true, Some(last)) = (is_open, stretches.last_mut()) {
            last[1] = pair.action;
        }
        let disagree = (pair.chances[0] - pair.chances[1]).abs() > DISAGREEMENT;
        if disagree && !is_open {
            stretches.push([pair.action; 2]);
        }
        open = disagree.then_some(pair.game);
    }
    stretches
}

fn turns(pairs: &[Pair]) -> Vec<usize> {
    /// The side that is ahead in a game, and the action since which it is, if it was behind before.
    type Lead = (bool, Option<usize>);
    let mut games: BTreeMap<usize, Lead> = BTreeMap::new();
    for pair in pairs {
        let lead = pair.chances[0] + pair.chances[1] - 1.0;
        if lead.abs() < 1e-9 {
            continue;
        }
        let is_first = lead > 0.0;
        let known = games.entry(pair.game).or_insert((is_first, None));
        if known.0 != is_first {
            *known = (is_first, Some(pair.action));
        }
    }
    games.into_values().filter_map(|(_, turn)| turn).collect()
}
