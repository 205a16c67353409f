//! Events of the domain as the bytes of `dragontooth.store.v1`.

use std::str::FromStr;
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::chance::Seed;
use dragontooth_proto::store::v1::{self as wire, stored_event::Event as Wire};
use dragontooth_service_vocabulary::{
    Audience, Created, DisplayName, EndReason, Grace, IdentityName, IllegalActionLimit, MatchEvent,
    MatchId, MatchOutcome, MatchSeed, PlayerId, PlayerName, SeedText, SharedSeed, Termination,
    TimeControl, Timestamp, Title, Visibility,
};
use prost::Message;

mod brief;
mod summary;
mod thinking;

pub(crate) use brief::{decode_brief, encode_brief};
pub(crate) use summary::{decode_summary, encode_summary, record_digest};

/// The version of the format that is written. The older ones, from [`OLDEST_EVENT_FORMAT`] on, are
/// read too.
pub const EVENT_FORMAT: u32 = 2;

/// The oldest version of the format that is read. Its events are those of format 2; what differs is
/// the record around them, which has no hash.
pub const OLDEST_EVENT_FORMAT: u32 = 1;

/// The stored form of an event that is recorded at `time`: the payload of its record.
#[must_use]
pub fn encode(time: Timestamp, event: &MatchEvent) -> Vec<u8> {
    stored(time, event).encode_to_vec()
}

fn stored(time: Timestamp, event: &MatchEvent) -> wire::StoredEvent {
    wire::StoredEvent {
        format: EVENT_FORMAT,
        time_us: time.micros(),
        event: Some(to_wire(event)),
    }
}

/// The event that `bytes` store, and when it was recorded.
///
/// # Errors
///
/// The bytes are damaged or of a format that this program does not know.
pub fn decode(bytes: &[u8]) -> Result<(Timestamp, MatchEvent), DecodeError> {
    from_stored(wire::StoredEvent::decode(bytes).map_err(DecodeError::Unreadable)?)
}

fn from_stored(stored: wire::StoredEvent) -> Result<(Timestamp, MatchEvent), DecodeError> {
    if !(OLDEST_EVENT_FORMAT..=EVENT_FORMAT).contains(&stored.format) {
        return Err(DecodeError::UnknownFormat(stored.format));
    }
    let event = stored.event.ok_or(DecodeError::Field("event"))?;
    Ok((Timestamp::from_micros(stored.time_us), from_wire(event)?))
}

/// A stored event cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes are not a protobuf message.
    #[error("the bytes are not a stored event")]
    Unreadable(#[source] prost::DecodeError),
    /// A newer program wrote it.
    #[error("its format is {0}, and this program knows {OLDEST_EVENT_FORMAT} to {EVENT_FORMAT}")]
    UnknownFormat(u32),
    /// A field is missing or has no meaning.
    #[error("its field {0} has no meaning")]
    Field(&'static str),
}

fn to_wire(event: &MatchEvent) -> Wire {
    match event {
        MatchEvent::Created(created) => Wire::Created(Box::new(created_to_wire(created))),
        MatchEvent::SeatJoined {
            seat,
            player,
            name,
            seed,
            request_id,
        } => Wire::SeatJoined(wire::SeatJoined {
            seat: seat_to_wire(Some(*seat)),
            player: player.bytes().to_vec(),
            name: name.to_string(),
            seed: seed.to_string(),
            request_id: text_to_wire(request_id.as_ref()),
            name_verified: name.is_verified(),
        }),
        MatchEvent::GameStarted { number, position } => Wire::GameStarted(wire::GameStarted {
            game_number: *number,
            position: position.clone(),
        }),
        MatchEvent::ActionPlayed {
            seat,
            action,
            received,
            remaining,
            request_id,
            written,
            thinking,
        } => Wire::ActionPlayed(wire::ActionPlayed {
            thinking: thinking
                .as_deref()
                .map(|thinking| Box::new(thinking::to_wire(thinking))),
            seat: seat_to_wire(Some(*seat)),
            action: action.clone(),
            received_us: received.map(Timestamp::micros),
            remaining_us: remaining.map(micros),
            request_id: text_to_wire(request_id.as_ref()),
            written: written.clone().unwrap_or_default(),
        }),
        MatchEvent::ActionRefused {
            seat,
            action,
            request_id,
        } => Wire::ActionRefused(wire::ActionRefused {
            seat: seat_to_wire(Some(*seat)),
            action: action.clone(),
            request_id: text_to_wire(request_id.as_ref()),
        }),
        MatchEvent::Rolled { roll } => Wire::Rolled(wire::Rolled { roll: roll.clone() }),
        MatchEvent::TurnPassed { seat } => Wire::TurnPassed(wire::TurnPassed {
            seat: seat_to_wire(Some(*seat)),
        }),
        MatchEvent::GameEnded {
            winner,
            points,
            reason,
        } => Wire::GameEnded(wire::GameEnded {
            winner: seat_to_wire(*winner),
            points: *points,
            reason: reason.clone(),
        }),
        MatchEvent::MatchEnded {
            outcome,
            request_id,
        } => Wire::MatchEnded(wire::MatchEnded {
            winner: seat_to_wire(outcome.winner),
            termination: termination_to_wire(outcome.termination).into(),
            request_id: text_to_wire(request_id.as_ref()),
            aborted_by: player_to_wire(outcome.aborted_by),
            failure: text_to_wire(outcome.failure.as_ref()),
            reason: text_to_wire(outcome.reason.as_ref()),
        }),
    }
}

fn from_wire(event: Wire) -> Result<MatchEvent, DecodeError> {
    Ok(match event {
        Wire::Created(created) => MatchEvent::Created(Box::new(created_from_wire(*created)?)),
        Wire::SeatJoined(joined) => MatchEvent::SeatJoined {
            seat: seat(joined.seat)?,
            player: player(&joined.player)?,
            name: seat_name(&joined.name, joined.name_verified)?,
            seed: seed_text(&joined.seed)?,
            request_id: text(&joined.request_id, "request_id")?,
        },
        Wire::GameStarted(started) => MatchEvent::GameStarted {
            number: started.game_number,
            position: started.position,
        },
        Wire::ActionPlayed(played) => MatchEvent::ActionPlayed {
            seat: seat(played.seat)?,
            action: played.action,
            received: played.received_us.map(Timestamp::from_micros),
            remaining: played.remaining_us.map(Duration::from_micros),
            request_id: text(&played.request_id, "request_id")?,
            written: (!played.written.is_empty()).then_some(played.written),
            thinking: played
                .thinking
                .map(|stored| thinking::from_wire(*stored).map(Box::new))
                .transpose()?,
        },
        Wire::ActionRefused(refused) => MatchEvent::ActionRefused {
            seat: seat(refused.seat)?,
            action: refused.action,
            request_id: text(&refused.request_id, "request_id")?,
        },
        Wire::Rolled(rolled) => MatchEvent::Rolled { roll: rolled.roll },
        Wire::TurnPassed(passed) => MatchEvent::TurnPassed {
            seat: seat(passed.seat)?,
        },
        Wire::GameEnded(ended) => MatchEvent::GameEnded {
            winner: seat_or_none(ended.winner)?,
            points: ended.points,
            reason: ended.reason,
        },
        Wire::MatchEnded(ended) => MatchEvent::MatchEnded {
            outcome: MatchOutcome {
                winner: seat_or_none(ended.winner)?,
                termination: termination(ended.termination)?,
                aborted_by: player_or_none(&ended.aborted_by)?,
                failure: text(&ended.failure, "failure")?,
                reason: end_reason(&ended.reason)?,
            },
            request_id: text(&ended.request_id, "request_id")?,
        },
    })
}

fn created_to_wire(created: &Created) -> wire::Created {
    let reserved = |seat: Seat| player_to_wire(created.reserved[seat.index()]);
    let [time_control, first_time_control, second_time_control] =
        time_controls_to_wire(created.time_controls);
    wire::Created {
        game: created.game.clone(),
        variant: created.variant.clone(),
        target: created.target,
        time_control,
        first_time_control,
        second_time_control,
        seed: created
            .seed
            .given()
            .map_or_else(String::new, ToString::to_string),
        drawn_seed: match &created.seed {
            MatchSeed::Shared(_) | MatchSeed::Given(_) => Vec::new(),
            MatchSeed::Drawn(seed) => seed.bytes().to_vec(),
        },
        seed_matches: match &created.seed {
            MatchSeed::Shared(shared) => shared.matches(),
            MatchSeed::Given(_) | MatchSeed::Drawn(_) => 0,
        },
        match_id: created.id.bytes().to_vec(),
        title: created.title.to_string(),
        creator: created.creator.bytes().to_vec(),
        first_reserved: reserved(Seat::First),
        second_reserved: reserved(Seat::Second),
        private: created.audience.visibility() == Visibility::Private,
        spectator_delay_us: micros(created.audience.spectator_delay()),
        disconnect_grace_us: created
            .disconnect_grace
            .map_or(0, |grace| micros(grace.duration())),
        illegal_action_limit: created
            .illegal_action_limit
            .map_or(0, IllegalActionLimit::get),
        join_timeout_us: created.join_timeout.map_or(0, micros),
        opening: created.opening.clone(),
        request_id: text_to_wire(created.request_id.as_ref()),
    }
}

fn seat_name(name: &str, is_verified: bool) -> Result<DisplayName, DecodeError> {
    let name = if is_verified {
        IdentityName::recorded(name).map(DisplayName::Identity)
    } else {
        PlayerName::recorded(name).map(DisplayName::SelfGiven)
    };
    name.map_err(|_| DecodeError::Field("name"))
}

fn end_reason(reason: &str) -> Result<Option<EndReason>, DecodeError> {
    if reason.is_empty() {
        return Ok(None);
    }
    EndReason::recorded(reason)
        .map(Some)
        .map_err(|_| DecodeError::Field("reason"))
}

fn created_from_wire(created: wire::Created) -> Result<Created, DecodeError> {
    Ok(Created {
        time_controls: time_controls(&created)?,
        id: match_id(&created.match_id)?,
        seed: match_seed(&created)?,
        title: Title::recorded(&created.title).map_err(|_| DecodeError::Field("title"))?,
        creator: player(&created.creator)?,
        reserved: [
            player_or_none(&created.first_reserved)?,
            player_or_none(&created.second_reserved)?,
        ],
        audience: audience(created.private, created.spectator_delay_us)?,
        disconnect_grace: grace(created.disconnect_grace_us)?,
        illegal_action_limit: illegal_action_limit(created.illegal_action_limit)?,
        join_timeout: Some(created.join_timeout_us)
            .filter(|micros| *micros > 0)
            .map(Duration::from_micros),
        opening: created.opening,
        request_id: text(&created.request_id, "request_id")?,
        game: created.game,
        variant: created.variant,
        target: created.target,
    })
}

fn grace(micros: u64) -> Result<Option<Grace>, DecodeError> {
    match micros {
        0 => Ok(None),
        micros => Grace::new(Duration::from_micros(micros))
            .map(Some)
            .map_err(|_| DecodeError::Field("disconnect_grace_us")),
    }
}

fn illegal_action_limit(actions: u32) -> Result<Option<IllegalActionLimit>, DecodeError> {
    match actions {
        0 => Ok(None),
        actions => IllegalActionLimit::new(actions)
            .map(Some)
            .map_err(|_| DecodeError::Field("illegal_action_limit")),
    }
}

fn audience(private: bool, spectator_delay_us: u64) -> Result<Audience, DecodeError> {
    let visibility = if private {
        Visibility::Private
    } else {
        Visibility::Public
    };
    Audience::new(visibility, Duration::from_micros(spectator_delay_us))
        .map_err(|_| DecodeError::Field("spectator_delay_us"))
}

fn match_id(bytes: &[u8]) -> Result<MatchId, DecodeError> {
    bytes
        .try_into()
        .map(MatchId::from_bytes)
        .map_err(|_| DecodeError::Field("match_id"))
}

fn match_seed(created: &wire::Created) -> Result<MatchSeed, DecodeError> {
    let given = || seed_text(&created.seed);
    match (created.drawn_seed.as_slice(), created.seed_matches) {
        ([], 0) => given().map(MatchSeed::Given),
        ([], matches) => SharedSeed::new(given()?, matches)
            .map(MatchSeed::Shared)
            .map_err(|_| DecodeError::Field("seed_matches")),
        (drawn, 0) => drawn
            .try_into()
            .map(|bytes| MatchSeed::Drawn(Seed::from_bytes(bytes)))
            .map_err(|_| DecodeError::Field("drawn_seed")),
        (_, _) => Err(DecodeError::Field("seed_matches")),
    }
}

fn seed_text(text: &str) -> Result<SeedText, DecodeError> {
    SeedText::new(text).map_err(|_| DecodeError::Field("seed"))
}

/// The time control of both seats if they have the same, else a marker followed by the one of each seat.
fn time_controls_to_wire(controls: [Option<TimeControl>; 2]) -> [Option<wire::TimeControl>; 3] {
    let [first, second] = controls.map(|control| control.map(time_control_to_wire));
    if first == second {
        return [first, None, None];
    }
    let by_seat = wire::TimeControl {
        kind: wire::TimeControlKind::BySeat.into(),
        ..wire::TimeControl::default()
    };
    [Some(by_seat), first, second]
}

fn time_controls(created: &wire::Created) -> Result<[Option<TimeControl>; 2], DecodeError> {
    let by_seat = wire::TimeControl {
        kind: wire::TimeControlKind::BySeat.into(),
        ..wire::TimeControl::default()
    };
    let first = time_control(created.first_time_control)?;
    let second = time_control(created.second_time_control)?;
    if created.time_control == Some(by_seat) {
        if first == second {
            return Err(DecodeError::Field("time_control"));
        }
        return Ok([first, second]);
    }
    if created.first_time_control.is_some() || created.second_time_control.is_some() {
        return Err(DecodeError::Field("time_control"));
    }
    Ok([time_control(created.time_control)?; 2])
}

fn time_control_to_wire(control: TimeControl) -> wire::TimeControl {
    use wire::TimeControlKind as Kind;
    let (kind, base, extra) = match control {
        TimeControl::PerAction { limit } => (Kind::PerAction, limit, Duration::ZERO),
        TimeControl::Fischer { base, increment } => (Kind::Fischer, base, increment),
        TimeControl::Delay { base, delay } => (Kind::Delay, base, delay),
    };
    wire::TimeControl {
        kind: kind.into(),
        base_us: micros(base),
        extra_us: micros(extra),
    }
}

fn time_control(control: Option<wire::TimeControl>) -> Result<Option<TimeControl>, DecodeError> {
    use wire::TimeControlKind as Kind;
    let field = DecodeError::Field("time_control");
    let Some(control) = control else {
        return Ok(None);
    };
    let base = Duration::from_micros(control.base_us);
    let extra = Duration::from_micros(control.extra_us);
    let control = match Kind::try_from(control.kind) {
        Ok(Kind::PerAction) => TimeControl::PerAction { limit: base },
        Ok(Kind::Fischer) => TimeControl::Fischer {
            base,
            increment: extra,
        },
        Ok(Kind::Delay) => TimeControl::Delay { base, delay: extra },
        Ok(Kind::Unspecified | Kind::BySeat) | Err(_) => return Err(field),
    };
    control.check().map(Some).map_err(|_| field)
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn seat_to_wire(seat: Option<Seat>) -> i32 {
    match seat {
        None => wire::Seat::Unspecified,
        Some(Seat::First) => wire::Seat::First,
        Some(Seat::Second) => wire::Seat::Second,
    }
    .into()
}

fn seat_or_none(number: i32) -> Result<Option<Seat>, DecodeError> {
    match wire::Seat::try_from(number) {
        Ok(wire::Seat::Unspecified) => Ok(None),
        Ok(wire::Seat::First) => Ok(Some(Seat::First)),
        Ok(wire::Seat::Second) => Ok(Some(Seat::Second)),
        Err(_) => Err(DecodeError::Field("seat")),
    }
}

fn seat(number: i32) -> Result<Seat, DecodeError> {
    seat_or_none(number)?.ok_or(DecodeError::Field("seat"))
}

fn player(bytes: &[u8]) -> Result<PlayerId, DecodeError> {
    bytes
        .try_into()
        .map(PlayerId::from_bytes)
        .map_err(|_| DecodeError::Field("player"))
}

fn player_or_none(bytes: &[u8]) -> Result<Option<PlayerId>, DecodeError> {
    match bytes {
        [] => Ok(None),
        bytes => player(bytes).map(Some),
    }
}

fn player_to_wire(player: Option<PlayerId>) -> Vec<u8> {
    player.map_or_else(Vec::new, |player| player.bytes().to_vec())
}

/// A text that may be missing; empty for none.
fn text_to_wire<T: ToString>(text: Option<&T>) -> String {
    text.map_or_else(String::new, ToString::to_string)
}

fn text<T: FromStr>(text: &str, field: &'static str) -> Result<Option<T>, DecodeError> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse()
        .map(Some)
        .map_err(|_| DecodeError::Field(field))
}

const fn termination_to_wire(termination: Termination) -> wire::Termination {
    match termination {
        Termination::Normal => wire::Termination::Normal,
        Termination::Timeout => wire::Termination::Timeout,
        Termination::Resignation => wire::Termination::Resignation,
        Termination::Aborted => wire::Termination::Aborted,
        Termination::Disconnect => wire::Termination::Disconnect,
        Termination::IllegalAction => wire::Termination::IllegalAction,
        Termination::Expired => wire::Termination::Expired,
        Termination::Declined => wire::Termination::Declined,
    }
}

fn termination(number: i32) -> Result<Termination, DecodeError> {
    match wire::Termination::try_from(number) {
        Ok(wire::Termination::Normal) => Ok(Termination::Normal),
        Ok(wire::Termination::Timeout) => Ok(Termination::Timeout),
        Ok(wire::Termination::Resignation) => Ok(Termination::Resignation),
        Ok(wire::Termination::Aborted) => Ok(Termination::Aborted),
        Ok(wire::Termination::Disconnect) => Ok(Termination::Disconnect),
        Ok(wire::Termination::IllegalAction) => Ok(Termination::IllegalAction),
        Ok(wire::Termination::Expired) => Ok(Termination::Expired),
        Ok(wire::Termination::Declined) => Ok(Termination::Declined),
        Ok(wire::Termination::Unspecified) | Err(_) => Err(DecodeError::Field("termination")),
    }
}
