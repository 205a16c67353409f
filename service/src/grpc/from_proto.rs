use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_proto::v1 as wire;
use dragontooth_service_domain::access::NewToken;
use dragontooth_service_domain::{Command, NewMatch};
use dragontooth_service_vocabulary::{
    Audience, FailureText, Grace, IdentityName, IllegalActionLimit, MatchId, PlayerId, PlayerName,
    RequestId, Scope, SeedText, Sequence, TimeControl, Title, Visibility,
};

use super::fault::InvalidField;
use crate::matches::{Filter, Stage};

/// The greatest length of an action's text in bytes.
pub(super) const MAX_ACTION_BYTES: usize = 128;

/// The greatest length in bytes of the name of a game or a variant. No name is as long, but a longer
/// one would not fit into the refusal that repeats it.
const MAX_NAME_BYTES: usize = 64;

pub(super) fn match_id(text: &str) -> Result<MatchId, InvalidField> {
    text.parse()
        .map_err(|error| InvalidField::new("match_id", error))
}

/// The name of a game, which must be there.
pub(super) fn game(name: &str) -> Result<&str, InvalidField> {
    if name.is_empty() {
        return Err(InvalidField::new("game", "it is missing"));
    }
    short("game", name)
}

/// The name of a variant; none for the default.
pub(super) fn variant(name: &str) -> Result<Option<&str>, InvalidField> {
    Ok(Some(short("variant", name)?).filter(|name| !name.is_empty()))
}

fn short<'a>(field: &'static str, name: &'a str) -> Result<&'a str, InvalidField> {
    if name.len() > MAX_NAME_BYTES {
        let why = format!(
            "{} bytes are too many: at most {MAX_NAME_BYTES}",
            name.len()
        );
        return Err(InvalidField::new(field, why));
    }
    Ok(name)
}

pub(super) fn seat_or_any(field: &'static str, number: i32) -> Result<Option<Seat>, InvalidField> {
    match wire::Seat::try_from(number) {
        Ok(wire::Seat::Unspecified) => Ok(None),
        Ok(wire::Seat::First) => Ok(Some(Seat::First)),
        Ok(wire::Seat::Second) => Ok(Some(Seat::Second)),
        Err(_) => Err(InvalidField::new(field, format!("{number} is no seat"))),
    }
}

pub(super) fn request_id(text: &str) -> Result<Option<RequestId>, InvalidField> {
    if text.is_empty() {
        return Ok(None);
    }
    RequestId::new(text)
        .map(Some)
        .map_err(|error| InvalidField::new("request_id", error))
}

/// Why a player's program cannot go on; none for a resignation by choice.
pub(super) fn failure(text: &str) -> Result<Option<FailureText>, InvalidField> {
    if text.is_empty() {
        return Ok(None);
    }
    FailureText::new(text)
        .map(Some)
        .map_err(|error| InvalidField::new("failure", error))
}

pub(super) fn player_name(text: &str) -> Result<PlayerName, InvalidField> {
    PlayerName::new(text).map_err(|error| InvalidField::new("name", error))
}

/// An answer to a decision as the command that it is.
pub(super) fn act(
    player: PlayerId,
    decision_id: u64,
    action: String,
    request: &str,
) -> Result<Command, InvalidField> {
    if decision_id == 0 {
        return Err(InvalidField::new("decision_id", "it is missing"));
    }
    if action.is_empty() {
        return Err(InvalidField::new("action", "it is missing"));
    }
    if action.len() > MAX_ACTION_BYTES {
        let why = format!(
            "{} bytes are too many: at most {MAX_ACTION_BYTES}",
            action.len()
        );
        return Err(InvalidField::new("action", why));
    }
    let request_id = request_id(request)?;
    Ok(Command::Act {
        player,
        decision: Sequence(decision_id),
        action,
        request_id,
    })
}

/// A match that is to be created.
pub(super) fn new_match(
    creator: PlayerId,
    request: wire::CreateMatchRequest,
) -> Result<NewMatch, InvalidField> {
    game(&request.game)?;
    if request.target == 0 {
        return Err(InvalidField::new("target", "it is missing"));
    }
    Ok(NewMatch {
        variant: variant(&request.variant)?.map(str::to_owned),
        target: request.target,
        time_controls: time_controls(request.time_control, request.seat_time_controls)?,
        seed: seed(&request.seed)?,
        title: Title::new(&request.title).map_err(|error| InvalidField::new("title", error))?,
        creator,
        reserved: reservations(&request.reservations)?,
        audience: audience(request.visibility, request.spectator_delay)?,
        disconnect_grace: grace(request.disconnect_grace)?,
        illegal_action_limit: illegal_action_limit(request.illegal_action_limit)?,
        request_id: request_id(&request.request_id)?,
        game: request.game,
    })
}

fn audience(
    visibility: i32,
    spectator_delay: Option<prost_types::Duration>,
) -> Result<Audience, InvalidField> {
    let visibility = match wire::Visibility::try_from(visibility) {
        Ok(wire::Visibility::Unspecified | wire::Visibility::Public) => Visibility::Public,
        Ok(wire::Visibility::Private) => Visibility::Private,
        Err(_) => {
            let why = format!("{visibility} is no visibility");
            return Err(InvalidField::new("visibility", why));
        }
    };
    let delay = spectator_delay.map_or(Ok(Duration::ZERO), whole_micros);
    let delay = delay.map_err(|why| InvalidField::new("spectator_delay", why))?;
    Audience::new(visibility, delay).map_err(|error| InvalidField::new("spectator_delay", error))
}

/// A seed; none for the empty text.
pub(super) fn seed(text: &str) -> Result<Option<SeedText>, InvalidField> {
    if text.is_empty() {
        return Ok(None);
    }
    SeedText::new(text)
        .map(Some)
        .map_err(|error| InvalidField::new("seed", error))
}

fn grace(duration: Option<prost_types::Duration>) -> Result<Option<Grace>, InvalidField> {
    let invalid = |why: &dyn std::fmt::Display| InvalidField::new("disconnect_grace", why);
    let Some(duration) = duration else {
        return Ok(None);
    };
    let micros = whole_micros(duration).map_err(|why| invalid(&format!("it {why}")))?;
    Grace::new(micros)
        .map(Some)
        .map_err(|error| invalid(&error))
}

fn illegal_action_limit(actions: u32) -> Result<Option<IllegalActionLimit>, InvalidField> {
    if actions == 0 {
        return Ok(None);
    }
    IllegalActionLimit::new(actions)
        .map(Some)
        .map_err(|error| InvalidField::new("illegal_action_limit", error))
}

fn reservations(reservations: &[wire::Reservation]) -> Result<[Option<PlayerId>; 2], InvalidField> {
    let mut reserved = [None; 2];
    for reservation in reservations {
        let seat = seat_or_any("reservations.seat", reservation.seat)?
            .ok_or_else(|| InvalidField::new("reservations.seat", "it is missing"))?;
        let player = reservation
            .player_id
            .parse()
            .map_err(|error| InvalidField::new("reservations.player_id", error))?;
        if reserved[seat.index()].replace(player).is_some() {
            let why = format!("the {seat} seat is kept twice");
            return Err(InvalidField::new("reservations", why));
        }
    }
    Ok(reserved)
}

/// The agreement on time of each seat: the one of both, unless the seat has one of its own.
fn time_controls(
    both: Option<wire::TimeControl>,
    of_seats: Vec<wire::SeatTimeControl>,
) -> Result<[Option<TimeControl>; 2], InvalidField> {
    let mut own = [None; 2];
    for of_seat in of_seats {
        let seat = seat_or_any("seat_time_controls.seat", of_seat.seat)?
            .ok_or_else(|| InvalidField::new("seat_time_controls.seat", "it is missing"))?;
        let control = time_control(of_seat.time_control).map_err(|invalid| {
            let why = format!("{}: {}", invalid.field, invalid.why);
            InvalidField::new("seat_time_controls.time_control", why)
        })?;
        if own[seat.index()].replace(control).is_some() {
            let why = format!("the {seat} seat has two");
            return Err(InvalidField::new("seat_time_controls", why));
        }
    }
    let both = time_control(both)?;
    Ok(own.map(|own| own.unwrap_or(both)))
}

fn time_control(control: Option<wire::TimeControl>) -> Result<Option<TimeControl>, InvalidField> {
    use wire::time_control::Kind;
    let Some(kind) = control.and_then(|control| control.kind) else {
        return Ok(None);
    };
    let control = match kind {
        Kind::PerAction(per_action) => TimeControl::PerAction {
            limit: duration("time_control.per_action.limit", per_action.limit)?,
        },
        Kind::Fischer(fischer) => TimeControl::Fischer {
            base: duration("time_control.fischer.base", fischer.base)?,
            increment: duration("time_control.fischer.increment", fischer.increment)?,
        },
        Kind::Delay(delay) => TimeControl::Delay {
            base: duration("time_control.delay.base", delay.base)?,
            delay: duration("time_control.delay.delay", delay.delay)?,
        },
    };
    control.check().map(Some).map_err(|error| {
        let field = match (control, error.part) {
            (TimeControl::PerAction { .. }, _) => "time_control.per_action.limit",
            (TimeControl::Fischer { .. }, "base") => "time_control.fischer.base",
            (TimeControl::Fischer { .. }, _) => "time_control.fischer.increment",
            (TimeControl::Delay { .. }, "base") => "time_control.delay.base",
            (TimeControl::Delay { .. }, _) => "time_control.delay.delay",
        };
        InvalidField::new(field, error)
    })
}

/// A duration in whole microseconds; zero if there is none.
fn duration(
    field: &'static str,
    duration: Option<prost_types::Duration>,
) -> Result<Duration, InvalidField> {
    duration.map_or(Ok(Duration::ZERO), |duration| {
        whole_micros(duration).map_err(|why| InvalidField::new(field, format!("it {why}")))
    })
}

/// A duration without what is less than a microsecond.
fn whole_micros(duration: prost_types::Duration) -> Result<Duration, &'static str> {
    let seconds = u64::try_from(duration.seconds).map_err(|_| "is negative")?;
    let nanos = u32::try_from(duration.nanos).map_err(|_| "is negative")?;
    if nanos >= 1_000_000_000 {
        return Err("has a second or more in its nanoseconds");
    }
    let duration = Duration::new(seconds, nanos);
    let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    Ok(Duration::from_micros(micros))
}

/// What a list asks for: the filter, where it goes on and how many it wants.
pub(super) fn filter(request: wire::ListMatchesRequest) -> Result<Filter, InvalidField> {
    let player = match request.player_id.as_str() {
        "" => None,
        text => Some(
            text.parse()
                .map_err(|error| InvalidField::new("player_id", error))?,
        ),
    };
    let stage = match wire::MatchState::try_from(request.state) {
        Ok(wire::MatchState::Unspecified) => None,
        Ok(wire::MatchState::Open) => Some(Stage::Open),
        Ok(wire::MatchState::Active) => Some(Stage::Active),
        Ok(wire::MatchState::Ended) => Some(Stage::Ended),
        Err(_) => {
            return Err(InvalidField::new(
                "state",
                format!("{} is no state", request.state),
            ));
        }
    };
    short("game", &request.game)?;
    let game = (!request.game.is_empty()).then_some(request.game);
    Ok(Filter {
        stage,
        game,
        player,
    })
}

/// A token that is to be issued.
pub(super) fn new_token(
    admin: PlayerId,
    request: &wire::CreateTokenRequest,
) -> Result<NewToken, InvalidField> {
    let scopes = request.scopes.iter().map(|number| scope(*number));
    Ok(NewToken {
        name: IdentityName::new(&request.name).map_err(|error| InvalidField::new("name", error))?,
        scopes: scopes.collect::<Result<_, _>>()?,
        life: request
            .life
            .map(|life| whole_micros(life).map_err(|why| InvalidField::new("life", why)))
            .transpose()?,
        by: Some(admin),
        request_id: request_id(&request.request_id)?,
    })
}

fn scope(number: i32) -> Result<Scope, InvalidField> {
    match wire::Scope::try_from(number) {
        Ok(wire::Scope::Play) => Ok(Scope::Play),
        Ok(wire::Scope::Watch) => Ok(Scope::Watch),
        Ok(wire::Scope::Create) => Ok(Scope::Create),
        Ok(wire::Scope::Admin) => Ok(Scope::Admin),
        Ok(wire::Scope::Unspecified) | Err(_) => {
            Err(InvalidField::new("scopes", format!("{number} is no scope")))
        }
    }
}

/// The size of a page: `default` if none is asked for, and at most `max`.
pub(super) fn page_size(asked: i32, default: usize, max: usize) -> Result<usize, InvalidField> {
    match usize::try_from(asked) {
        Ok(0) => Ok(default),
        Ok(size) => Ok(size.min(max)),
        Err(_) => Err(InvalidField::new("page_size", "it is negative")),
    }
}

/// The match before which a page of matches begins; none for the first page.
pub(super) fn page_token(text: &str) -> Result<Option<MatchId>, InvalidField> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse()
        .map(Some)
        .map_err(|_| InvalidField::new("page_token", "no list gave it"))
}
