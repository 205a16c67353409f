//! Summaries of matches as the bytes of `dragontooth.store.v1.MatchSummary`, behind their checksum.

use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::match_play::Score;
use dragontooth_proto::store::v1 as wire;
use dragontooth_service_domain::Seated;
use dragontooth_service_vocabulary::{MatchEvent, Sequence, Timestamp};
use prost::Message;
use sha2::{Digest, Sha256};

use super::{DecodeError, from_stored, micros, stored};
use crate::{ChainHash, ChainHead, MatchSummary};

/// The version of the format that is written, and the only one that is read: summaries of another are rebuilt.
const SUMMARY_FORMAT: u32 = 1;

/// Bytes of the checksum.
const SUM_BYTES: usize = 4;

/// The digest of a record by which a summary names the end of its log.
pub(crate) fn record_digest(record: &[u8]) -> [u8; 32] {
    Sha256::digest(record).into()
}

/// The stored form of a summary of the match whose last record has this digest.
pub(crate) fn encode_summary(summary: &MatchSummary, last_record: [u8; 32]) -> Vec<u8> {
    let created = MatchEvent::Created(Box::new(summary.created.clone()));
    let ended = MatchEvent::MatchEnded {
        outcome: summary.outcome.clone(),
        request_id: None,
    };
    let seats = Seat::BOTH.into_iter().filter_map(|seat| {
        let seated = summary.seats[seat.index()].clone()?;
        Some(MatchEvent::SeatJoined {
            seat,
            player: seated.player,
            name: seated.name,
            seed: seated.seed,
            request_id: None,
        })
    });
    let mut events = vec![stored(summary.created_at, &created)];
    events.extend(seats.map(|event| stored(Timestamp::default(), &event)));
    events.push(stored(summary.ended_at, &ended));
    let [first_remaining_us, second_remaining_us] = summary.remaining.map(|time| time.map(micros));
    let message = wire::MatchSummary {
        format: SUMMARY_FORMAT,
        last_record: last_record.to_vec(),
        head_sequence: summary.head.sequence.0,
        head_hash: summary.head.hash.bytes().to_vec(),
        events,
        first_points: summary.score.of(Seat::First),
        second_points: summary.score.of(Seat::Second),
        game_number: summary.game_number,
        position: summary.position.clone(),
        first_remaining_us,
        second_remaining_us,
    };
    let bytes = message.encode_to_vec();
    let mut sealed = crc32fast::hash(&bytes).to_be_bytes().to_vec();
    sealed.extend(bytes);
    sealed
}

/// The summary that `sealed` stores, with the digest of the last record that it was made from; `None` if it is
/// damaged or of another format.
pub(crate) fn decode_summary(sealed: &[u8]) -> Option<(MatchSummary, [u8; 32])> {
    let (sum, bytes) = sealed.split_first_chunk::<SUM_BYTES>()?;
    if crc32fast::hash(bytes).to_be_bytes() != *sum {
        return None;
    }
    let message = wire::MatchSummary::decode(bytes).ok()?;
    if message.format != SUMMARY_FORMAT {
        return None;
    }
    let last_record = message.last_record.as_slice().try_into().ok()?;
    Some((from_message(message).ok()?, last_record))
}

fn from_message(message: wire::MatchSummary) -> Result<MatchSummary, DecodeError> {
    let mut created = None;
    let mut seats = [None, None];
    let mut end = None;
    for event in message.events {
        let (time, event) = from_stored(event)?;
        match event {
            MatchEvent::Created(event) => created = Some((*event, time)),
            MatchEvent::SeatJoined {
                seat,
                player,
                name,
                seed,
                request_id: _,
            } => seats[seat.index()] = Some(Seated { player, name, seed }),
            MatchEvent::MatchEnded {
                outcome,
                request_id: _,
            } => end = Some((outcome, time)),
            MatchEvent::GameStarted { .. }
            | MatchEvent::ActionPlayed { .. }
            | MatchEvent::ActionRefused { .. }
            | MatchEvent::Rolled { .. }
            | MatchEvent::TurnPassed { .. }
            | MatchEvent::GameEnded { .. } => return Err(DecodeError::Field("events")),
        }
    }
    let (created, created_at) = created.ok_or(DecodeError::Field("events"))?;
    let (outcome, ended_at) = end.ok_or(DecodeError::Field("events"))?;
    let hash = message.head_hash.as_slice().try_into();
    let hash = hash.map_err(|_| DecodeError::Field("head_hash"))?;
    Ok(MatchSummary {
        head: ChainHead {
            sequence: Sequence(message.head_sequence),
            hash: ChainHash::from_bytes(hash),
        },
        created,
        created_at,
        seats,
        score: Score::new([message.first_points, message.second_points]),
        game_number: message.game_number,
        position: message.position,
        remaining: [message.first_remaining_us, message.second_remaining_us]
            .map(|time| time.map(Duration::from_micros)),
        outcome,
        ended_at,
    })
}
