use std::collections::{HashMap, HashSet};
use std::path::Path;

use dragontooth_games::Seat;
use dragontooth_runner_tournament::arena::{
    ArenaCounts, ArenaEntry, ArenaRules, ArenaState, Contender,
};
use dragontooth_runner_tournament::{Ending, Event, Leg};
use dragontooth_service_vocabulary::{MatchId, Termination};

use super::match_check::faults;
use super::mismatch::{Disagreement, Mismatch};
use crate::record::{ArenaDigest, ArenaRecord, Fingerprint, JournalError, ScannedLine, scan_arena};

/// The disagreements after which the rest of a journal is not verified.
const MAX_DISAGREEMENTS: usize = 1000;

/// The outcome of verifying an arena.
#[derive(Clone, Debug)]
pub struct ArenaVerification {
    /// The disagreements, in the order of the journal; after those those with the service.
    pub disagreements: Vec<Disagreement>,
    /// The numbers of what was verified.
    pub counts: ArenaCounts,
    /// The bytes of a last line that is cut short.
    pub torn_bytes: u64,
    /// The event digest after the last line.
    pub event_digest: Fingerprint,
    /// The matches that were over when the arena had the given digest; `None` if none was given or it never had it.
    pub published_after: Option<u64>,
    pub(super) state: ArenaState,
    /// The matches, by their ids.
    pub(super) records: HashMap<MatchId, PlacedRecord>,
    /// The matches that have a line.
    pub(super) legs: HashSet<(u64, Leg)>,
}

/// A match that is over, and its line.
#[derive(Clone, Debug)]
pub(super) struct PlacedRecord {
    /// The file, the line and the title of the match.
    pub(super) place: String,
    pub(super) record: ArenaRecord,
    /// The contenders by seat.
    pub(super) seated: [Contender; 2],
}

/// Reads the journal of the arena `event` in a folder, and computes all again that follows from it: the chain of its
/// lines, the order of its entries, and what each result has to be by the rules of the event. If a digest is given, the
/// arena must have had it. The folder is neither locked nor changed, so that an arena in progress can be verified.
///
/// # Errors
///
/// A file cannot be read, or a segment is missing.
pub fn verify_arena(
    folder: &Path,
    event: &Event,
    rules: ArenaRules,
    digest: Option<Fingerprint>,
) -> Result<ArenaVerification, JournalError> {
    let digests = ArenaDigest::of(folder)?;
    let mut check = ArenaCheck {
        event,
        before: "the beginning".to_owned(),
        found: ArenaVerification {
            disagreements: Vec::new(),
            counts: ArenaCounts::default(),
            torn_bytes: 0,
            event_digest: digests.after(Fingerprint::NONE),
            published_after: None,
            state: ArenaState::new(rules),
            records: HashMap::new(),
            legs: HashSet::new(),
        },
    };
    let mut head = Fingerprint::NONE;
    let is_published = |head| digest.is_some_and(|digest| digests.after(head) == digest);
    if is_published(head) {
        check.found.published_after = Some(0);
    }
    let torn_bytes = scan_arena(folder, |line| {
        head = line.hash;
        let goes_on = check.take(line);
        if is_published(head) {
            check.found.published_after = Some(check.found.state.counts().matches);
        }
        goes_on
    })?;
    let mut found = check.found;
    found.torn_bytes = torn_bytes;
    found.counts = found.state.counts();
    found.event_digest = digests.after(head);
    if let (Some(digest), None) = (digest, found.published_after) {
        found.disagreements.push(Disagreement {
            place: "the event digest".to_owned(),
            mismatch: Mismatch::ArenaDigest(digest),
        });
    }
    Ok(found)
}

/// A journal while it is checked.
struct ArenaCheck<'a> {
    event: &'a Event,
    /// The line before the next one.
    before: String,
    found: ArenaVerification,
}

impl ArenaCheck<'_> {
    /// Takes the next line; returns false if the rest cannot be verified.
    fn take(&mut self, line: ScannedLine) -> bool {
        let ScannedLine {
            place,
            content,
            is_chained,
            ..
        } = line;
        let (entry, record) = match content {
            Ok(content) => content,
            Err(fault) => return self.give_up(place, Mismatch::Result(fault)),
        };
        let (encounter, leg) = match &entry {
            ArenaEntry::Paired { encounter, .. } => (*encounter, None),
            ArenaEntry::Ended { encounter, leg, .. } => (*encounter, Some(*leg)),
        };
        let slot = leg.map_or_else(String::new, |leg| format!("/m{}", leg.number()));
        let place = format!("{place} ({}/e{encounter}{slot})", self.event.name());
        let before = std::mem::replace(&mut self.before, place.clone());
        if !is_chained {
            self.disagree(place.clone(), Mismatch::Chain { before });
        }
        let missing = self.found.state.missing_legs(encounter);
        let contenders = missing.map(|(contenders, _)| contenders.map(Clone::clone));
        if let Err(fault) = self.found.state.apply(&entry) {
            return self.give_up(place, Mismatch::Result(fault.into()));
        }
        if let (Some(record), Some(mut seated)) = (record, contenders) {
            if record.leg == Leg::Two {
                seated.swap(0, 1);
            }
            for mismatch in self.impossible(&record) {
                self.disagree(place.clone(), mismatch);
            }
            let id = record.match_id;
            self.found.legs.insert((record.encounter, record.leg));
            let placed = PlacedRecord {
                place: place.clone(),
                record,
                seated,
            };
            if let Some(first) = self.found.records.insert(id, placed) {
                let before = first.place.clone();
                self.found.records.insert(id, first);
                self.disagree(place.clone(), Mismatch::SameMatch { id, before });
            }
        }
        if self.found.disagreements.len() >= MAX_DISAGREEMENTS {
            self.disagree(place, Mismatch::Unread);
            return false;
        }
        true
    }

    fn disagree(&mut self, place: String, mismatch: Mismatch) {
        let disagreement = Disagreement { place, mismatch };
        self.found.disagreements.push(disagreement);
    }

    /// Reports a line without which the rest cannot be understood.
    fn give_up(&mut self, place: String, mismatch: Mismatch) -> bool {
        self.disagree(place.clone(), mismatch);
        self.disagree(place, Mismatch::Unread);
        false
    }

    /// The contradictions between what a line says of a match and the rules of the event.
    fn impossible(&self, record: &ArenaRecord) -> Vec<Mismatch> {
        let rules = self.event.rules();
        let (winner, ending) = (record.result.winner, record.result.termination);
        let [first, second] = record.score;
        let who = winner.map_or_else(|| "nobody".to_owned(), |seat| seat.to_string());
        let mut faulty = Vec::new();
        let mut refuse = |is_wrong: bool, why: String| {
            if is_wrong {
                faulty.push(Mismatch::Impossible(why));
            }
        };
        let needs_winner = matches!(
            ending,
            Ending::By(
                Termination::Timeout | Termination::Resignation | Termination::IllegalAction
            )
        );
        let is_called_off = matches!(
            ending,
            Ending::By(Termination::Aborted | Termination::Expired | Termination::Declined)
        );
        refuse(
            winner.map_or(needs_winner, |_| is_called_off),
            format!("the winner is {who}, and its termination is {ending}"),
        );
        let is_normal = ending == Ending::By(Termination::Normal);
        let leader = match first.cmp(&second) {
            std::cmp::Ordering::Greater => Some(Seat::First),
            std::cmp::Ordering::Less => Some(Seat::Second),
            std::cmp::Ordering::Equal => None,
        };
        refuse(
            is_normal && leader != winner,
            format!("the winner is {who}, and the score is {first}-{second}"),
        );
        if !rules.are_for_money() {
            let target = rules.target();
            let reached = record
                .score
                .iter()
                .filter(|score| **score >= target)
                .count();
            let due = usize::from(is_normal && winner.is_some());
            refuse(
                reached != due,
                format!(
                    "the score is {first}-{second} of {target}, and its termination is {ending}"
                ),
            );
        }
        let plies = record.plies;
        if let Some(most) = rules.max_plies() {
            refuse(
                plies > most,
                format!("it has {plies} plies, and the event allows {most}"),
            );
        }
        refuse(
            ending == Ending::Adjudicated && (winner.is_some() || rules.max_plies() != Some(plies)),
            format!(
                "it was drawn at the limit of plies, the winner is {who}, and it has {plies} plies"
            ),
        );
        refuse(
            record.result.moves.is_none() && (is_normal || plies > 0),
            "it has no digest of what was played".to_owned(),
        );
        let [started, ended] = &record.times;
        refuse(
            ended < started,
            format!("it ended at {ended}, before it began at {started}"),
        );
        let faults_of: Vec<_> = (record.result.faults.iter())
            .map(|fault| (fault.seat, fault.kind))
            .collect();
        faulty.extend(faults(&faults_of, ending, winner));
        faulty
    }
}
