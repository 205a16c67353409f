use dragontooth_games::catalogue;
use dragontooth_games::chance::Seed;
use dragontooth_service_vocabulary::{Created, MatchEvent, MatchId, MatchSeed, NewMatch, PlayerId};

use crate::Rejection;

/// Returns the first event of a new match that `creator` creates. Without a creator's seed it uses the drawn one.
///
/// # Errors
///
/// The catalogue has no such game, the game no such variant or target, no match begins with the opening, or
/// both seats are reserved for one player.
///
/// # Panics
///
/// If a time control has not been checked.
pub fn create(
    new: &NewMatch,
    creator: PlayerId,
    id: MatchId,
    drawn: &Seed,
) -> Result<MatchEvent, Rejection> {
    let game = catalogue::find(&new.game).map_err(Rejection::UnknownGame)?;
    let mut play = game
        .new_match(new.variant.as_deref(), new.target)
        .map_err(Rejection::Setup)?;
    let opening = play
        .open_with(&new.opening, None)
        .map_err(Rejection::Opening)?;
    if new.reserved[0].is_some() && new.reserved[0] == new.reserved[1] {
        return Err(Rejection::BothSeats);
    }
    for control in new.time_controls.into_iter().flatten() {
        control
            .check()
            .expect("the caller has checked the time controls");
    }
    Ok(MatchEvent::Created(Box::new(Created {
        id,
        game: new.game.clone(),
        variant: play.variant().to_owned(),
        target: new.target,
        time_controls: new.time_controls,
        seed: new
            .seed
            .clone()
            .map_or_else(|| MatchSeed::Drawn(drawn.clone()), MatchSeed::Shared),
        title: new.title.clone(),
        creator,
        reserved: new.reserved,
        audience: new.audience,
        disconnect_grace: new.disconnect_grace,
        illegal_action_limit: new.illegal_action_limit,
        join_timeout: new.join_timeout,
        opening,
        request_id: new.request_id.clone(),
    })))
}
