use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::Timestamp;

/// The times at which the players of a match were last heard from.
///
/// A player with an open stream is present. Any other is away from the moment of its last call or the end
/// of its stream. Before the match begins or is resumed no player can be away.
#[derive(Clone, Copy, Debug)]
pub(super) struct Presence {
    grace: Duration,
    last_seen: [Timestamp; 2],
}

/// A seat whose grace is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GraceOver {
    pub(super) seat: Seat,
    pub(super) opponent_away: bool,
}

impl Presence {
    pub(super) const fn new(grace: Duration, begun: Timestamp) -> Self {
        Self {
            grace,
            last_seen: [begun; 2],
        }
    }

    /// The player of `seat` was there at `time`.
    pub(super) fn note(&mut self, seat: Seat, time: Timestamp) {
        let seen = &mut self.last_seen[seat.index()];
        *seen = time.max(*seen);
    }

    /// The times at which each seat loses the match, by [`Seat::index`]; `None` for seats that have a stream.
    pub(super) fn forfeits(&self, has_stream: [bool; 2]) -> [Option<Timestamp>; 2] {
        Seat::BOTH.map(|seat| {
            let is_away = !has_stream[seat.index()];
            is_away.then(|| self.last_seen[seat.index()].after(self.grace))
        })
    }

    /// The seat whose grace is over first, if one is at `now`.
    ///
    /// The opponent counts as away if it has no stream either and was not heard of for half of the
    /// grace: so a network that breaks down for both makes no winner.
    pub(super) fn grace_over(&self, has_stream: [bool; 2], now: Timestamp) -> Option<GraceOver> {
        let forfeits = self.forfeits(has_stream);
        let over = |seat: &Seat| forfeits[seat.index()].is_some_and(|time| time <= now);
        let first = |seat: &Seat| forfeits[seat.index()];
        let seat = Seat::BOTH.into_iter().filter(over).min_by_key(first)?;
        let opponent = seat.other().index();
        let silence = now.since(self.last_seen[opponent]);
        Some(GraceOver {
            seat,
            opponent_away: !has_stream[opponent] && silence >= self.grace / 2,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRACE: Duration = Duration::from_secs(10);

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    const fn over(seat: Seat, opponent_away: bool) -> GraceOver {
        GraceOver {
            seat,
            opponent_away,
        }
    }

    #[test]
    fn nobody_with_a_stream_is_away() {
        let presence = Presence::new(GRACE, at(0));
        assert_eq!(presence.forfeits([true, true]), [None, None]);
        assert_eq!(presence.grace_over([true, true], at(1000)), None);
    }

    #[test]
    fn the_grace_runs_from_when_a_player_was_last_heard_of() {
        let mut presence = Presence::new(GRACE, at(0));
        presence.note(Seat::Second, at(7));
        presence.note(Seat::Second, at(3));
        assert_eq!(presence.forfeits([true, false]), [None, Some(at(17))]);
        assert_eq!(presence.grace_over([true, false], at(16)), None);
        let lost = Some(over(Seat::Second, false));
        assert_eq!(presence.grace_over([true, false], at(17)), lost);
    }

    #[test]
    fn when_both_are_away_nobody_has_won() {
        let mut presence = Presence::new(GRACE, at(0));
        presence.note(Seat::Second, at(5));
        let both = Some(over(Seat::First, true));
        assert_eq!(presence.grace_over([false, false], at(10)), both);
        presence.note(Seat::Second, at(6));
        let one = Some(over(Seat::First, false));
        assert_eq!(presence.grace_over([false, false], at(10)), one);
    }
}
