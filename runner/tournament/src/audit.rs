use super::statistics::Interval;
use super::{Call, CallRule, Ending, MatchResult, Results, Schedule};
use dragontooth_service_vocabulary::Termination;

/// The calls of one rule in an event, and what became of those that were audited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallAudit {
    /// The rule.
    pub rule: CallRule,
    /// The matches that ended by its call.
    pub adjudicated: u32,
    /// The matches that were played on after its call.
    pub audited: u32,
    /// Those of them that play decided: by the rules or a resignation without a fault.
    pub decided: u32,
    /// Those of the decided ones that ended otherwise than they were called.
    pub wrong: u32,
    /// The actions after the call in the decided ones.
    pub plies_after: u64,
}

impl CallAudit {
    /// The 95 % interval of the share of wrong calls, by Clopper and Pearson.
    #[must_use]
    pub fn wrong_share(&self) -> Interval {
        Interval::clopper_pearson(self.wrong.into(), (self.decided - self.wrong).into())
    }

    /// The mean number of actions after the call in the decided matches; `None` without one.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a double has the actions of all matches exactly"
    )]
    pub fn plies_saved(&self) -> Option<f64> {
        let saved = self.plies_after as f64 / f64::from(self.decided);
        (self.decided > 0).then_some(saved)
    }

    fn of(rule: CallRule) -> Self {
        Self {
            rule,
            adjudicated: 0,
            audited: 0,
            decided: 0,
            wrong: 0,
            plies_after: 0,
        }
    }

    fn add(&mut self, call: &Call, result: &MatchResult) {
        let is_decided = match result.termination {
            Ending::Adjudicated if result.deciding_call().is_some() => {
                self.adjudicated += 1;
                return;
            }
            Ending::By(Termination::Normal) => true,
            Ending::By(Termination::Resignation) => result.faults.is_empty(),
            Ending::Adjudicated
            | Ending::By(
                Termination::Timeout
                | Termination::Aborted
                | Termination::IllegalAction
                | Termination::Disconnect
                | Termination::Expired
                | Termination::Declined,
            ) => false,
        };
        self.audited += 1;
        if is_decided {
            self.decided += 1;
            self.wrong += u32::from(result.winner != call.winner);
            self.plies_after += u64::from(result.plies.saturating_sub(call.ply));
        }
    }
}

/// Returns the calls of an event by their rules, for all rules that it has; empty for an event without
/// adjudication.
#[must_use]
pub fn call_audits(schedule: &Schedule, results: &Results) -> Vec<CallAudit> {
    let Some(terms) = schedule.event().rules().adjudication() else {
        return Vec::new();
    };
    let has = |rule: &CallRule| match rule {
        CallRule::Win => terms.win.is_some(),
        CallRule::Draw => terms.draw.is_some(),
        CallRule::Tables => terms.proof_nodes.is_some(),
    };
    let rules = CallRule::ALL.into_iter().filter(has);
    let mut all: Vec<CallAudit> = rules.map(CallAudit::of).collect();
    for (_, result) in results.with_match(schedule.matches()) {
        if let Some(call) = &result.call
            && let Some(audit) = all.iter_mut().find(|audit| audit.rule == call.rule)
        {
            audit.add(call, result);
        }
    }
    all
}
