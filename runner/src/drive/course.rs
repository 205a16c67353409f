use std::time::SystemTime;

use dragontooth_games::Seat;
use dragontooth_service_client::{Event, EventKind, MatchId, MatchOutcome, Termination};

use crate::record::{Fault, Played};
use crate::tournament::{self, FaultKind, GameCounts};

/// What has happened in a match, as far as its result needs it.
#[derive(Clone, Debug, Default)]
pub(super) struct Course {
    started: Option<SystemTime>,
    joined: [bool; 2],
    score: [u32; 2],
    games: GameCounts,
    plies: u32,
    end: Option<(MatchOutcome, SystemTime)>,
}

impl Course {
    /// Takes the next event.
    pub(super) fn take(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Created(_) => self.started = Some(event.time),
            EventKind::SeatJoined { seat, .. } => self.joined[seat.index()] = true,
            EventKind::GameStarted { .. }
            | EventKind::TurnPassed { .. }
            | EventKind::Rolled { .. } => {}
            EventKind::ActionPlayed { .. } => self.plies += 1,
            EventKind::GameEnded { outcome, score } => {
                match outcome.winner {
                    Some(seat) => self.games.won[seat.index()] += 1,
                    None => self.games.drawn += 1,
                }
                self.score = Seat::BOTH.map(|seat| score.of(seat));
            }
            EventKind::MatchEnded(outcome) => self.end = Some((*outcome, event.time)),
        }
    }

    /// Whether the player of `seat` has taken it.
    pub(super) const fn has_joined(&self, seat: Seat) -> bool {
        self.joined[seat.index()]
    }

    /// Whether both seats are taken.
    pub(super) const fn is_full(&self) -> bool {
        self.joined[0] && self.joined[1]
    }

    /// The match as it was played, if it is over. Of faults it knows only that a clock ran out.
    pub(super) fn played(&self, match_id: MatchId) -> Option<Played> {
        let (outcome, ended) = self.end?;
        let late = outcome
            .winner
            .filter(|_| outcome.termination == Termination::Timeout);
        let fault = late.map(|winner| Fault {
            seat: winner.other(),
            kind: FaultKind::Time,
            detail: "its clock ran out".to_owned(),
        });
        Some(Played {
            match_id,
            winner: outcome.winner,
            termination: termination(outcome.termination),
            score: self.score,
            games: self.games,
            plies: self.plies,
            faults: fault.into_iter().collect(),
            started: self.started.unwrap_or(ended),
            ended,
        })
    }
}

const fn termination(termination: Termination) -> tournament::Termination {
    match termination {
        Termination::Normal => tournament::Termination::Normal,
        Termination::Timeout => tournament::Termination::Timeout,
        Termination::Resignation => tournament::Termination::Resignation,
        Termination::Aborted => tournament::Termination::Aborted,
        Termination::Disconnect => tournament::Termination::Disconnect,
    }
}
