//! The lines that the program prints about its matches.

use std::collections::HashSet;

use dragontooth_games::{Seat, counted};
use dragontooth_service_client::MatchView;
use dragontooth_service_vocabulary::{MatchId, MatchOutcome, Termination};

use crate::session::{Notice, Summary};

/// The matches that are under way, for the lines about them.
#[derive(Debug, Default)]
pub(super) struct UnderWay(HashSet<MatchId>);

impl UnderWay {
    /// The line for a notice.
    pub(super) fn notice(&mut self, told: &Notice) -> String {
        match told {
            Notice::Opened(opened) => {
                self.0.insert(opened.view.id);
            }
            Notice::Closed { view, seat } => {
                self.0.remove(&view.id);
                let late = view.outcome.as_ref();
                let late = late.map(|outcome| overload(outcome, *seat, self.0.len() as u64));
                return closed(view, *seat) + &late.unwrap_or_default();
            }
            Notice::Connected { .. } | Notice::Disconnected { .. } | Notice::BotFailed { .. } => {}
        }
        notice(told)
    }
}

/// The likely reason for which a clock ran out, if `others` matches took time too.
fn overload(outcome: &MatchOutcome, seat: Option<Seat>, others: u64) -> String {
    let is_late = outcome.termination == Termination::Timeout && outcome.winner != seat;
    if !is_late || others == 0 {
        return String::new();
    }
    let others = counted(others, "other match");
    format!(": its clock ran out while the program played {others}")
}

fn notice(notice: &Notice) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_too_many_matches_reads_why_it_loses() {
        let of = |winner, termination, others| {
            let outcome = MatchOutcome::new(Some(winner), termination);
            overload(&outcome, Some(Seat::First), others)
        };
        assert_eq!(
            of(Seat::Second, Termination::Timeout, 7),
            ": its clock ran out while the program played 7 other matches"
        );
        assert_eq!(
            of(Seat::Second, Termination::Timeout, 1),
            ": its clock ran out while the program played 1 other match"
        );
        for (winner, termination, others) in [
            (Seat::Second, Termination::Timeout, 0),
            (Seat::First, Termination::Timeout, 7),
            (Seat::Second, Termination::Normal, 7),
        ] {
            assert_eq!(of(winner, termination, others), "");
        }
    }
}
