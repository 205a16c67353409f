//! Decides the loser of a match that is over, and the fault.

use std::sync::atomic::Ordering;

use dragontooth_games::Seat;
use dragontooth_runner_tournament::{Ending, Fault, FaultKind};
use dragontooth_service_vocabulary::Termination;

use super::WatchedMatch;
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
            (Ending::By(Termination::Aborted), _) => self.judge_aborted(&mut played),
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

    /// The loser of an aborted match: the bot that aborted it, or the one that forfeits.
    /// If it is both, a bot that played no more before loses to one that only did not come; otherwise
    /// neither does.
    fn judge_aborted(&self, played: &mut Played) {
        if !self.called_off {
            if let Some(seat) = self.aborted_by {
                played.winner = Some(seat.other());
                played.termination = Ending::By(Termination::Disconnect);
                played.faults.push(Fault {
                    seat,
                    kind: FaultKind::Abort,
                    detail: "it called the match off".to_owned(),
                });
            }
            return;
        }
        let faults = self.forfeits.iter().flatten();
        let faults: Vec<Fault> = faults.map(|forfeit| forfeit.fault.clone()).collect();
        let loser = match (&faults[..], self.out) {
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
