use dragontooth_games::Seat;

use super::{Decided, go_on::go_on, is_over};
use crate::{Event, MatchState, PlayerId, PlayerName, Rejection, Timestamp};

/// Gives `player` a seat, and lets the play begin when both are taken.
pub(super) fn join(
    state: &MatchState,
    player: PlayerId,
    wanted: Option<Seat>,
    name: &PlayerName,
    now: Timestamp,
) -> Result<Decided, Rejection> {
    if let Some(held) = state.seat_of(player) {
        return if wanted.is_none_or(|seat| seat == held) {
            Ok(Decided::Events(Vec::new()))
        } else {
            Err(Rejection::OtherSeatHeld(held))
        };
    }
    if is_over(state, now) {
        return Err(Rejection::Ended);
    }
    let seat = free_seat(state, player, wanted)?;
    let mut events = vec![Event::SeatJoined {
        seat,
        player,
        name: name.clone(),
    }];
    if state.seated(seat.other()).is_some() {
        go_on(state, state.play_clone(), &mut events);
    }
    Ok(Decided::Events(events))
}

fn free_seat(
    state: &MatchState,
    player: PlayerId,
    wanted: Option<Seat>,
) -> Result<Seat, Rejection> {
    let keeper = |seat: Seat| state.created().reserved[seat.index()];
    let is_free = |seat: &Seat| state.seated(*seat).is_none();
    let may_take = |seat: &Seat| keeper(*seat).is_none_or(|kept_for| kept_for == player);
    if let Some(seat) = wanted {
        return if !is_free(&seat) {
            Err(Rejection::SeatTaken(seat))
        } else if may_take(&seat) {
            Ok(seat)
        } else {
            Err(Rejection::SeatReserved(seat))
        };
    }
    let kept = Seat::BOTH
        .into_iter()
        .find(|seat| keeper(*seat) == Some(player));
    let open = || {
        Seat::BOTH
            .into_iter()
            .find(|seat| is_free(seat) && may_take(seat))
    };
    kept.filter(is_free).or_else(open).ok_or_else(|| {
        if state.is_full() {
            Rejection::SeatsTaken
        } else {
            Rejection::SeatsReserved
        }
    })
}
