use std::time::Duration;

use dragontooth_games::chance::{Draws, Seed};
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::record::{Headers, MatchRecord, RecordStep, SeedOrigin, write_text};
use dragontooth_games::verify::{VerifiedDraws, replay_record};
use dragontooth_games::{Seat, counted, hex};
use dragontooth_runner_report::MatchDetails;
use dragontooth_runner_tournament::{
    Call, Ending, FaultKind, GameCounts, MatchResult, MovesDigest, Schedule,
};
use dragontooth_service_vocabulary::Termination;

use super::Mismatch;
use super::book_check::BookCheck;
use super::recorded_match::RecordedMatch;
use crate::adjudicator::EarlyEnd;
use crate::record::{RunDraws, Transcript, rfc3339};

/// By how much times differ that are cut to whole milliseconds.
const ROUNDING: Duration = Duration::from_millis(1);

/// The most characters of a line of a record that a mismatch shows.
const MAX_SHOWN: usize = 80;

/// The outcome of replaying a match.
#[derive(Clone, Debug, Default)]
pub(super) struct Checked {
    /// The mismatches.
    pub(super) mismatches: Vec<Mismatch>,
    /// The result by the transcript; `None` if it breaks the rules. The reason of a match that was not
    /// played to its end, and the faults, come from the recorded result.
    pub(super) result: Option<MatchResult>,
    /// The draws that were repeated.
    pub(super) draws: VerifiedDraws,
}

/// Verifies the transcript and the result of a match.
pub(super) fn check(
    schedule: &Schedule,
    source: &RunDraws,
    book: &BookCheck,
    recorded: &RecordedMatch,
    transcript: &Transcript,
) -> Checked {
    let mut checked = Checked::default();
    let computed = transcript.digest();
    match recorded.result.moves {
        None => checked.mismatches.push(Mismatch::Unrecorded),
        Some(recorded) if recorded != computed => {
            checked
                .mismatches
                .push(Mismatch::Digest { recorded, computed });
        }
        Some(_) => {}
    }
    let (played, headers) = match transcript.read() {
        Ok(read) => read,
        Err(error) => {
            checked.mismatches.push(Mismatch::Record(error));
            return checked;
        }
    };
    let seed = source.seed_of(schedule, &recorded.planned, recorded.replays);
    let expected = Expected {
        schedule,
        recorded,
        seed: seed.server_seed(),
    };
    checked
        .mismatches
        .extend(expected.headers(&played, &headers));
    checked.mismatches.extend(book.compare(recorded, &played));
    let draws = Draws::shared(seed.server_seed(), headers.seeds.players.clone());
    let early_end = EarlyEnd::of(schedule.event(), transcript.title());
    match replay_record(&played, &draws) {
        Ok((draws, play)) => {
            let call = early_end
                .adjudicator()
                .and_then(|adjudicator| adjudicator.call_in(&played));
            let early = Stop {
                max_plies: early_end.max_plies(),
                call: call.filter(|_| !early_end.is_audited()),
            };
            // Runners of earlier versions did not record it.
            let is_recorded = recorded.result.moves_to_call.is_some() && early_end.is_audited();
            let result = MatchResult {
                moves: Some(computed),
                moves_to_call: call
                    .filter(|_| is_recorded)
                    .map(|call| transcript.digest_after(call.ply)),
                call,
                ..replayed(&recorded.result, &played, &*play, early)
            };
            checked
                .mismatches
                .extend(compare(&recorded.result, &result, &*play, early));
            checked
                .mismatches
                .extend(times(&recorded.details, &result, transcript));
            (checked.result, checked.draws) = (Some(result), draws);
        }
        Err(fault) => checked.mismatches.push(Mismatch::Draws(fault)),
    }
    // A record that disagrees otherwise has been found already, and by a better reason.
    if checked.mismatches.is_empty() {
        let unlike = unlike_written(&played, &headers, transcript.record());
        checked.mismatches.extend(unlike);
    }
    checked
}

/// Compares the text of a record with the one that the runner writes for what is read from it: other readers may take
/// another one of two headers with the same name.
fn unlike_written(record: &MatchRecord, headers: &Headers, text: &str) -> Option<Mismatch> {
    let written = write_text(record, headers);
    if written == text {
        return None;
    }
    let mut lines = text.split_inclusive('\n');
    let pairs = written.split_inclusive('\n').zip(lines.clone());
    let same = pairs.take_while(|(right, found)| right == found).count();
    let found = lines.nth(same).unwrap_or_default();
    Some(Mismatch::Form {
        line: same + 1,
        text: found.chars().take(MAX_SHOWN).collect(),
    })
}

/// The end of a match before the rules end it.
#[derive(Clone, Copy)]
struct Stop {
    max_plies: Option<u32>,
    /// The call by which it ends.
    call: Option<Call>,
}

impl Stop {
    /// The actions after which no other counts. `None` means no limit.
    fn plies(&self) -> Option<u32> {
        let of_call = self.call.map(|call| call.ply);
        of_call.into_iter().chain(self.max_plies).min()
    }
}

/// The expected headers of a record.
struct Expected<'a> {
    schedule: &'a Schedule,
    recorded: &'a RecordedMatch,
    seed: Seed,
}

impl Expected<'_> {
    fn headers(&self, record: &MatchRecord, headers: &Headers) -> Vec<Mismatch> {
        let event = self.schedule.event();
        let rules = event.rules();
        let bot = |seat| event.bot(self.recorded.planned.bot(seat)).to_string();
        let id = &self.recorded.details.match_id;
        let day = rfc3339(self.recorded.details.started);
        let day = day.split_once('T').map_or("", |(day, _)| day);
        let seeds = &headers.seeds;
        let digits = |bytes: Option<&[u8; 32]>| bytes.map_or_else(String::new, |bytes| hex(bytes));
        let date = record.date.clone().unwrap_or_default();
        let [first, second] = record.players.clone();
        let pairs = [
            ("Match", headers.match_id.clone(), id.clone()),
            (
                "Title",
                record.title.clone(),
                self.schedule.title(&self.recorded.planned),
            ),
            ("Game", record.game.clone(), rules.game().to_owned()),
            (
                "Variant",
                record.variant.clone(),
                rules.variant().to_owned(),
            ),
            (
                "Target",
                record.target.to_string(),
                rules.target().to_string(),
            ),
            ("First", first, bot(Seat::First)),
            ("Second", second, bot(Seat::Second)),
            ("Date", date, day.to_owned()),
            (
                "SeedCommitment",
                digits(seeds.commitment.as_ref()),
                hex(&self.seed.commitment("")),
            ),
            ("SeedGiven", word(seeds.origin), word(SeedOrigin::Shared)),
            (
                "ServerSeed",
                digits(seeds.server_seed.as_ref()),
                String::new(),
            ),
            ("Result", headers.result.clone(), self.result()),
            (
                "HeadHash",
                digits(headers.head_hash.as_ref()),
                String::new(),
            ),
        ];
        let wrong = pairs.into_iter().filter(|(_, found, right)| found != right);
        wrong
            .map(|(header, recorded, expected)| Mismatch::Header {
                header,
                recorded,
                expected,
            })
            .collect()
    }

    fn result(&self) -> String {
        let result = &self.recorded.result;
        let [first, second] = result.score;
        let call = result.deciding_call();
        let basis = call.map_or_else(String::new, |call| format!(" {}", call.basis()));
        format!(
            "{} {first}-{second} {}{basis}",
            seat_name(result.winner),
            result.termination
        )
    }
}

fn word(origin: SeedOrigin) -> String {
    match origin {
        SeedOrigin::Drawn => "no",
        SeedOrigin::Shared => "shared",
        SeedOrigin::Given => "yes",
    }
    .to_owned()
}

/// The result by the transcript. If the rules did not end the match, its termination, its winner and the
/// faults come from the recorded result, the only source.
fn replayed(
    recorded: &MatchResult,
    record: &MatchRecord,
    play: &dyn Match,
    early: Stop,
) -> MatchResult {
    let (winner, termination) = match (play.step(), recorded.termination) {
        _ if early.call.is_some() => (early.call.and_then(|call| call.winner), Ending::Adjudicated),
        (Step::Over { winner }, _) => (winner, Ending::By(Termination::Normal)),
        (Step::Decide(seat), Ending::By(Termination::Timeout)) => {
            (Some(seat.other()), Ending::By(Termination::Timeout))
        }
        (Step::Decide(seat), Ending::By(Termination::IllegalAction)) => {
            (Some(seat.other()), Ending::By(Termination::IllegalAction))
        }
        (
            _,
            end @ (Ending::By(Termination::Aborted | Termination::Expired | Termination::Declined)
            | Ending::Adjudicated),
        ) => (None, end),
        (_, termination) => (recorded.winner, termination),
    };
    let mut games = GameCounts::default();
    let mut plies = 0;
    for game in &record.games {
        match game.outcome.map(|outcome| outcome.winner) {
            Some(Some(seat)) => games.won[seat.index()] += 1,
            Some(None) => games.drawn += 1,
            None => {}
        }
        let is_action = |step: &&RecordStep| matches!(step, RecordStep::Action { .. });
        plies += game.steps.iter().filter(is_action).count();
    }
    MatchResult {
        winner,
        termination,
        score: Seat::BOTH.map(|seat| play.score().of(seat)),
        games,
        plies: u32::try_from(plies).unwrap_or(u32::MAX),
        ..recorded.clone()
    }
}

/// The differences between the recorded result and the one by the transcript.
///
/// A match ends by its call unless it is audited, and at its limit of actions it is drawn, unless the rules ended it.
fn compare(
    recorded: &MatchResult,
    right: &MatchResult,
    play: &dyn Match,
    early: Stop,
) -> Vec<Mismatch> {
    let pair = |[first, second]: [u32; 2]| format!("{first}-{second}");
    let games = |games: GameCounts| format!("{} and {} drawn", pair(games.won), games.drawn);
    let fields = [
        (
            "the winner",
            seat_name(recorded.winner),
            seat_name(right.winner),
        ),
        (
            "the termination",
            recorded.termination.to_string(),
            right.termination.to_string(),
        ),
        ("the call", called(recorded.call), called(right.call)),
        (
            "the digest of what was played up to the call",
            digest(recorded.moves_to_call),
            digest(right.moves_to_call),
        ),
        ("the score", pair(recorded.score), pair(right.score)),
        (
            "the number of games won",
            games(recorded.games),
            games(right.games),
        ),
        (
            "the number of plies",
            recorded.plies.to_string(),
            right.plies.to_string(),
        ),
    ];
    let differ = fields
        .into_iter()
        .filter(|(_, recorded, computed)| recorded != computed);
    let mut mismatches: Vec<Mismatch> = differ
        .map(|(field, recorded, computed)| Mismatch::Outcome {
            field,
            recorded,
            computed,
        })
        .collect();
    let most_plies = early.plies();
    let is_spent = most_plies.is_some_and(|most| right.plies >= most);
    let is_odd = match (recorded.termination, play.step()) {
        (Ending::Adjudicated, step) => !is_spent || matches!(step, Step::Over { .. }),
        _ if most_plies.is_some_and(|most| right.plies > most) => true,
        (_, step) if is_spent => !matches!(step, Step::Over { .. }),
        (_, Step::Over { .. })
        | (
            Ending::By(
                Termination::Aborted
                | Termination::Disconnect
                | Termination::Expired
                | Termination::Declined,
            ),
            _,
        ) => false,
        (Ending::By(Termination::Normal), _) => true,
        (Ending::By(Termination::Timeout | Termination::IllegalAction), step) => {
            !matches!(step, Step::Decide(_))
        }
        (Ending::By(Termination::Resignation), _) => recorded.winner.is_none(),
    };
    if is_odd {
        mismatches.push(Mismatch::Outcome {
            field: "the termination",
            recorded: recorded.termination.to_string(),
            computed: "another: the match was not over".to_owned(),
        });
    }
    mismatches.extend(faults(&recorded.faults, right.termination, right.winner));
    mismatches
}

/// Which faults cannot be those of a match that ended so, or are missing.
pub(super) fn faults(
    faults: &[(Seat, FaultKind)],
    ending: Ending,
    winner: Option<Seat>,
) -> Vec<Mismatch> {
    let mut mismatches = Vec::new();
    let loser = winner.map(Seat::other);
    let certain = [
        (
            FaultKind::Time,
            Ending::By(Termination::Timeout),
            "the seat whose clock ran out",
        ),
        (
            FaultKind::Illegal,
            Ending::By(Termination::IllegalAction),
            "the seat that gave too many illegal actions",
        ),
    ];
    for (kind, termination, what) in certain {
        if ending == termination {
            let of_kind = faults.iter().filter(|fault| fault.1 == kind);
            let recorded: Vec<String> = of_kind.map(|fault| fault.0.to_string()).collect();
            let computed: Vec<String> = loser.iter().map(Seat::to_string).collect();
            if recorded != computed {
                mismatches.push(Mismatch::Loser {
                    what,
                    recorded: named(&recorded),
                    computed: named(&computed),
                });
            }
        }
    }
    let mut seen = [false; 2];
    for &(seat, kind) in faults {
        let is_first = !std::mem::replace(&mut seen[seat.index()], true);
        if !is_first || !may_have(ending, loser == Some(seat), kind) {
            mismatches.push(Mismatch::Fault {
                seat,
                kind,
                termination: ending,
            });
        }
    }
    mismatches
}

/// Returns true if a bot may have a fault of this kind in a match with this termination.
const fn may_have(termination: Ending, has_lost: bool, kind: FaultKind) -> bool {
    let (is_gone, is_abort) = match kind {
        FaultKind::Crash | FaultKind::Stall | FaultKind::Resources | FaultKind::Disabled => {
            (true, false)
        }
        FaultKind::Abort => (false, true),
        FaultKind::Time | FaultKind::Illegal | FaultKind::Protocol => (false, false),
    };
    match termination {
        Ending::By(Termination::Normal) | Ending::Adjudicated => false,
        Ending::By(Termination::Timeout) => has_lost && matches!(kind, FaultKind::Time),
        Ending::By(Termination::IllegalAction) => has_lost && matches!(kind, FaultKind::Illegal),
        Ending::By(Termination::Resignation) => {
            has_lost && !is_abort && !matches!(kind, FaultKind::Time)
        }
        // Neither bot was there, and one of them was disabled before.
        Ending::By(Termination::Disconnect) => is_gone || (has_lost && is_abort),
        Ending::By(Termination::Aborted | Termination::Expired | Termination::Declined) => is_gone,
    }
}

/// Checks the times: each decision was made between the match's start and end, one after the other.
fn times(details: &MatchDetails, result: &MatchResult, transcript: &Transcript) -> Vec<Mismatch> {
    let mut faults = Vec::new();
    let MatchDetails {
        started,
        ended,
        duration,
        ..
    } = details;
    match ended.duration_since(*started) {
        // All three are cut to whole milliseconds.
        Ok(between) if between.abs_diff(*duration) > ROUNDING => faults.push(format!(
            "the match took {} ms by its start and end and {} ms by its duration",
            between.as_millis(),
            duration.as_millis()
        )),
        Ok(_) => {}
        Err(_) => faults.push("the match ended before it started".to_owned()),
    }
    let thinking = transcript.thinking_us();
    if thinking.len() != result.plies as usize {
        faults.push(format!(
            "there are {} of {}",
            thinking.len(),
            counted(result.plies, "decision")
        ));
    }
    let sum = thinking
        .iter()
        .fold(0_u64, |sum, time| sum.saturating_add(*time));
    let sum = Duration::from_micros(sum);
    if sum > duration.saturating_add(ROUNDING) {
        faults.push(format!(
            "the decisions took {} ms and the match {} ms",
            sum.as_millis(),
            duration.as_millis()
        ));
    }
    faults.into_iter().map(Mismatch::Times).collect()
}

fn called(call: Option<Call>) -> String {
    call.map_or("none".to_owned(), |call| call.to_string())
}

fn digest(moves: Option<MovesDigest>) -> String {
    moves.map_or("none".to_owned(), |moves| moves.to_string())
}

fn seat_name(seat: Option<Seat>) -> String {
    seat.map_or("nobody".to_owned(), |seat| seat.to_string())
}

fn named(seats: &[String]) -> String {
    if seats.is_empty() {
        "nobody".to_owned()
    } else {
        seats.join(" and ")
    }
}
