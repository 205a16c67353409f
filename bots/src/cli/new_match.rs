use dragontooth_games::Seat;
use dragontooth_service_client::{NewMatch, RequestId};

use super::arguments::New;

/// The match that is to be created, if one is, for a bot in this seat.
pub(super) fn new_match(new: &New, own_seat: Seat) -> Option<NewMatch> {
    let (game, target) = (new.game.as_ref()?, new.target?);
    let own = new.time.and_then(|agreement| agreement.0);
    let mut time_controls = [own; 2];
    if let Some(opponent) = new.opponent_time {
        time_controls[own_seat.other().index()] = opponent.0;
    }
    Some(NewMatch {
        variant: new.variant.clone(),
        time_controls,
        seed: new.seed.clone(),
        title: new.title.clone().unwrap_or_default(),
        request_id: Some(RequestId::random()),
        ..NewMatch::new(game, target)
    })
}

/// The seat that a bot takes in a match that it creates.
pub(super) fn own_seat(wanted: Option<Seat>) -> Seat {
    wanted.unwrap_or(Seat::First)
}
