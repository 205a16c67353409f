//! The lines that the program prints about its matches.

use dragontooth_games::{Seat, counted};
use dragontooth_service_client::MatchView;

use crate::session::{Notice, Summary};

pub(super) fn notice(notice: &Notice) -> String {
    match notice {
        Notice::Connected { player } => format!("connected as player {player}"),
        Notice::Disconnected { reason, pause } => {
            format!(
                "disconnected: {reason}; trying again in {} ms",
                pause.as_millis()
            )
        }
        Notice::Opened(opened) => {
            let (view, seat) = (&opened.view, opened.seat);
            let opponent = match view.seat(seat.other()).name.as_str() {
                "" => "an opponent without a name",
                name => name,
            };
            format!(
                "match {} opened: {}, {seat} seat, against {opponent:?}",
                view.id,
                kind(view)
            )
        }
        Notice::Closed { view, seat } => closed(view, *seat),
        Notice::BotFailed { match_id, failure } => {
            format!("match {match_id}: the bot failed and resigns: {failure}")
        }
    }
}

pub(super) fn created(view: &MatchView) -> String {
    format!(
        "match {} created: {}; the opponent joins it with --match",
        view.id,
        kind(view)
    )
}

pub(super) fn joined(view: &MatchView, seat: Seat) -> String {
    format!("match {} joined: {}, {seat} seat", view.id, kind(view))
}

/// The line for a match that is over; the player's points come first.
pub(super) fn closed(view: &MatchView, seat: Option<Seat>) -> String {
    let own = seat.unwrap_or(Seat::First);
    let score = format!("{}-{}", view.score.of(own), view.score.of(own.other()));
    let Some(outcome) = &view.outcome else {
        return format!("match {} ended: {score}", view.id);
    };
    let result = match outcome.winner {
        Some(winner) if Some(winner) == seat => "won",
        Some(_) => "lost",
        None => "no winner",
    };
    let reason = outcome.reason.as_ref();
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    format!(
        "match {} ended: {result} {score} ({}){reason}",
        view.id, outcome.termination
    )
}

pub(super) fn summary(summary: &Summary) -> String {
    let Summary {
        matches,
        won,
        lost,
        failures,
        ..
    } = summary;
    let failed = match failures {
        0 => String::new(),
        failures => format!(", the bot failed in {failures}"),
    };
    format!("played {matches}: won {won}, lost {lost}{failed}")
}

fn kind(view: &MatchView) -> String {
    let points = counted(view.target, "point");
    format!("{} {} to {points}", view.game, view.variant)
}
