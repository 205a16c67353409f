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
                let line = closed(view, *seat);
                let outcome = view.outcome.as_ref();
                let late = outcome.filter(|outcome| is_late(outcome, *seat));
                let late = late.map(|_| self.overload(view.id, ": its clock ran out"));
                self.0.remove(&view.id);
                return line + &late.unwrap_or_default();
            }
            Notice::BotFailed { match_id, .. } => {
                return notice(told) + &self.overload(*match_id, ",");
            }
            Notice::Connected { .. } | Notice::Disconnected { .. } => {}
        }
        notice(told)
    }

    /// The likely reason for a `loss` in a match, if others took time too.
    fn overload(&self, match_id: MatchId, loss: &str) -> String {
        let others = self.0.iter().filter(|other| **other != match_id).count();
        if others == 0 {
            return String::new();
        }
        let others = counted(others, "other match");
        format!("{loss} while the program played {others}")
    }
}

/// Returns true for a match that the player has lost by its clock.
fn is_late(outcome: &MatchOutcome, seat: Option<Seat>) -> bool {
    outcome.termination == Termination::Timeout && outcome.winner != seat
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
        let id = |number: u32| -> MatchId {
            let text = format!("0190f5fe-7c3a-7d2e-9f5b-{number:012x}");
            text.parse().unwrap()
        };
        for (others, expected) in [
            (0, "no idea"),
            (1, "no idea, while the program played 1 other match"),
            (7, "no idea, while the program played 7 other matches"),
        ] {
            let under_way = || UnderWay((0..=others).map(id).collect());
            let failure = under_way().notice(&Notice::BotFailed {
                match_id: id(0),
                failure: "no idea".to_owned(),
            });
            assert!(failure.ends_with(expected), "{failure}");
            let late = expected.replace("no idea,", ": its clock ran out");
            let late = late.strip_prefix("no idea").unwrap_or(&late);
            let loss = under_way().overload(id(0), ": its clock ran out");
            assert_eq!(loss, late);
        }
        for (winner, termination, expected) in [
            (Seat::Second, Termination::Timeout, true),
            (Seat::First, Termination::Timeout, false),
            (Seat::Second, Termination::Normal, false),
        ] {
            let outcome = MatchOutcome::new(Some(winner), termination);
            assert_eq!(is_late(&outcome, Some(Seat::First)), expected);
        }
    }
}
