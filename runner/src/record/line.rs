use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::record::ValueUnit;
use dragontooth_runner_report::MatchDetails;
use dragontooth_runner_tournament::arena::InvalidEntry;
use dragontooth_runner_tournament::{
    AlreadyRecorded, Ending, Fault, FaultKind, GameCounts, MatchNumber, MatchResult, MovesDigest,
    Results, Schedule, ScheduledMatch, Verdict,
};
use dragontooth_service_vocabulary::MatchId;
use serde::{Deserialize, Serialize};

use super::call_line::{CallFault, CallLine};
use super::played::{MAX_DETAIL_BYTES, Played};
use super::timestamp::rfc3339;
use super::{Contradiction, Fingerprint, MAX_RECORD_BYTES, Origin, Transcript};

/// One match in `results.jsonl`: the fields in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    event: String,
    title: String,
    cycle: u32,
    round: u32,
    pairing: u32,
    leg: u32,
    encounter: u32,
    match_id: String,
    game: String,
    variant: String,
    target: u32,
    bots: BySeat<String>,
    winner: Option<String>,
    termination: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<CallLine>,
    score: BySeat<u32>,
    games: Games,
    plies: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opening: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transcript: Option<String>,
    service: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head_hash: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    replays: u32,
    faults: Vec<FaultLine>,
    started: String,
    ended: String,
    duration_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BySeat<T> {
    pub(super) first: T,
    pub(super) second: T,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Games {
    first: u32,
    second: u32,
    drawn: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultLine {
    bot: String,
    seat: String,
    kind: String,
    detail: String,
}

/// The reason why a line is not a record of a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// It is not JSON, or incomplete.
    #[error("the line is not JSON: {0}")]
    Syntax(String),
    /// It is JSON, but no record.
    #[error("the line is no record: {0}")]
    Shape(String),
    /// A field cannot be read.
    #[error("{field} cannot be read: {fault}")]
    Field {
        /// The field.
        field: &'static str,
        /// Why.
        fault: String,
    },
    /// The schedule has no such match.
    #[error("the schedule has no match {0:?}")]
    UnknownMatch(String),
    /// It belongs to another schedule.
    #[error("{0}")]
    Contradiction(Contradiction),
    /// The match is recorded already.
    #[error(transparent)]
    Twice(#[from] AlreadyRecorded),
    /// Another line has the same title.
    #[error("there is another record of {0:?}")]
    Again(String),
    /// It does not follow the entries of an arena before it.
    #[error(transparent)]
    Entry(#[from] InvalidEntry),
    /// It carries no hash of the line before it.
    #[error(
        "the line has no `previous`: an earlier version of the runner wrote it, and nothing holds \
         its lines together"
    )]
    Unchained,
    /// The line before it is not the one after which it was written.
    #[error(
        "its `previous` is {recorded}, but the hash of the line before it is {computed}: a line was \
         changed, removed, added or moved"
    )]
    Previous {
        /// The hash that it carries.
        recorded: Fingerprint,
        /// The hash of the line before it.
        computed: Fingerprint,
    },
    /// The line is too long.
    #[error("the line has more than {MAX_RECORD_BYTES} bytes")]
    TooLong,
}

impl RecordError {
    /// The error of a line that cannot be parsed.
    pub(super) fn of_json(error: &serde_json::Error) -> Self {
        if error.is_eof() && error.column() == 0 {
            Self::Syntax("it is empty".to_owned())
        } else if error.is_data() {
            Self::Shape(error.to_string())
        } else {
            Self::Syntax(error.to_string())
        }
    }
}

impl Record {
    /// The record of a match of `schedule`.
    #[must_use]
    pub fn new(schedule: &Schedule, planned: &ScheduledMatch, played: &Played) -> Self {
        let (event, slot) = (schedule.event(), planned.slot);
        let bot = |seat: Seat| event.bot(planned.bot(seat)).to_string();
        let fault = |fault: &Fault| FaultLine {
            bot: bot(fault.seat),
            seat: fault.seat.to_string(),
            kind: fault.kind.to_string(),
            detail: cut(&fault.detail),
        };
        let duration = played
            .ended
            .duration_since(played.started)
            .unwrap_or(Duration::ZERO);
        Self {
            event: event.name().to_string(),
            title: schedule.title(planned),
            cycle: slot.cycle,
            round: slot.round,
            pairing: slot.pairing,
            leg: slot.leg.number(),
            encounter: planned.encounter,
            match_id: played.match_id.to_string(),
            game: event.rules().game().to_owned(),
            variant: event.rules().variant().to_owned(),
            target: event.rules().target(),
            bots: BySeat {
                first: bot(Seat::First),
                second: bot(Seat::Second),
            },
            winner: played.winner.map(|seat| seat.to_string()),
            termination: played.termination.to_string(),
            call: played.call.as_ref().map(CallLine::new),
            score: BySeat {
                first: played.score[0],
                second: played.score[1],
            },
            games: Games {
                first: played.games.won[0],
                second: played.games.won[1],
                drawn: played.games.drawn,
            },
            plies: played.plies,
            opening: played
                .gameplay
                .opening
                .as_ref()
                .map(|opening| opening.name.clone()),
            digest: None,
            transcript: None,
            service: played.origin.service.to_string(),
            head_hash: played.origin.head_hash.map(|hash| hash.to_string()),
            replays: played.replays,
            faults: played.faults.iter().map(fault).collect(),
            started: rfc3339(played.started),
            ended: rfc3339(played.ended),
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            previous: None,
        }
    }

    /// The record with the hashes of the transcript.
    #[must_use]
    pub fn digested(self, transcript: &Transcript) -> Self {
        Self {
            digest: Some(transcript.digest().to_string()),
            transcript: Some(transcript.fingerprint().to_string()),
            ..self
        }
    }

    /// The record of a match that was played on after its call, with the digest of the match up to that.
    pub(super) fn played_on(self, digest: MovesDigest) -> Self {
        Self {
            call: self.call.map(|call| call.played_on(digest)),
            ..self
        }
    }

    /// The record as it stands after a line with this hash; [`Fingerprint::NONE`] for the first line.
    #[must_use]
    pub fn after(self, previous: Fingerprint) -> Self {
        Self {
            previous: Some(previous.to_string()),
            ..self
        }
    }

    /// Checks that the record was written after a line with this hash.
    ///
    /// # Errors
    ///
    /// It carries another hash, or none.
    pub(crate) fn follows(&self, computed: Fingerprint) -> Result<(), RecordError> {
        let previous = self.previous.as_deref().ok_or(RecordError::Unchained)?;
        let recorded = field("previous", previous)?;
        if recorded == computed {
            Ok(())
        } else {
            Err(RecordError::Previous { recorded, computed })
        }
    }

    /// The hash of the line of the transcript; `None` if the record has none.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub(crate) fn transcript(&self) -> Result<Option<Fingerprint>, RecordError> {
        let hash = self.transcript.as_deref();
        hash.map(|hash| field("transcript", hash)).transpose()
    }

    /// The place where the match was played.
    ///
    /// # Errors
    ///
    /// A field cannot be read.
    pub(crate) fn origin(&self) -> Result<Origin, RecordError> {
        let head_hash = self.head_hash.as_deref();
        let head_hash = head_hash.map(|hash| field("head_hash", hash)).transpose()?;
        Ok(Origin {
            service: field("service", &self.service)?,
            head_hash,
        })
    }

    /// Number of restarts of the match.
    pub(crate) const fn replays(&self) -> u32 {
        self.replays
    }

    /// Parses a line, without its newline.
    ///
    /// # Errors
    ///
    /// It is not JSON or not a record.
    pub fn from_line(line: &[u8]) -> Result<Self, RecordError> {
        serde_json::from_slice(line).map_err(|error| RecordError::of_json(&error))
    }

    /// The line, with its newline.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = serde_json::to_string(self).expect("numbers and texts can all be written");
        line.push('\n');
        line
    }

    /// The match of `schedule` that it is about and how that came out.
    ///
    /// # Errors
    ///
    /// A field cannot be read, or it is a record of another schedule.
    pub fn result(&self, schedule: &Schedule) -> Result<MatchResult, RecordError> {
        let planned = self.planned(schedule)?;
        let _: MatchId = field("match_id", &self.match_id)?;
        let moves = self.digest()?;
        self.transcript()?;
        self.origin()?;
        for (name, time) in [("started", &self.started), ("ended", &self.ended)] {
            humantime::parse_rfc3339(time).map_err(|error| unreadable(name, &error))?;
        }
        let winner = self
            .winner
            .as_deref()
            .map(|seat| field("winner", seat))
            .transpose()?;
        let faults = self
            .faults
            .iter()
            .map(FaultLine::read)
            .collect::<Result<_, _>>()?;
        let terms = schedule.event().rules().adjudication();
        let unit = terms.map_or(ValueUnit::WinProbability, |terms| terms.unit);
        let call = self.call.as_ref().map(|call| call.read(unit)).transpose();
        let call = call.map_err(of_call)?;
        let moves_to_call = self.moves_to_call()?;
        Ok(MatchResult {
            number: planned.number,
            winner,
            termination: field::<Ending>("termination", &self.termination)?,
            call,
            score: [self.score.first, self.score.second],
            games: GameCounts {
                won: [self.games.first, self.games.second],
                drawn: self.games.drawn,
            },
            plies: self.plies,
            moves,
            moves_to_call,
            opening: self.opening.clone(),
            faults,
        })
    }

    /// The facts that need no schedule: the bots by seat, and the verdict.
    ///
    /// # Errors
    ///
    /// The winner or the termination cannot be read.
    pub(super) fn outcome(&self) -> Result<([&str; 2], Verdict), RecordError> {
        let winner = self.winner.as_deref();
        let winner = winner.map(|seat| field("winner", seat)).transpose()?;
        let termination = field::<Ending>("termination", &self.termination)?;
        let bots = [self.bots.first.as_str(), self.bots.second.as_str()];
        Ok((bots, Verdict::of(termination, winner)))
    }

    /// The event's name, the match's title and the number of its encounter.
    pub(super) fn place(&self) -> (&str, &str, u32) {
        (&self.event, &self.title, self.encounter)
    }

    /// The title, if the match has a transcript.
    pub(crate) fn transcribed(&self) -> Option<&str> {
        self.digest.as_ref().map(|_| self.title.as_str())
    }

    /// The digest of the transcript; `None` in a record of an older runner.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn digest(&self) -> Result<Option<MovesDigest>, RecordError> {
        let digest = self.digest.as_deref();
        digest.map(|digest| field("digest", digest)).transpose()
    }

    /// The digest of the match up to the call after which it was played on.
    fn moves_to_call(&self) -> Result<Option<MovesDigest>, RecordError> {
        let digest = self.call.as_ref().map(CallLine::digest).transpose();
        Ok(digest.map_err(of_call)?.flatten())
    }

    /// The digest that the match shares with its copies, as [`MovesDigest::of_copies`] has it.
    ///
    /// # Errors
    ///
    /// A digest cannot be read.
    pub(super) fn moves_of_copies(&self) -> Result<Option<MovesDigest>, RecordError> {
        let (moves, to_call) = (self.digest()?, self.moves_to_call()?);
        Ok(MovesDigest::of_copies(moves, to_call, self.plies))
    }

    /// The match's id in the service.
    pub(crate) fn match_id(&self) -> &str {
        &self.match_id
    }

    /// The match's title.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The details beside the result.
    ///
    /// # Errors
    ///
    /// A field cannot be read.
    pub fn details(&self) -> Result<MatchDetails, RecordError> {
        let time = |name, text: &str| {
            humantime::parse_rfc3339(text).map_err(|error| unreadable(name, &error))
        };
        let fault = |line: &FaultLine| -> Result<Fault, RecordError> {
            let (seat, kind) = line.read()?;
            let detail = line.detail.clone();
            Ok(Fault { seat, kind, detail })
        };
        let faults: Result<Vec<Fault>, RecordError> = self.faults.iter().map(fault).collect();
        Ok(MatchDetails {
            match_id: self.match_id.clone(),
            started: time("started", &self.started)?,
            ended: time("ended", &self.ended)?,
            duration: Duration::from_millis(self.duration_ms),
            faults: faults?,
        })
    }

    /// Adds its result to `results`, and to `schedule` what follows from them. Returns the number of the match.
    ///
    /// # Errors
    ///
    /// Like [`result`](Self::result), or the match already has a result.
    pub fn add_to(
        &self,
        results: &mut Results,
        schedule: &mut Schedule,
    ) -> Result<MatchNumber, RecordError> {
        let result = self.result(schedule)?;
        let number = result.number;
        results.add(result)?;
        schedule.follow(results);
        Ok(number)
    }

    /// The match of the schedule, if all agrees that both say of it.
    fn planned<'s>(&self, schedule: &'s Schedule) -> Result<&'s ScheduledMatch, RecordError> {
        let event = schedule.event();
        let same_event = Contradiction::check("event", self.event.as_str(), event.name().as_str());
        same_event.map_err(RecordError::Contradiction)?;
        let planned = schedule
            .find(&self.title)
            .ok_or_else(|| RecordError::UnknownMatch(self.title.clone()))?;
        self.compare(schedule, planned)
            .map_err(RecordError::Contradiction)?;
        Ok(planned)
    }

    fn compare(&self, schedule: &Schedule, planned: &ScheduledMatch) -> Result<(), Contradiction> {
        let (event, slot) = (schedule.event(), planned.slot);
        let bot = |seat: Seat| event.bot(planned.bot(seat)).as_str();
        let same = Contradiction::check::<u32>;
        let same_text = Contradiction::check::<str>;
        same("cycle", &self.cycle, &slot.cycle)?;
        same("round", &self.round, &slot.round)?;
        same("pairing", &self.pairing, &slot.pairing)?;
        same("leg", &self.leg, &slot.leg.number())?;
        same("encounter", &self.encounter, &planned.encounter)?;
        same_text("game", &self.game, event.rules().game())?;
        same_text("variant", &self.variant, event.rules().variant())?;
        same("target", &self.target, &event.rules().target())?;
        same_text("bots.first", &self.bots.first, bot(Seat::First))?;
        same_text("bots.second", &self.bots.second, bot(Seat::Second))?;
        for fault in &self.faults {
            // A seat that cannot be parsed is reported when the record is read.
            if let Ok(seat) = fault.seat.parse() {
                same_text("faults.bot", &fault.bot, bot(seat))?;
            }
        }
        Ok(())
    }
}

impl FaultLine {
    fn read(&self) -> Result<(Seat, FaultKind), RecordError> {
        Ok((
            field("faults.seat", &self.seat)?,
            field("faults.kind", &self.kind)?,
        ))
    }
}

pub(super) fn field<T: std::str::FromStr>(name: &'static str, text: &str) -> Result<T, RecordError>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error| unreadable(name, &error))
}

fn of_call((field, fault): CallFault) -> RecordError {
    RecordError::Field { field, fault }
}

pub(super) fn unreadable(field: &'static str, error: &dyn std::fmt::Display) -> RecordError {
    RecordError::Field {
        field,
        fault: error.to_string(),
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
pub(super) const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The beginning of a detail, up to the limit.
pub(super) fn cut(detail: &str) -> String {
    let end = (0..=MAX_DETAIL_BYTES.min(detail.len()))
        .rev()
        .find(|at| detail.is_char_boundary(*at));
    detail[..end.unwrap_or(0)].to_owned()
}
