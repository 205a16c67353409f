use dragontooth_games::backgammon::{Action, Position};
use dragontooth_games::{Position as _, Seat};

use super::evaluation::evaluate;
use super::expectimax::{best_ahead, by_looks};
use super::stakes::Stakes;

/// The prospects of a side that has rolled, if the cube is not turned again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outlook {
    /// The chance to win, 0 to 1.
    pub(crate) win: f64,
    /// The mean of its points, a gammon counting two.
    pub(crate) points: f64,
}

impl Outlook {
    /// The positions that are evaluated for a play, one roll ahead: some 20 replies to each of 21 rolls.
    pub(crate) const POSITIONS_A_PLAY: u64 = 420;

    /// The outlook of `seat`, one roll after the best of the plays that look best. `None` if it has no play.
    pub(crate) fn of(position: &Position, seat: Seat, plays: usize) -> Option<Self> {
        let (action, ahead) = best_ahead(position, seat, plays, &|| false)?;
        let chances = ahead.unwrap_or_else(|| {
            let mut next = *position;
            next.play_unchecked(action);
            evaluate(next.board(), seat)
        });
        let [win, gammon, gammon_lost] =
            [chances.win, chances.gammon, chances.gammon_lost].map(f64::from);
        Some(Self {
            win,
            points: 2.0 * win - 1.0 + gammon - gammon_lost,
        })
    }
}

/// The plays that look at most `margin` points worse than the one that looks best, which comes first.
pub(crate) fn sound_plays(position: &Position, seat: Seat, margin: f64) -> Vec<Action> {
    let plays = by_looks(position, seat, &Stakes::new(position, seat));
    let least = plays.first().map_or(0.0, |(best, _)| best - margin);
    let sound = plays.into_iter().take_while(|(value, _)| *value >= least);
    sound.map(|(_, action)| action).collect()
}
