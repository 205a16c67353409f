"""Effects that the active matches ask the session to carry out."""

from __future__ import annotations

from dataclasses import dataclass

from dragontooth.errors import Refused, SessionError
from dragontooth.model import Decision, Match, MatchInfo, Score
from dragontooth.v1 import match_pb2


@dataclass(frozen=True)
class Accept:
    """Accept the invitation to this match, which has this commitment to its seed."""

    match_id: str
    commitment: str


@dataclass(frozen=True)
class Decline:
    """Decline the invitation to this match for this reason."""

    match_id: str
    reason: str


@dataclass(frozen=True)
class Answer:
    """Send an answer."""

    match_id: str
    decision_id: int
    action: str
    request_id: str
    thinking: match_pb2.Thinking | None = None


@dataclass(frozen=True)
class Resign:
    """Resign a match whose bot has failed."""

    match_id: str
    request_id: str
    failure: str


@dataclass(frozen=True)
class Open:
    """Create the bot of a match."""

    match: MatchInfo


@dataclass(frozen=True)
class Ask:
    """Ask the bot for an action; `refused` is the refusal of its last one."""

    decision: Decision
    refused: Refused | None = None


@dataclass(frozen=True)
class TellGame:
    """Tell the bot of a match that a game is over."""

    match: MatchInfo
    game_number: int
    score: Score


@dataclass(frozen=True)
class Close:
    """Drop the bot of a match after reporting the result; None if it is unknown."""

    match_id: str
    result: Match | None


@dataclass(frozen=True)
class Check:
    """Read the match after a pause: it may have ended while no stream was open."""

    match_id: str
    pause: float


@dataclass(frozen=True)
class Retry:
    """Call `retry` after a pause."""

    match_id: str
    pause: float


@dataclass(frozen=True)
class Fail:
    """End the session."""

    error: SessionError


Effect = Accept | Decline | Answer | Resign | Open | Ask | TellGame | Close | Check | Retry | Fail
