use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Instant;

use dragontooth_proto::v1;
use dragontooth_service_vocabulary::MatchId;
use v1::match_event::Event;

/// The actions that the service acknowledged, and their fate.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    actions: BTreeMap<MatchId, BTreeMap<u64, String>>,
    asked_again: u64,
    lost: BTreeSet<(MatchId, u64)>,
    doubled: BTreeSet<(MatchId, u64)>,
    timed_out: BTreeSet<MatchId>,
}

/// Records that the service acknowledged an action: it is durable.
#[derive(Clone, Debug)]
pub(super) struct Acknowledged {
    pub(super) match_id: MatchId,
    pub(super) sequence: u64,
    pub(super) action: String,
    /// The time at which its player heard of it.
    pub(super) at: Instant,
}

impl Ledger {
    pub(super) fn acknowledge(&mut self, told: Acknowledged) {
        let of_match = self.actions.entry(told.match_id).or_default();
        let before = of_match.insert(told.sequence, told.action);
        assert_eq!(before, None, "two answers have one place");
    }

    /// Records that actions whose answers a kill had prevented were requested again and granted.
    pub(super) fn acknowledge_again(&mut self, granted: Vec<Acknowledged>) {
        for told in granted {
            self.asked_again += 1;
            self.acknowledge(told);
        }
    }

    /// Compares the actions of a match without pending requests: those that were acknowledged
    /// are there, each once, and no others.
    pub(super) fn compare(&mut self, record: &v1::ExportMatchResponse) {
        let view = record.r#match.as_ref().unwrap();
        let id = view.id.parse().unwrap();
        if let Some(outcome) = &view.outcome
            && outcome.termination() == v1::Termination::Timeout
        {
            self.timed_out.insert(id);
        }
        let of_match = self.actions.entry(id).or_default();
        let mut found = BTreeMap::new();
        for event in &record.events {
            if let Some(Event::ActionPlayed(played)) = &event.event {
                found.insert(event.sequence, &played.action);
            }
        }
        for (sequence, action) in &*of_match {
            if found.get(sequence) != Some(&action) {
                self.lost.insert((id, *sequence));
            }
        }
        for sequence in found.into_keys() {
            if !of_match.contains_key(&sequence) {
                self.doubled.insert((id, sequence));
            }
        }
    }

    /// The matches with an acknowledged action.
    pub(super) fn matches(&self) -> Vec<MatchId> {
        self.actions.keys().copied().collect()
    }

    pub(super) fn assert_balanced(&self) {
        assert!(self.lost.is_empty(), "lost: {:?}", self.lost);
        assert!(self.doubled.is_empty(), "doubled: {:?}", self.doubled);
        assert!(
            self.timed_out.is_empty(),
            "lost on time: {:?}",
            self.timed_out
        );
        assert!(!self.actions.is_empty(), "nothing was played");
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actions: usize = self.actions.values().map(BTreeMap::len).sum();
        write!(
            f,
            "matches {}, actions acknowledged {actions}, requested again {}, lost {}, doubled {}, \
             matches lost on time {}",
            self.actions.len(),
            self.asked_again,
            self.lost.len(),
            self.doubled.len(),
            self.timed_out.len()
        )
    }
}
