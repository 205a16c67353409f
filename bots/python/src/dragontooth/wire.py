"""Conversions between API messages and plain data. Unknown enum values become unspecified."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Iterable
from enum import Enum
from typing import TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from dragontooth.errors import InvalidSetting, StreamClosed, Unreachable
from dragontooth.model import (
    AcceptedGame,
    ActionPlayed,
    Clocks,
    CloseReason,
    Delay,
    Fischer,
    GameEnded,
    GameStarted,
    HistoryEvent,
    Match,
    MatchInfo,
    MatchState,
    Outcome,
    PerAction,
    Player,
    Rolled,
    Score,
    Seat,
    Termination,
    Thinking,
    TimeControl,
    TurnPassed,
)
from dragontooth.v1 import match_pb2, player_service_pb2

log = logging.getLogger("dragontooth")

Word = TypeVar("Word", bound=Enum)

#: Longest text of a failure, in bytes.
MAX_FAILURE = 1024
#: Greatest size of a thinking that is sent, in bytes. The service names the part of a somewhat
#: smaller one that breaks a rule; a larger one might end the whole stream.
MAX_THINKING = 8 * 1024
#: Marks a shortened text.
CUT = "…"

SEATS = {match_pb2.SEAT_FIRST: Seat.FIRST, match_pb2.SEAT_SECOND: Seat.SECOND}


def to_seat(seat: Seat | None) -> match_pb2.Seat:
    """Converts a seat."""
    if seat is None:
        return match_pb2.SEAT_UNSPECIFIED
    return match_pb2.SEAT_FIRST if seat is Seat.FIRST else match_pb2.SEAT_SECOND


def to_duration(seconds: float) -> Duration:
    """Converts seconds, rounded to the microsecond."""
    duration = Duration()
    duration.FromMicroseconds(round(seconds * 1e6))
    return duration


def to_time_control(control: TimeControl) -> match_pb2.TimeControl:
    """Converts a time control."""
    wire = match_pb2.TimeControl()
    if isinstance(control, PerAction):
        wire.per_action.limit.CopyFrom(to_duration(control.limit))
    elif isinstance(control, Fischer):
        wire.fischer.base.CopyFrom(to_duration(control.base))
        wire.fischer.increment.CopyFrom(to_duration(control.increment))
    else:
        wire.delay.base.CopyFrom(to_duration(control.base))
        wire.delay.delay.CopyFrom(to_duration(control.delay))
    return wire


def to_failure(text: str) -> str:
    """Shortens a failure to what the API accepts: one line of at most `MAX_FAILURE` bytes."""
    printable = "".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in text)
    # Protobuf strings must be valid Unicode.
    line = " ".join(printable.split()).encode(errors="replace")
    if len(line) > MAX_FAILURE:
        return line[: MAX_FAILURE - len(CUT.encode())].decode(errors="ignore") + CUT
    return line.decode() or "unknown"


def described(error: BaseException) -> str:
    """Returns the type and the message of an exception."""
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except BaseException:  # The `__str__` of a bot's own exception may raise anything.
        return name


def to_thinking(thinking: Thinking) -> match_pb2.Thinking:
    """Converts what a bot thinks. Raises an error if a part has no such form, or raises one."""
    if isinstance(thinking.line, str):
        raise ValueError(f"line: expected a list of actions, not the text {thinking.line!r}")
    wire = match_pb2.Thinking()
    try:
        wire.line.extend(thinking.line)
    except (TypeError, ValueError) as error:
        raise ValueError(f"line: {error}") from error
    for name, value in thinking.tags.items():
        try:
            wire.tags.add(name=name, value=value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"tags: {name!r}: {error}") from error
    if thinking.win_probability is not None and thinking.points is not None:
        raise ValueError("a thinking has either win_probability or points")
    for name in ("win_probability", "points", "depth", "nodes"):
        value = getattr(thinking, name)
        if value is not None:
            try:
                setattr(wire, name, value)
            except (TypeError, ValueError) as error:
                raise ValueError(f"{name}: {error}") from error
    if thinking.time is not None:
        wire.time.CopyFrom(to_duration(thinking.time))
    return wire


def readable_thinking(match_id: str, thinking: Thinking | None) -> match_pb2.Thinking | None:
    """Converts what a bot thinks; logs and leaves out what has no form on the wire."""
    if thinking is None:
        return None
    try:
        found = to_thinking(thinking)
        if found.ByteSize() <= MAX_THINKING:
            return found
        error: Exception = ValueError(f"it has {found.ByteSize()} bytes; the limit is 1024")
    except Exception as unreadable:  # Its parts may be objects of the bot's own.
        error = unreadable
    log.warning("match %s: the thinking was left out: %s", match_id, described(error))
    return None


def log_thinking_fault(match_id: str, fault: match_pb2.ThinkingFault) -> None:
    """Logs why the service left a thinking out."""
    log.warning(
        "match %s: the thinking was left out: %s: %s", match_id, fault.field, fault.description
    )


def seconds(duration: Duration) -> float:
    """The duration in seconds."""
    return duration.seconds + duration.nanos / 1e9


def nanoseconds(time: Timestamp) -> int:
    """Nanoseconds since 1970."""
    return time.seconds * 10**9 + time.nanos


def word(kind: type[Word], number: int, names: dict[int, str], prefix: str) -> Word:
    """Returns the member of our enum with the name used on the wire."""
    name = names.get(number, "").removeprefix(prefix)
    return kind.__members__.get(name, kind.__members__["UNSPECIFIED"])


def termination(number: int) -> Termination:
    """Converts a termination."""
    return word(Termination, number, TERMINATIONS, "TERMINATION_")


def close_reason(number: int) -> CloseReason:
    """Converts a close reason."""
    return word(CloseReason, number, CLOSE_REASONS, "CLOSE_REASON_")


def closed(reason: CloseReason) -> Unreachable:
    """Returns the failure of a stream that the service has closed."""
    failure = Unreachable if reason in OF_THE_ADDRESS else StreamClosed
    return failure(CLOSED.get(reason, "the service closed the stream"))


def time_control(wire: match_pb2.TimeControl) -> TimeControl | None:
    """Converts a time control; None means no clocks."""
    kind = wire.WhichOneof("kind")
    if kind == "per_action":
        return PerAction(seconds(wire.per_action.limit))
    if kind == "fischer":
        return Fischer(seconds(wire.fischer.base), seconds(wire.fischer.increment))
    if kind == "delay":
        return Delay(seconds(wire.delay.base), seconds(wire.delay.delay))
    return None


def to_offer(
    games: Iterable[AcceptedGame], matches_at_once: int, build: str
) -> player_service_pb2.Offer:
    """Returns what a player says that it accepts; no games stand for every game.

    Raises `InvalidSetting` if `games` or a list in it is a text, or if a number or a text does not
    fit the wire.
    """
    if isinstance(games, str):
        raise InvalidSetting(f"accepts is a list, such as [AcceptedGame({games!r})], not a text")
    try:
        offer = player_service_pb2.Offer(matches_at_once=matches_at_once, build=build)
        for game in games:
            for terms in (game.variants, game.time_controls):
                if isinstance(terms, str):
                    raise ValueError(f"a list is expected, such as ({terms!r},), not a text")
            offer.games.add(
                game=game.game,
                variants=game.variants,
                target_min=game.target_min,
                target_max=game.target_max,
                time_controls=[
                    match_pb2.TimeControl() if control is None else to_time_control(control)
                    for control in game.time_controls
                ],
            )
    except (ValueError, OverflowError) as error:
        raise InvalidSetting(f"what the player accepts cannot be sent: {error}") from error
    return offer


def score(wire: match_pb2.Score) -> Score:
    """The points."""
    return Score(wire.first, wire.second)


def history(events: Iterable[match_pb2.HistoryEvent]) -> tuple[HistoryEvent, ...]:
    """Converts events of play, without those of kinds that later services add."""
    read = (history_event(event) for event in events)
    return tuple(event for event in read if event is not None)


def history_event(wire: match_pb2.HistoryEvent) -> HistoryEvent | None:
    """Converts an event of play; None if it is of an unknown kind."""
    kind = wire.WhichOneof("event")
    seat = SEATS.get(wire.seat)
    if kind == "action" and seat is not None:
        return ActionPlayed(wire.sequence, seat, wire.action)
    if kind == "turn_passed" and seat is not None:
        return TurnPassed(wire.sequence, seat)
    if kind == "roll":
        return Rolled(wire.sequence, wire.roll)
    if kind == "game_started":
        started = wire.game_started
        return GameStarted(wire.sequence, started.game_number, started.position)
    if kind == "game_ended":
        outcome, after = wire.game_ended.outcome, score(wire.game_ended.score)
        winner = SEATS.get(outcome.winner)
        return GameEnded(wire.sequence, winner, outcome.points, outcome.reason, after)
    return None


def clocks(decision: match_pb2.Decision) -> Clocks | None:
    """Converts the clocks; None for a match without clocks."""
    if not decision.clocks:
        return None
    first = second = None
    for clock in decision.clocks:
        if clock.seat == match_pb2.SEAT_FIRST:
            first = seconds(clock.remaining)
        elif clock.seat == match_pb2.SEAT_SECOND:
            second = seconds(clock.remaining)
    return Clocks(first, second)


def player(seat: match_pb2.SeatInfo, both: TimeControl | None) -> Player:
    """Converts a seat. Older services send one time control for both seats only."""
    own = time_control(seat.time_control)
    return Player(seat.player_id, seat.name, seat.joined, own or both, seat.name_verified)


def match(wire: match_pb2.Match) -> Match:
    """The match."""
    both = time_control(wire.time_control)
    players = {SEATS.get(seat.seat): player(seat, both) for seat in wire.seats}
    free = Player("", "", joined=False)
    outcome = None
    if wire.HasField("outcome"):
        winner = SEATS.get(wire.outcome.winner)
        end = wire.outcome
        outcome = Outcome(winner, termination(end.termination), end.reason)
    return Match(
        id=wire.id,
        title=wire.title,
        game=wire.game,
        variant=wire.variant,
        target=wire.target,
        state=word(MatchState, wire.state, MATCH_STATES, "MATCH_STATE_"),
        first=players.get(Seat.FIRST, free),
        second=players.get(Seat.SECOND, free),
        score=score(wire.score),
        game_number=wire.game_number,
        position=wire.position,
        to_act=SEATS.get(wire.to_act),
        decision_id=wire.decision_id,
        outcome=outcome,
        head_sequence=wire.head_sequence,
        seed_commitment=wire.seed_commitment,
    )


def match_info(view: Match, seat: Seat) -> MatchInfo:
    """Returns the facts about the match for a bot on that seat."""
    return MatchInfo(
        id=view.id,
        title=view.title,
        game=view.game,
        variant=view.variant,
        target=view.target,
        seat=seat,
        opponent=view.player(seat.other).name,
        time_control=view.player(seat).time_control,
        opponent_time_control=view.player(seat.other).time_control,
    )


def _names(enum: object) -> dict[int, str]:
    return {value.number: value.name for value in enum.DESCRIPTOR.values}  # type: ignore[attr-defined]


TERMINATIONS = _names(match_pb2.Termination)
CLOSE_REASONS = _names(match_pb2.CloseReason)
CLOSED = {
    CloseReason.DRAINING: "the service is shutting down",
    CloseReason.SLOW_READER: "the service closed the stream: it was read too slowly",
    CloseReason.CONNECTION_AGED: "the connection reached its maximum age",
    # The next attempt gets the reason.
    CloseReason.TOKEN_ENDED: "the service closed the stream: the token expired or was revoked",
    CloseReason.LOG_DAMAGED: "the service closed the stream: its log is damaged",
    CloseReason.LOG_UNAVAILABLE: "the service closed the stream: its log is unavailable",
}
#: Reasons for which another address may go on.
OF_THE_ADDRESS = frozenset({CloseReason.DRAINING, CloseReason.LOG_UNAVAILABLE})
MATCH_STATES = _names(match_pb2.MatchState)
