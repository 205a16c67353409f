use std::sync::{Mutex, PoisonError};

use dragontooth_games::{Seat, counted};
use dragontooth_runner_tournament::{Fault, FaultKind, Results, Schedule, ScheduledMatch};

/// The faults of the bots of an event so far, in the order of the event's list.
#[derive(Debug)]
pub(super) struct FaultCounter(Mutex<Vec<u32>>);

impl FaultCounter {
    /// Those in the results so far.
    pub(super) fn of(results: &Results, schedule: &Schedule) -> Self {
        let fault_counter = Self(Mutex::new(vec![0; schedule.event().bots().len()]));
        for (planned, result) in results.with_match(schedule.matches()) {
            fault_counter.add(planned, result.faults.iter().copied());
        }
        fault_counter
    }

    /// Counts the faults of a match.
    pub(super) fn count(&self, planned: &ScheduledMatch, faults: &[Fault]) {
        self.add(planned, faults.iter().map(|fault| (fault.seat, fault.kind)));
    }

    /// The bots of a match that are disabled, because their faults have reached the limit.
    pub(super) fn forfeits(&self, planned: &ScheduledMatch, limit: Option<u32>) -> Vec<Fault> {
        let Some(limit) = limit else {
            return Vec::new();
        };
        let fault_counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let out = |seat: &Seat| fault_counter[planned.bot(*seat).get()] >= limit;
        let forfeit = |seat| Fault {
            seat,
            kind: FaultKind::Disabled,
            detail: format!("it has had {} and plays no more", counted(limit, "fault")),
        };
        Seat::BOTH.into_iter().filter(out).map(forfeit).collect()
    }

    /// Adds faults. A loss of a disabled bot is not another fault of it.
    fn add(&self, planned: &ScheduledMatch, faults: impl Iterator<Item = (Seat, FaultKind)>) {
        let mut fault_counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (seat, kind) in faults {
            if kind != FaultKind::Disabled {
                fault_counter[planned.bot(seat).get()] += 1;
            }
        }
    }
}
