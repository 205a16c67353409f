use std::collections::BTreeMap;

use dragontooth_games::catalogue;
use dragontooth_games::record::{
    GameRecord, Headers, MatchRecord, RecordFormat, RecordOutcome, RecordStep, SeedHeaders,
    SeedOrigin, Thinking, write_text,
};
use dragontooth_games::verify::{VerifiedDraws, verify_draws};
use dragontooth_games::{Seat, UnknownName};
use dragontooth_proto::v1 as wire;
use dragontooth_service_domain::{Clocks, MatchState};
use dragontooth_service_store::{ChainedEvent, MatchLog, MatchLogError, MatchReplay, StoredMatch};
use dragontooth_service_vocabulary::{
    MatchEvent, MatchId, MatchSeed, SeedText, Sequence, Termination,
};
use dragontooth_service_wire::timestamp;

use super::fault::{Fault, InvalidField};
use super::thinking_reader::ThinkingReader;
use super::to_proto;
use crate::matches::{Reader, Refusal};

/// Events that are read from the log at once.
const PAGE_EVENTS: usize = 64;

/// An end that no match has come to.
const EVERYTHING: Sequence = Sequence(u64::MAX);

/// The format of a record that every game has: see [`write_text`].
const TEXT: &str = "text";

/// The form of a record.
#[derive(Debug)]
pub(super) struct RecordForm {
    /// The format of the text; empty for the usual one.
    pub(super) format: String,
    /// True to send the stored bytes of the events too.
    pub(super) raw_records: bool,
}

impl RecordForm {
    /// Checks that the game has the format, or that every game has it.
    pub(super) fn check(&self, game: Option<&str>) -> Result<(), Fault> {
        match game {
            Some(game) => find_format(game, &self.format).map(drop),
            None if is_text(&self.format) => Ok(()),
            None => {
                let why = "a format other than text needs `filter.game`";
                Err(InvalidField::new("format", why).into())
            }
        }
    }
}

/// The record of a match up to an event: its events, and a text in the requested format.
pub(super) async fn export(
    reader: &Reader,
    id: MatchId,
    end: Sequence,
    form: &RecordForm,
    thinking: ThinkingReader,
) -> Result<wire::ExportMatchResponse, Fault> {
    let mut events = Vec::new();
    let mut raw_records = Vec::new();
    let matches = reader.matches();
    let (record, state) = read(reader, id, end, thinking, |entry, before, after| {
        events.push(to_proto::match_event(
            matches, entry, before, after, thinking,
        ));
        if form.raw_records {
            raw_records.push(entry.payload.clone());
        }
    })
    .await?;
    let is_seed_shown = matches.reveals_seed(state.created(), state.result().is_some());
    if !is_seed_shown {
        // The first of them has the server's seed in it.
        raw_records.clear();
    }
    let given = state.created().seed.given().filter(|_| is_seed_shown);
    Ok(wire::ExportMatchResponse {
        text: text(&record, &state, &form.format, is_seed_shown)?,
        r#match: Some(to_proto::shown_match(matches, &(&state).into())),
        events,
        seed: given.map_or_else(String::new, ToString::to_string),
        raw_records,
    })
}

/// Draws again everything that was drawn in a match up to an event.
pub(super) async fn verify(
    reader: &Reader,
    id: MatchId,
    end: Sequence,
) -> Result<wire::VerifyMatchResponse, Fault> {
    let all = ThinkingReader::OF_ALL;
    let (record, stored) = read(reader, id, end, all, |_, _, _| {}).await?;
    let (checked, fault) = match verify_draws(&record, &stored.draws()) {
        Ok(checked) => (Some(checked), String::new()),
        Err(fault) => (None, fault.to_string()),
    };
    Ok(wire::VerifyMatchResponse {
        head_sequence: stored.head().0,
        deals: checked.as_ref().map_or(0, |checked| checked.deals),
        rolls: checked.as_ref().map_or(0, |checked| checked.rolls),
        fault,
        head_hash: stored.head_hash().to_string(),
    })
}

/// The result of an audit of a match whose log is sound.
#[derive(Debug)]
pub(crate) struct Audit {
    /// The match at its head.
    pub(crate) stored: StoredMatch,
    /// The deals and rolls that are as the seeds want them, or the first that is not.
    pub(crate) draws: Result<VerifiedDraws, String>,
}

/// Recomputes the chain of a match, replays it by the rules, and repeats its draws; `None` if the match does
/// not exist.
pub(crate) async fn audit(log: &MatchLog, id: MatchId) -> Result<Option<Audit>, MatchLogError> {
    let all = ThinkingReader::OF_ALL;
    let Some((record, stored)) = read_log(log, id, EVERYTHING, all, |_, _, _| {}).await? else {
        return Ok(None);
    };
    let draws = verify_draws(&record, &stored.draws()).map_err(|fault| fault.to_string());
    Ok(Some(Audit { stored, draws }))
}

/// Reads the log of a match up to an event and makes a record of it. `visit` gets every event, the clocks before it
/// and the match after it.
async fn read(
    reader: &Reader,
    id: MatchId,
    end: Sequence,
    thinking: ThinkingReader,
    mut visit: impl FnMut(&ChainedEvent, Option<Clocks>, &MatchState),
) -> Result<(MatchRecord, StoredMatch), Fault> {
    let visit = |entry: &ChainedEvent, before: Option<Clocks>, after: &MatchState| {
        visit(entry, before, after);
        reader.yield_to_players();
    };
    match read_log(reader.log(), id, end, thinking, visit).await {
        Ok(Some(read)) => Ok(read),
        Ok(None) => Err(Refusal::MatchNotFound(id).into()),
        Err(error) => Err(reader.unreadable(id, error).await.into()),
    }
}

async fn read_log(
    log: &MatchLog,
    id: MatchId,
    end: Sequence,
    thinking: ThinkingReader,
    mut visit: impl FnMut(&ChainedEvent, Option<Clocks>, &MatchState),
) -> Result<Option<(MatchRecord, StoredMatch)>, MatchLogError> {
    let mut replay = MatchReplay::new(id);
    let mut games = Vec::new();
    loop {
        let page = log.read(id, replay.head(), PAGE_EVENTS).await?;
        let shown = page.iter();
        let mut shown = shown
            .take_while(|entry| entry.recorded.sequence <= end)
            .peekable();
        if shown.peek().is_none() {
            break;
        }
        for entry in shown {
            let before = replay.state().map(|state| *state.clocks());
            let after = replay.push(entry)?;
            visit(entry, before, after);
            let event = &entry.recorded.event;
            take(event, thinking.thinking(event, after), &mut games);
        }
    }
    let Some(state) = replay.into_match() else {
        return Ok(None);
    };
    let created = state.created();
    let name = |seat| {
        let seated = state.seated(seat);
        seated.map_or_else(String::new, |seated| seated.name.to_string())
    };
    let day = timestamp::to_proto(state.created_at()).to_string();
    let record = MatchRecord {
        game: created.game.clone(),
        variant: created.variant.clone(),
        target: created.target,
        players: Seat::BOTH.map(name),
        title: created.title.to_string(),
        date: day.split_once('T').map(|(day, _)| day.to_owned()),
        opening: created.opening.clone(),
        games,
    };
    Ok(Some((record, state)))
}

/// Puts an event into the record of its game, with these thoughts about it.
fn take(event: &MatchEvent, thinking: Option<&Thinking>, games: &mut Vec<GameRecord>) {
    let step = match event {
        MatchEvent::Created(_)
        | MatchEvent::SeatJoined { .. }
        | MatchEvent::ActionRefused { .. }
        | MatchEvent::MatchEnded { .. } => return,
        MatchEvent::GameStarted { position, .. } => {
            return games.push(GameRecord {
                start: position.clone(),
                steps: Vec::new(),
                thinking: BTreeMap::new(),
                outcome: None,
            });
        }
        MatchEvent::GameEnded { winner, points, .. } => {
            if let Some(game) = games.last_mut() {
                game.outcome = Some(RecordOutcome {
                    winner: *winner,
                    points: *points,
                });
            }
            return;
        }
        MatchEvent::ActionPlayed { seat, action, .. } => RecordStep::Action {
            seat: *seat,
            action: action.clone(),
        },
        MatchEvent::Rolled { roll } => RecordStep::Roll { roll: roll.clone() },
        MatchEvent::TurnPassed { seat } => RecordStep::Pass { seat: *seat },
    };
    if let Some(game) = games.last_mut() {
        if let Some(thinking) = thinking {
            game.thinking.insert(game.steps.len(), thinking.clone());
        }
        game.steps.push(step);
    }
}

/// The record in a format of its game; the usual text for none.
fn text(
    record: &MatchRecord,
    state: &StoredMatch,
    format: &str,
    is_seed_shown: bool,
) -> Result<String, Fault> {
    match find_format(&record.game, format)? {
        None => Ok(write_text(record, &headers(state, is_seed_shown))),
        Some(found) => {
            (found.write)(record).map_err(|error| InvalidField::new("format", error).into())
        }
    }
}

/// The format of this name of a game; `None` for the usual text.
fn find_format(game: &str, format: &str) -> Result<Option<&'static RecordFormat>, Fault> {
    if is_text(format) {
        return Ok(None);
    }
    let game = catalogue::find(game).map_err(Fault::UnknownGame)?;
    let found = game.formats.iter().find(|known| known.name == format);
    let found = found.ok_or_else(|| {
        let known = game.formats.iter().map(|known| known.name);
        let unknown = UnknownName {
            kind: "format",
            name: format.to_owned(),
            known: std::iter::once(TEXT).chain(known).collect(),
        };
        InvalidField::new("format", unknown)
    })?;
    Ok(Some(found))
}

fn is_text(format: &str) -> bool {
    format.is_empty() || format == TEXT
}

/// The word for a termination in a record.
const fn word(termination: Termination) -> &'static str {
    match termination {
        Termination::Normal => "normal",
        Termination::Timeout => "timeout",
        Termination::Resignation => "resignation",
        Termination::Aborted => "aborted",
        Termination::IllegalAction => "illegal_action",
        Termination::Disconnect => "disconnect",
        Termination::Expired => "expired",
        Termination::Declined => "declined",
    }
}

fn headers(state: &StoredMatch, is_seed_shown: bool) -> Headers {
    let created = state.created();
    let result = match state.result() {
        None => "unfinished".to_owned(),
        Some(result) => {
            let winner = result
                .winner
                .map_or("nobody".to_owned(), |seat| seat.to_string());
            let termination = word(result.termination);
            format!("{winner} {} {termination}", state.play().score())
        }
    };
    let seed_of = |seat| {
        state.seated(seat).map_or_else(
            || SeedText::default_of_players().to_string(),
            |seated| seated.seed.to_string(),
        )
    };
    Headers {
        match_id: created.id.to_string(),
        result,
        head_hash: Some(*state.head_hash().bytes()),
        seeds: SeedHeaders {
            commitment: Some(created.seed.commitment(created.id)),
            server_seed: is_seed_shown.then(|| *created.seed.server_seed().bytes()),
            origin: match &created.seed {
                MatchSeed::Shared(_) => SeedOrigin::Shared,
                MatchSeed::Given(_) => SeedOrigin::Given,
                MatchSeed::Drawn(_) => SeedOrigin::Drawn,
            },
            players: Seat::BOTH.map(seed_of),
        },
    }
}
