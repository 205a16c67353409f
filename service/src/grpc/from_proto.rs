use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::catalogue::{self, Game};
use dragontooth_proto::v1 as wire;
use dragontooth_service_domain::{Command, OfferedThinking};
use dragontooth_service_vocabulary::{
    Audience, DisplayName, EndReason, FailureText, Grace, IdentityName, IllegalActionLimit,
    ListOrder, MatchId, NewMatch, NewToken, Offer, PlayerId, PlayerName, RequestId, Scope,
    SeedText, Sequence, SharedSeed, TimeControl, Timestamp, Title,
};
use dragontooth_service_wire::{
    duration, offer, scope, seat, stage, thinking, time_control, timestamp, visibility,
};

use super::fault::InvalidField;
use crate::access::Caller;
use crate::config::MIN_JOIN_TIMEOUT;
use crate::matches::{Filter, ThinkingNote};

/// The greatest length of an action's text in bytes.
pub(super) const MAX_ACTION_BYTES: usize = 128;
/// The most bytes of an entry of an opening, which may be a position.
const MAX_OPENING_ENTRY_BYTES: usize = 512;

/// The shortest and the longest time for which an offer by a call counts.
const MIN_OFFER_TTL: Duration = Duration::from_secs(1);
const MAX_OFFER_TTL: Duration = Duration::from_hours(1);
/// A time that another service gave is ahead of this one's by less.
const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_mins(1);

/// The greatest length in bytes of the name of a game or a variant. No name is as long, but a longer
/// one would not fit into the refusal that repeats it.
const MAX_NAME_BYTES: usize = 64;

pub(super) fn match_id(text: &str) -> Result<MatchId, InvalidField> {
    text.parse()
        .map_err(|error| InvalidField::new("match_id", error))
}

pub(super) fn player_id(text: &str) -> Result<PlayerId, InvalidField> {
    named_player("player_id", text)
}

fn named_player(field: &'static str, text: &str) -> Result<PlayerId, InvalidField> {
    text.parse()
        .map_err(|error| InvalidField::new(field, error))
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
    seat::from_proto(number)
        .map_err(|_| InvalidField::new(field, format!("{number} is not a seat")))
}

pub(super) fn request_id(text: &str) -> Result<Option<RequestId>, InvalidField> {
    if text.is_empty() {
        return Ok(None);
    }
    RequestId::new(text)
        .map(Some)
        .map_err(|error| InvalidField::new("request_id", error))
}

/// Returns the reason for which a match is called off or declined; `None` if there is none.
pub(super) fn end_reason(text: &str) -> Result<Option<EndReason>, InvalidField> {
    if text.is_empty() {
        return Ok(None);
    }
    EndReason::new(text)
        .map(Some)
        .map_err(|error| InvalidField::new("reason", error))
}

/// Returns the reason why a player's program cannot continue; `None` for a resignation by choice.
pub(super) fn failure(text: &str) -> Result<Option<FailureText>, InvalidField> {
    if text.is_empty() {
        return Ok(None);
    }
    FailureText::new(text)
        .map(Some)
        .map_err(|error| InvalidField::new("reason", error))
}

/// The name of a caller that takes a seat: that of its identity, or else the one that it gives itself.
pub(super) fn seat_name(caller: &Caller, text: &str) -> Result<DisplayName, InvalidField> {
    if let Some(name) = &caller.name {
        return Ok(DisplayName::Identity(name.clone()));
    }
    let own = PlayerName::new(text).map_err(|error| InvalidField::new("name", error))?;
    Ok(DisplayName::SelfGiven(own))
}

/// The refusal of an invitation as the command that it is.
pub(super) fn decline(
    player: PlayerId,
    reason: &str,
    request: &str,
) -> Result<Command, InvalidField> {
    Ok(Command::Decline {
        player,
        reason: end_reason(reason)?,
        request_id: request_id(request)?,
    })
}

/// An answer to a decision as the command that it is.
pub(super) fn act(
    player: PlayerId,
    decision_id: u64,
    action: String,
    thinking: Option<Box<OfferedThinking>>,
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
        thinking,
        request_id,
    })
}

/// The thoughts in an answer, and the remark on them. Those that cannot be read are left out: the answer counts.
pub(super) fn thinking(
    wire: Option<Box<wire::Thinking>>,
) -> (Option<Box<OfferedThinking>>, ThinkingNote) {
    let Some(wire) = wire else {
        return (None, ThinkingNote::Nothing);
    };
    let unreadable = |field, why| (None, ThinkingNote::Unreadable { field, why });
    let seat = match seat_or_any("thinking.seat", wire.seat) {
        Ok(seat) => seat,
        Err(InvalidField { why, .. }) => return unreadable("thinking.seat", why),
    };
    match thinking::from_proto(*wire) {
        Ok(thinking) => {
            let note = seat.map_or(ThinkingNote::Nothing, ThinkingNote::View);
            (Some(Box::new(OfferedThinking { seat, thinking })), note)
        }
        Err(error) => unreadable(error.field, error.fault.to_string()),
    }
}

/// A match that is to be created.
pub(super) fn new_match(request: wire::CreateMatchRequest) -> Result<NewMatch, InvalidField> {
    game(&request.game)?;
    short_texts("opening", &request.opening, MAX_OPENING_ENTRY_BYTES)?;
    if request.target == 0 {
        return Err(InvalidField::new("target", "it is missing"));
    }
    Ok(NewMatch {
        variant: variant(&request.variant)?.map(str::to_owned),
        target: request.target,
        time_controls: time_controls(request.time_control, request.seat_time_controls)?,
        seed: shared_seed(&request.seed, request.seed_matches)?,
        title: Title::new(&request.title).map_err(|error| InvalidField::new("title", error))?,
        reserved: reservations(&request.reservations)?,
        audience: audience(request.visibility, request.spectator_delay)?,
        disconnect_grace: grace(request.disconnect_grace)?,
        join_timeout: join_timeout(request.join_timeout)?,
        illegal_action_limit: illegal_action_limit(request.illegal_action_limit)?,
        opening: request.opening,
        request_id: request_id(&request.request_id)?,
        game: request.game,
    })
}

/// Refuses the list `field` if one of its texts is longer than `max` bytes.
pub(super) fn short_texts(field: &str, texts: &[String], max: usize) -> Result<(), InvalidField> {
    let Some(index) = texts.iter().position(|text| text.len() > max) else {
        return Ok(());
    };
    let bytes = texts[index].len();
    let why = format!("{bytes} bytes are too many: at most {max}");
    Err(InvalidField::new(format!("{field}[{index}]"), why))
}

fn audience(
    visibility: i32,
    spectator_delay: Option<prost_types::Duration>,
) -> Result<Audience, InvalidField> {
    let visibility = visibility::from_proto(visibility)
        .map_err(|_| InvalidField::new("visibility", format!("{visibility} is not a visibility")))?
        .unwrap_or_default();
    let delay = spectator_delay.map_or(Ok(Duration::ZERO), duration::whole_micros);
    let invalid = |why| InvalidField::new("spectator_delay", format!("it {why}"));
    let delay = delay.map_err(invalid)?;
    Audience::new(visibility, delay).map_err(|error| InvalidField::new("spectator_delay", error))
}

/// The seed of a new match; none for the empty text.
fn shared_seed(text: &str, matches: u32) -> Result<Option<SharedSeed>, InvalidField> {
    match (seed(text)?, matches) {
        (None, 0) => Ok(None),
        (None, _) => {
            let why = "it counts the matches of a seed, and there is no seed";
            Err(InvalidField::new("seed_matches", why))
        }
        (Some(text), 0) => Ok(Some(text.into())),
        (Some(text), matches) => SharedSeed::new(text, matches)
            .map(Some)
            .map_err(|error| InvalidField::new("seed_matches", error)),
    }
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
    let micros = duration::whole_micros(duration).map_err(|why| invalid(&format!("it {why}")))?;
    Grace::new(micros)
        .map(Some)
        .map_err(|error| invalid(&error))
}

pub(super) fn join_timeout(
    duration: Option<prost_types::Duration>,
) -> Result<Option<Duration>, InvalidField> {
    let Some(duration) = duration else {
        return Ok(None);
    };
    let timeout = duration::whole_micros(duration)
        .map_err(|why| InvalidField::new("join_timeout", format!("it {why}")))?;
    if timeout < MIN_JOIN_TIMEOUT {
        let least = humantime::format_duration(MIN_JOIN_TIMEOUT);
        return Err(InvalidField::new(
            "join_timeout",
            format!("it is at least {least}"),
        ));
    }
    Ok(Some(timeout))
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
    for (index, reservation) in reservations.iter().enumerate() {
        let path = |field| format!("reservations[{index}].{field}");
        let seat = listed_seat(path("seat"), reservation.seat)?;
        let player = reservation
            .player_id
            .parse()
            .map_err(|error| InvalidField::new(path("player_id"), error))?;
        if reserved[seat.index()].replace(player).is_some() {
            let why = format!("the {seat} seat is kept twice");
            return Err(InvalidField::new(path("seat"), why));
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
    for (index, of_seat) in of_seats.into_iter().enumerate() {
        let path = |field: &str| format!("seat_time_controls[{index}].{field}");
        let seat = listed_seat(path("seat"), of_seat.seat)?;
        let control = time_control(of_seat.time_control)
            .map_err(|invalid| InvalidField::new(path(&invalid.field), invalid.why))?;
        if own[seat.index()].replace(control).is_some() {
            let why = format!("the {seat} seat has two");
            return Err(InvalidField::new(path("seat"), why));
        }
    }
    let both = time_control(both)?;
    Ok(own.map(|own| own.unwrap_or(both)))
}

/// The seat that an entry of a list is about.
fn listed_seat(path: String, number: i32) -> Result<Seat, InvalidField> {
    match seat::from_proto(number) {
        Ok(Some(seat)) => Ok(seat),
        Ok(None) => Err(InvalidField::new(path, "it is missing")),
        Err(_) => Err(InvalidField::new(path, format!("{number} is not a seat"))),
    }
}

fn time_control(control: Option<wire::TimeControl>) -> Result<Option<TimeControl>, InvalidField> {
    time_control::from_proto(control)
        .map_err(|invalid| InvalidField::new(invalid.field, invalid.fault))
}

/// The filter of a list of matches, and its order.
pub(super) fn filter(request: &wire::ListMatchesRequest) -> Result<Filter, InvalidField> {
    let fields = wire::MatchFilter {
        state: request.state,
        game: request.game.clone(),
        variant: request.variant.clone(),
        player_id: request.player_id.clone(),
        opponent_id: request.opponent_id.clone(),
        creator_id: request.creator_id.clone(),
        create_time_from: request.create_time_from,
        create_time_before: request.create_time_before,
    };
    Ok(Filter {
        order: list_order(request.order)?,
        ..match_filter(&fields)?
    })
}

/// The filter in the field `filter`, with an order; that of all matches for none.
pub(super) fn nested_filter(
    fields: Option<&wire::MatchFilter>,
    order: i32,
) -> Result<Filter, InvalidField> {
    let filter = fields.map(match_filter).transpose();
    let filter = filter.map_err(|invalid| invalid.within("filter"))?;
    Ok(Filter {
        order: list_order(order)?,
        ..filter.unwrap_or_default()
    })
}

fn match_filter(fields: &wire::MatchFilter) -> Result<Filter, InvalidField> {
    let game = filtered_game(&fields.game)?;
    let player = filtered_player("player_id", &fields.player_id)?;
    let opponent = filtered_player("opponent_id", &fields.opponent_id)?;
    if opponent.is_some() && player.is_none() {
        let why = "it needs `player_id`, the other player of the match";
        return Err(InvalidField::new("opponent_id", why));
    }
    if opponent.is_some() && opponent == player {
        let why = "it is the player of `player_id`: nobody plays itself";
        return Err(InvalidField::new("opponent_id", why));
    }
    let stage = stage::from_proto(fields.state)
        .map_err(|_| InvalidField::new("state", format!("{} is not a state", fields.state)))?;
    let least_id = |field, time: Option<prost_types::Timestamp>| {
        let time = time.map(timestamp::from_proto).transpose();
        let time = time.map_err(|error| InvalidField::new(field, format!("it {error}")))?;
        Ok(time.map(MatchId::first_at))
    };
    Ok(Filter {
        stage,
        game: game.map(|game| game.name),
        variant: filtered_variant(game, &fields.variant)?,
        player,
        opponent,
        creator: filtered_player("creator_id", &fields.creator_id)?,
        from: least_id("create_time_from", fields.create_time_from)?,
        before: least_id("create_time_before", fields.create_time_before)?,
        order: ListOrder::default(),
    })
}

fn list_order(number: i32) -> Result<ListOrder, InvalidField> {
    match wire::MatchOrder::try_from(number) {
        Ok(wire::MatchOrder::Unspecified | wire::MatchOrder::NewestFirst) => {
            Ok(ListOrder::NewestFirst)
        }
        Ok(wire::MatchOrder::OldestFirst) => Ok(ListOrder::OldestFirst),
        Err(_) => {
            let why = format!("{number} is not an order");
            Err(InvalidField::new("order", why))
        }
    }
}

/// Terms that a player accepts, and that a match can have.
pub(super) fn offer(wire: wire::Offer) -> Result<Offer, InvalidField> {
    let read = offer::from_proto(wire);
    let offer = read
        .map_err(|invalid| InvalidField::new(format!("offer.{}", invalid.field), invalid.fault))?;
    for (index, accepted) in offer.games.iter().enumerate() {
        accepted.check().map_err(|impossible| {
            let field = format!("offer.games[{index}].{}", impossible.field());
            InvalidField::new(field, impossible)
        })?;
    }
    Ok(offer)
}

/// The time for which an offer by a call counts.
pub(super) fn offer_ttl(ttl: Option<prost_types::Duration>) -> Result<Duration, InvalidField> {
    let invalid = |why: &str| InvalidField::new("ttl", why);
    let ttl = ttl.ok_or_else(|| invalid("it is missing"))?;
    let ttl = duration::whole_micros(ttl).map_err(|why| invalid(&format!("it {why}")))?;
    if (MIN_OFFER_TTL..=MAX_OFFER_TTL).contains(&ttl) {
        return Ok(ttl);
    }
    let [least, most] = [MIN_OFFER_TTL, MAX_OFFER_TTL].map(humantime::format_duration);
    Err(invalid(&format!("it is from {least} to {most}")))
}

/// The time of the first call of a program that makes offers; `None` if this is the first one.
pub(super) fn presence_id(text: &str, now: Timestamp) -> Result<Option<Timestamp>, InvalidField> {
    if text.is_empty() {
        return Ok(None);
    }
    let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit()) && text.len() == 16;
    let micros = u64::from_str_radix(text, 16).ok().filter(|_| digits);
    let since = micros.map(Timestamp::from_micros);
    let since = since.filter(|since| *since <= now.after(MAX_CLOCK_DIFFERENCE));
    let why = "it is not a `presence_id` that the service has given";
    since
        .map(Some)
        .ok_or_else(|| InvalidField::new("presence_id", why))
}

/// The game of a filter; `None` for any.
pub(super) fn filtered_game(name: &str) -> Result<Option<&'static Game>, InvalidField> {
    match short("game", name)? {
        "" => Ok(None),
        name => catalogue::find(name)
            .map(Some)
            .map_err(|error| InvalidField::new("game", error)),
    }
}

/// The variant of a filter, of its game; `None` for any.
fn filtered_variant(
    game: Option<&'static Game>,
    name: &str,
) -> Result<Option<&'static str>, InvalidField> {
    let name = match short("variant", name)? {
        "" => return Ok(None),
        name => name,
    };
    let game = game.ok_or_else(|| InvalidField::new("variant", "it needs `game`"))?;
    let variant = game.find_variant(name);
    variant
        .map(Some)
        .map_err(|error| InvalidField::new("variant", error))
}

/// The player of a filter; `None` for any.
fn filtered_player(field: &'static str, text: &str) -> Result<Option<PlayerId>, InvalidField> {
    match text {
        "" => Ok(None),
        text => Ok(Some(named_player(field, text)?)),
    }
}

/// A token that is to be issued.
pub(super) fn new_token(request: &wire::CreateTokenRequest) -> Result<NewToken, InvalidField> {
    let scopes = request.scopes.iter().enumerate();
    let scopes = scopes.map(|(index, number)| scope(index, *number));
    Ok(NewToken {
        name: IdentityName::new(&request.name).map_err(|error| InvalidField::new("name", error))?,
        scopes: scopes.collect::<Result<_, _>>()?,
        ttl: request
            .ttl
            .map(duration::whole_micros)
            .transpose()
            .map_err(|why| InvalidField::new("ttl", format!("it {why}")))?,
        request_id: request_id(&request.request_id)?,
    })
}

fn scope(index: usize, number: i32) -> Result<Scope, InvalidField> {
    scope::from_proto(number).ok().flatten().ok_or_else(|| {
        let why = format!("{number} is not a scope");
        InvalidField::new(format!("scopes[{index}]"), why)
    })
}

/// The size of a page: `default` if none is asked for, and at most `max`.
pub(super) fn page_size(asked: i32, default: usize, max: usize) -> Result<usize, InvalidField> {
    match usize::try_from(asked) {
        Ok(0) => Ok(default),
        Ok(size) => Ok(size.min(max)),
        Err(_) => Err(InvalidField::new("page_size", "it is negative")),
    }
}
