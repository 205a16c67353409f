use std::time::SystemTime;

use dragontooth_games::Seat;
use dragontooth_runner_tournament::arena::{ArenaEntry, Contender, LegResult};
use dragontooth_runner_tournament::{Fault, Leg, Name};
use dragontooth_service_vocabulary::{BuildText, MatchId, PlayerId};
use serde::{Deserialize, Serialize};

use super::line::{BySeat, RecordError, cut, field, is_zero, unreadable};
use super::timestamp::rfc3339;
use super::{Fingerprint, Played};

/// A match of an arena that is over, by its line in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaRecord {
    /// Its encounter.
    pub encounter: u64,
    /// Its leg.
    pub leg: Leg,
    /// Its id on the service.
    pub match_id: MatchId,
    /// Its result.
    pub result: LegResult,
    /// The points by seat.
    pub score: [u32; 2],
    /// The actions of both seats.
    pub plies: u32,
    /// The hash over its events; `None` if the service did not give it.
    pub head_hash: Option<Fingerprint>,
    /// Number of times it was restarted.
    pub replays: u32,
    /// The times of its creation and its end, by the service's clock, as [`rfc3339`](super::rfc3339) writes them.
    pub times: [String; 2],
}

/// A line of the journal of an arena: its fields in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum ArenaLine {
    /// Two contenders are to play an encounter.
    Paired(PairedLine),
    /// A match is over.
    Ended(EndedLine),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PairedLine {
    encounter: u64,
    contenders: [ContenderLine; 2],
    at: String,
    previous: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ContenderLine {
    name: String,
    /// Not there for an anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    player: Option<String>,
    /// Not there for an anchor, and for a player that did not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    build: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndedLine {
    encounter: u64,
    leg: u32,
    match_id: String,
    winner: Option<String>,
    termination: String,
    score: BySeat<u32>,
    plies: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head_hash: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    replays: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    faults: Vec<ArenaFaultLine>,
    started: String,
    ended: String,
    previous: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArenaFaultLine {
    seat: String,
    kind: String,
    detail: String,
}

impl ArenaLine {
    /// The line of an encounter that begins.
    pub(super) fn paired(
        encounter: u64,
        contenders: &[Contender; 2],
        names: &[String; 2],
        at: SystemTime,
    ) -> Self {
        let line = |at: usize| match &contenders[at] {
            Contender::Anchor(name) => ContenderLine {
                name: name.to_string(),
                player: None,
                build: String::new(),
            },
            Contender::Build { player, build } => ContenderLine {
                name: names[at].clone(),
                player: Some(player.to_string()),
                build: build.to_string(),
            },
        };
        Self::Paired(PairedLine {
            encounter,
            contenders: [line(0), line(1)],
            at: rfc3339(at),
            previous: String::new(),
        })
    }

    /// The line of a match that is over.
    pub(super) fn ended(encounter: u64, leg: Leg, played: &Played, result: &LegResult) -> Self {
        let fault = |fault: &Fault| ArenaFaultLine {
            seat: fault.seat.to_string(),
            kind: fault.kind.to_string(),
            detail: cut(&fault.detail),
        };
        let [first, second] = played.score;
        Self::Ended(EndedLine {
            encounter,
            leg: leg.number(),
            match_id: played.match_id.to_string(),
            winner: result.winner.map(|seat| seat.to_string()),
            termination: result.termination.to_string(),
            score: BySeat { first, second },
            plies: played.plies,
            digest: result.moves.map(|moves| moves.to_string()),
            head_hash: played.origin.head_hash.map(|hash| hash.to_string()),
            replays: played.replays,
            faults: result.faults.iter().map(fault).collect(),
            started: rfc3339(played.started),
            ended: rfc3339(played.ended),
            previous: String::new(),
        })
    }

    /// The line as it stands after a line with this hash.
    pub(super) fn after(mut self, hash: Fingerprint) -> Self {
        let (Self::Paired(PairedLine { previous, .. }) | Self::Ended(EndedLine { previous, .. })) =
            &mut self;
        *previous = hash.to_string();
        self
    }

    /// Checks that the line was written after a line with this hash.
    pub(super) fn follows(&self, computed: Fingerprint) -> Result<(), RecordError> {
        let (Self::Paired(PairedLine { previous, .. }) | Self::Ended(EndedLine { previous, .. })) =
            self;
        let recorded = field("previous", previous)?;
        if recorded == computed {
            Ok(())
        } else {
            Err(RecordError::Previous { recorded, computed })
        }
    }

    /// Parses a line, without its newline.
    pub(super) fn parse(line: &[u8]) -> Result<Self, RecordError> {
        serde_json::from_slice(line).map_err(|error| RecordError::of_json(&error))
    }

    /// The text of the line, with its newline.
    pub(super) fn to_line(&self) -> String {
        let mut line = serde_json::to_string(self).expect("numbers and texts can all be written");
        line.push('\n');
        line
    }

    /// The match of a line about the end of one; `None` for another line. Its times are those of a calendar.
    pub(super) fn record(&self) -> Result<Option<ArenaRecord>, RecordError> {
        match self {
            Self::Paired(line) => {
                check_time("at", &line.at)?;
                Ok(None)
            }
            Self::Ended(line) => line.record().map(Some),
        }
    }

    /// The entry.
    pub(super) fn entry(&self) -> Result<ArenaEntry, RecordError> {
        match self {
            Self::Paired(line) => {
                let [first, second] = &line.contenders;
                Ok(ArenaEntry::Paired {
                    encounter: line.encounter,
                    contenders: [first.contender()?, second.contender()?],
                    names: [first.name.clone(), second.name.clone()],
                })
            }
            Self::Ended(line) => line.entry(),
        }
    }
}

impl ContenderLine {
    fn contender(&self) -> Result<Contender, RecordError> {
        let Some(player) = &self.player else {
            let name = Name::new(&self.name);
            let name = name.map_err(|error| unreadable("name", &error))?;
            return Ok(Contender::Anchor(name));
        };
        let player: PlayerId = field("player", player)?;
        let build: BuildText = field("build", &self.build)?;
        Ok(Contender::Build { player, build })
    }
}

impl EndedLine {
    fn record(&self) -> Result<ArenaRecord, RecordError> {
        let ArenaEntry::Ended {
            encounter,
            leg,
            result,
        } = self.entry()?
        else {
            unreachable!("the line is about the end of a match");
        };
        check_time("started", &self.started)?;
        check_time("ended", &self.ended)?;
        let hash = self.head_hash.as_deref();
        Ok(ArenaRecord {
            encounter,
            leg,
            match_id: field("match_id", &self.match_id)?,
            result,
            score: [self.score.first, self.score.second],
            plies: self.plies,
            head_hash: hash.map(|text| field("head_hash", text)).transpose()?,
            replays: self.replays,
            times: [self.started.clone(), self.ended.clone()],
        })
    }

    fn entry(&self) -> Result<ArenaEntry, RecordError> {
        let _: MatchId = field("match_id", &self.match_id)?;
        let leg = Leg::BOTH.into_iter().find(|leg| leg.number() == self.leg);
        let leg = leg.ok_or_else(|| RecordError::Field {
            field: "leg",
            fault: format!("it is 1 or 2, not {}", self.leg),
        })?;
        let read_seat = |text: &String| field("winner", text);
        let winner: Option<Seat> = self.winner.as_ref().map(read_seat).transpose()?;
        let digest = self.digest.as_deref();
        let fault = |line: &ArenaFaultLine| {
            Ok(Fault {
                seat: field("seat", &line.seat)?,
                kind: field("kind", &line.kind)?,
                detail: line.detail.clone(),
            })
        };
        Ok(ArenaEntry::Ended {
            encounter: self.encounter,
            leg,
            result: LegResult {
                winner,
                termination: field("termination", &self.termination)?,
                moves: digest.map(|text| field("digest", text)).transpose()?,
                faults: self
                    .faults
                    .iter()
                    .map(fault)
                    .collect::<Result<_, RecordError>>()?,
            },
        })
    }
}

fn check_time(name: &'static str, text: &str) -> Result<(), RecordError> {
    let time = humantime::parse_rfc3339(text);
    time.map(drop).map_err(|error| unreadable(name, &error))
}
