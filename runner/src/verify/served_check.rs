use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use dragontooth_games::record::opening_text;
use dragontooth_runner_tournament::arena::{ArenaRules, Contender};
use dragontooth_runner_tournament::{Ending, FaultKind, Leg, Name, Verdict};
use dragontooth_service_client::MatchView;
use dragontooth_service_vocabulary::{MatchId, PlayerId, Termination};
use futures::{StreamExt, TryStreamExt, stream};
use humantime::parse_rfc3339;

use super::arena_check::{ArenaVerification, PlacedRecord, verify_arena};
use super::mismatch::{Disagreement, Mismatch};
use crate::adjudicator::EarlyEnd;
use crate::config::{Remote, RunConfig};
use crate::drive::{MAX_TAKEN, RunError, ServedMatches};
use crate::record::{ArenaRecord, JournalError, Played, RunDraws, RunFolder, Transcript, rfc3339};

/// Matches that are read from the service at the same time.
const AT_ONCE: usize = 16;
/// Matches on the service without a line that are listed; of the others the number is given.
const MAX_UNRECORDED: usize = 20;
/// An arena records a match at most this much later than one that ended after it.
const SETTLES_WITHIN: Duration = Duration::from_mins(1);

/// The outcome of comparing an arena with its service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServedCheck {
    /// The matches that were compared.
    pub compared: usize,
    /// The matches that are over and have no result yet, because they ended just now or while the arena was away.
    pub to_record: usize,
}

/// Compares the results of an arena with the matches on its service, which `config` names: all that both have, and that
/// each has all of the other. The disagreements are added to what was `found`.
///
/// # Errors
///
/// The service cannot be used, or a file cannot be read.
pub async fn compare_served(
    config: &RunConfig,
    remote: &Remote,
    folder: &Path,
    rules: &ArenaRules,
    found: &mut ArenaVerification,
) -> Result<ServedCheck, RunError> {
    let served = ServedMatches::connect(config, remote, folder).await?;
    let mut check = Comparison {
        config,
        draws: RunFolder::draws_in(folder)?,
        served,
        players: HashMap::new(),
        done: ServedCheck::default(),
        unrecorded: Vec::new(),
    };
    let mut records = std::mem::take(&mut found.records);
    let mut page = None;
    loop {
        let listed = check.served.page(page).await?;
        let mut both = Vec::new();
        for view in listed.items {
            match records.remove(&view.id) {
                Some(placed) => both.push((placed, view)),
                None => check.unrecorded.extend(check.unrecorded(&view)),
            }
        }
        found.disagreements.extend(check.compare(both).await?);
        page = listed.next;
        if page.is_none() {
            break;
        }
    }
    let mut left: Vec<PlacedRecord> = records.into_values().collect();
    left.sort_by_key(|one| (one.record.encounter, one.record.leg.number()));
    for placed in left {
        let mismatches = match check.served.find(placed.record.match_id).await? {
            None => vec![Mismatch::NotServed(placed.record.match_id)],
            Some(view) if view.outcome.is_none() => vec![Mismatch::NotOverOnService],
            Some(view) => check.headers(&placed, &view),
        };
        let place = placed.place;
        found
            .disagreements
            .extend(mismatches.into_iter().map(|mismatch| Disagreement {
                place: place.clone(),
                mismatch,
            }));
    }
    check.settle(folder, rules, found)?;
    Ok(check.done)
}

/// A match of the arena on the service without a line in the journal.
struct Unrecorded {
    id: MatchId,
    title: String,
    encounter: u64,
    leg: Leg,
    ended: SystemTime,
}

struct Comparison<'a> {
    config: &'a RunConfig,
    /// None if the reader may not know.
    draws: Option<RunDraws>,
    served: ServedMatches,
    /// The players of the anchors.
    players: HashMap<Name, PlayerId>,
    done: ServedCheck,
    unrecorded: Vec<Unrecorded>,
}

impl Comparison<'_> {
    async fn compare(
        &mut self,
        both: Vec<(PlacedRecord, MatchView)>,
    ) -> Result<Vec<Disagreement>, RunError> {
        self.done.compared += both.len();
        let read = both.into_iter().map(|(placed, view)| async {
            let title = self.title(&placed.record);
            let early_end = EarlyEnd::of(&self.config.event, &title);
            let played = self.served.played(&view, early_end).await?;
            Ok::<_, RunError>((placed, view, title, played))
        });
        let read: Vec<_> = stream::iter(read).buffered(AT_ONCE).try_collect().await?;
        let mut found = Vec::new();
        for (placed, view, title, played) in read {
            let mut mismatches = self.headers(&placed, &view);
            match played {
                Ok(played) => {
                    mismatches.extend(self.results(&placed.record, title, &view, &played));
                }
                Err(fault) => mismatches.push(Mismatch::Unserved(fault)),
            }
            found.extend(mismatches.into_iter().map(|mismatch| Disagreement {
                place: placed.place.clone(),
                mismatch,
            }));
        }
        Ok(found)
    }

    fn title(&self, record: &ArenaRecord) -> String {
        let (event, leg) = (self.config.event.name(), record.leg.number());
        format!("{event}/e{}/m{leg}", record.encounter)
    }

    /// The differences in what was decided before the match began.
    fn headers(&mut self, placed: &PlacedRecord, view: &MatchView) -> Vec<Mismatch> {
        let PlacedRecord { record, seated, .. } = placed;
        let (event, rules) = (&self.config.event, self.config.event.rules());
        let mut found = Vec::new();
        compare(
            &mut found,
            "the title",
            self.title(record),
            view.title.clone(),
        );
        let terms =
            |game: &str, variant: &str, target: u32| format!("{game} ({variant}) to {target}");
        compare(
            &mut found,
            "the game",
            terms(rules.game(), rules.variant(), rules.target()),
            terms(&view.game, &view.variant, view.target),
        );
        let creator = view
            .creator
            .map_or_else(String::new, |player| player.to_string());
        compare(
            &mut found,
            "the creator",
            self.served.own().to_string(),
            creator,
        );
        let fields = ["the first player", "the second player"];
        for ((contender, seat), field) in seated.iter().zip(&view.seats).zip(fields) {
            // Without a player it was called off: the player blocks the arena.
            let Some(player) = seat.player else { continue };
            let expected = match contender {
                Contender::Build { player, .. } => *player,
                Contender::Anchor(name) => *self.players.entry(name.clone()).or_insert(player),
            };
            compare(&mut found, field, expected.to_string(), player.to_string());
            compare(
                &mut found,
                "the time control",
                format!("{:?}", self.config.time_control),
                format!("{:?}", seat.time_control),
            );
        }
        let openings = self.config.openings.as_ref();
        match openings.map(|openings| openings.in_arena(record.encounter)) {
            Some(Ok(opening)) => compare(
                &mut found,
                "the opening",
                opening_text(&opening.entries),
                opening_text(&view.opening),
            ),
            Some(Err(fault)) => found.push(Mismatch::Book(fault.to_string())),
            None if view.opening.is_empty() => {}
            None => found.push(Mismatch::StrayOpening),
        }
        if let Some(draws) = &self.draws {
            let seed =
                draws.seed_in_arena(event.name(), record.encounter, record.leg, record.replays);
            compare(
                &mut found,
                "the commitment to the seed",
                seed.commitment_text(),
                view.seed_commitment.clone(),
            );
        }
        found
    }

    /// The differences in what was played.
    fn results(
        &self,
        record: &ArenaRecord,
        title: String,
        view: &MatchView,
        played: &Played,
    ) -> Vec<Mismatch> {
        let mut found = Vec::new();
        let named = |seat: Option<dragontooth_games::Seat>| {
            seat.map_or_else(|| "nobody".to_owned(), |seat| seat.to_string())
        };
        // The runner alone knows who lost a match that was called off.
        let is_called_off = view.outcome.as_ref().is_some_and(|outcome| {
            matches!(
                outcome.termination,
                Termination::Aborted | Termination::Expired | Termination::Declined
            )
        });
        let by_runner = matches!(
            record.result.termination,
            Ending::By(
                Termination::Aborted
                    | Termination::Disconnect
                    | Termination::Expired
                    | Termination::Declined
            ) | Ending::Adjudicated
        );
        if !(is_called_off && by_runner) {
            let (winner, ending) = (record.result.winner, record.result.termination);
            compare(
                &mut found,
                "the winner",
                named(winner),
                named(played.winner),
            );
            compare(
                &mut found,
                "the termination",
                ending.to_string(),
                played.termination.to_string(),
            );
        }
        let score = |[first, second]: [u32; 2]| format!("{first}-{second}");
        compare(
            &mut found,
            "the score",
            score(record.score),
            score(played.score),
        );
        compare(
            &mut found,
            "the number of plies",
            record.plies.to_string(),
            played.plies.to_string(),
        );
        let hash = |hash: Option<String>| hash.unwrap_or_else(|| "missing".to_owned());
        compare(
            &mut found,
            "the hash over its events",
            hash(record.head_hash.map(|hash| hash.to_string())),
            hash(played.origin.head_hash.map(|hash| hash.to_string())),
        );
        let [started, ended] = record.times.clone();
        compare(&mut found, "started", started, rfc3339(played.started));
        compare(&mut found, "ended", ended, rfc3339(played.ended));
        // Without an action the journal has none, or that of an earlier version.
        if played.plies > 0 {
            let (rules, nobody) = (self.config.event.rules(), [String::new(), String::new()]);
            let digest = Transcript::of_match(rules, title, nobody, played).digest();
            compare(
                &mut found,
                "the digest of what was played",
                hash(record.result.moves.map(|digest| digest.to_string())),
                digest.to_string(),
            );
        }
        let shown = |faults: &[dragontooth_runner_tournament::Fault]| {
            let shown = faults
                .iter()
                .filter(|fault| matches!(fault.kind, FaultKind::Time | FaultKind::Illegal));
            let texts: Vec<String> = shown
                .map(|fault| format!("{} of {}", fault.kind, fault.seat))
                .collect();
            texts.join(", ")
        };
        compare(
            &mut found,
            "the fault",
            shown(&record.result.faults),
            shown(&played.faults),
        );
        found
    }

    /// The match if it belongs to this arena and was decided.
    fn unrecorded(&self, view: &MatchView) -> Option<Unrecorded> {
        let event = self.config.event.name();
        let slot = view
            .title
            .strip_prefix(event.as_str())?
            .strip_prefix("/e")?;
        let (encounter, leg) = slot.split_once("/m")?;
        let (encounter, leg): (u64, u32) = (encounter.parse().ok()?, leg.parse().ok()?);
        let leg = Leg::BOTH.into_iter().find(|one| one.number() == leg)?;
        let outcome = view.outcome.as_ref()?;
        if Verdict::of(Ending::By(outcome.termination), outcome.winner) == Verdict::Void {
            return None;
        }
        // Another arena of this name has other seeds.
        let is_own = self.draws.as_ref().is_none_or(|draws| {
            (0..=self.config.limits.max_replays.saturating_add(MAX_TAKEN)).any(|replays| {
                let seed = draws.seed_in_arena(event, encounter, leg, replays);
                seed.commitment_text() == view.seed_commitment
            })
        });
        is_own.then_some(Unrecorded {
            id: view.id,
            title: view.title.clone(),
            encounter,
            leg,
            ended: view.ended?,
        })
    }

    /// Reports the matches that should have a result.
    fn settle(
        &mut self,
        folder: &Path,
        rules: &ArenaRules,
        found: &mut ArenaVerification,
    ) -> Result<(), JournalError> {
        if self.unrecorded.is_empty() {
            return Ok(());
        }
        // An arena in progress has written more.
        let now = verify_arena(folder, &self.config.event, rules.clone(), None)?;
        let ends = now.records.values().map(|placed| &placed.record.times[1]);
        let latest = ends.max().and_then(|end| parse_rfc3339(end).ok());
        let mut wrong = Vec::new();
        self.unrecorded
            .sort_by_key(|one| (one.encounter, one.leg.number()));
        for one in self.unrecorded.drain(..) {
            if now.records.contains_key(&one.id) {
                continue;
            }
            let missing = now.state.missing_legs(one.encounter);
            let is_missing = missing.is_some_and(|(_, legs)| legs.contains(&one.leg));
            let is_late = latest.is_none_or(|latest| one.ended + SETTLES_WITHIN >= latest);
            let mismatch = if now.legs.contains(&(one.encounter, one.leg)) {
                Mismatch::OtherServed(one.id)
            } else if is_missing && is_late {
                self.done.to_record += 1;
                continue;
            } else if is_missing || one.encounter > now.counts.encounters {
                Mismatch::OnlyServed(one.id)
            } else {
                // A player had come back with another build, so that the encounter was given up.
                continue;
            };
            wrong.push(Disagreement {
                place: one.title,
                mismatch,
            });
        }
        let more = wrong.len().saturating_sub(MAX_UNRECORDED);
        wrong.truncate(MAX_UNRECORDED);
        found.disagreements.extend(wrong);
        if more > 0 {
            found.disagreements.push(Disagreement {
                place: "the service".to_owned(),
                mismatch: Mismatch::MoreServed(more),
            });
        }
        Ok(())
    }
}

fn compare(found: &mut Vec<Mismatch>, field: &'static str, recorded: String, served: String) {
    if recorded != served {
        found.push(Mismatch::OnService {
            field,
            recorded,
            served,
        });
    }
}
