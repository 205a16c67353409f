//! Decides the loser of a match that is over, and the fault.

use std::sync::atomic::Ordering;

use dragontooth_games::Seat;
use dragontooth_runner_tournament::{Ending, Fault, FaultKind};
use dragontooth_service_vocabulary::{MatchOutcome, Termination};

use super::{ABSENT, WatchedMatch};
use crate::record::Played;

/// Added to a timeout if the bot may never have connected.
pub(super) const UNSEEN: &str = "; it has done nothing since the runner was started";

impl WatchedMatch<'_> {
    /// Adds the facts that the service does not know: why a match was resigned or aborted.
    pub(super) fn with_faults(&self, mut played: Played) -> Played {
        match (played.termination, played.winner) {
            (Ending::By(Termination::Resignation), Some(winner)) => {
                let told = played.faults.pop();
                played.faults.extend(self.fault_of(winner.other(), told));
            }
            (Ending::By(Termination::Aborted | Termination::Declined), _) => {
                self.judge_aborted(&mut played);
            }
            (Ending::By(Termination::Expired), _) => self.judge_expired(&mut played),
            (Ending::By(Termination::Timeout), Some(winner)) => {
                let loser = winner.other();
                if !self.player(loser).seen.load(Ordering::Relaxed) {
                    for fault in played.faults.iter_mut().filter(|own| own.seat == loser) {
                        fault.detail.push_str(UNSEEN);
                    }
                }
            }
            (
                Ending::By(
                    Termination::Normal
                    | Termination::Timeout
                    | Termination::Resignation
                    | Termination::IllegalAction
                    | Termination::Disconnect,
                )
                | Ending::Adjudicated,
                _,
            ) => {}
        }
        played
    }

    /// The fault of the bot that called the match off, or declined it. An operator, who gives a reason when aborting,
    /// commits none.
    pub(super) fn desertion_in(&self, outcome: &MatchOutcome) -> Option<Fault> {
        let seat = self.seat_of(outcome.aborted_by?)?;
        let is_declined = outcome.termination == Termination::Declined;
        let detail = match &outcome.reason {
            Some(reason) if is_declined => format!("it declined the match: {reason}"),
            None if is_declined => "it declined the match".to_owned(),
            Some(_) => return None,
            None => "it called the match off".to_owned(),
        };
        let kind = FaultKind::Abort;
        Some(Fault { seat, kind, detail })
    }

    /// The loser of a match that was called off: the bot that did so, or the one that forfeits.
    fn judge_aborted(&self, played: &mut Played) {
        let faults = if self.called_off {
            let forfeits = self.forfeits.iter().flatten();
            forfeits.map(|forfeit| forfeit.fault.clone()).collect()
        } else {
            self.desertion.iter().cloned().collect()
        };
        self.charge(played, faults);
    }

    /// The loser of a match that expired: the bot that did not take its seat. If the match had expired before the
    /// runner came back to it, neither did anything wrong.
    fn judge_expired(&self, played: &mut Played) {
        if self.known >= self.last {
            return;
        }
        let fault = |seat: Seat| match &self.forfeits[seat.index()] {
            Some(forfeit) => Some(forfeit.fault.clone()),
            None => (!self.progress.has_joined(seat)).then(|| Fault {
                seat,
                kind: FaultKind::Stall,
                detail: format!("{ABSENT} before the match expired"),
            }),
        };
        self.charge(played, Seat::BOTH.into_iter().filter_map(fault).collect());
    }

    /// Charges a match without a winner to the bot with a fault. If both have one, a bot that played no more before
    /// loses to one that only did not come; otherwise neither does.
    fn charge(&self, played: &mut Played, faults: Vec<Fault>) {
        let loser = match (&faults[..], self.out) {
            ([], _) => None,
            ([fault], _) => Some(fault.seat),
            (_, [true, false]) => Some(Seat::First),
            (_, [false, true]) => Some(Seat::Second),
            (_, [true, true] | [false, false]) => None,
        };
        if let Some(loser) = loser {
            played.winner = Some(loser.other());
            played.termination = Ending::By(Termination::Disconnect);
        }
        played.faults.extend(faults);
    }

    /// The fault for which `seat` resigned; the service reports `told`. A bot that was disabled before
    /// loses by that, even if it resigned first.
    fn fault_of(&self, seat: Seat, told: Option<Fault>) -> Option<Fault> {
        if let Some(forfeit) = &self.forfeits[seat.index()]
            && (forfeit.resigned == Some(true) || self.out[seat.index()])
        {
            return Some(forfeit.fault.clone());
        }
        let faults = self.player(seat).engine_faults.as_ref();
        let of_engine = faults.and_then(|faults| faults.of(self.id));
        let of_engine = of_engine.map(|(kind, detail)| Fault { seat, kind, detail });
        of_engine.or(told)
    }
}
