"""What is to be done about what happens to matches."""

from __future__ import annotations

from dataclasses import dataclass

from dragontooth.errors import Refused, SessionError
from dragontooth.model import Decision, Match, MatchInfo, Score


@dataclass(frozen=True)
class Accept:
    """Take the seat that is kept in this match."""

    match_id: str


@dataclass(frozen=True)
class Answer:
    """Send an answer."""

    match_id: str
    decision_id: int
    action: str
    request_id: str


@dataclass(frozen=True)
class Resign:
    """Resign a match whose bot has failed."""

    match_id: str
    request_id: str
    failure: str


@dataclass(frozen=True)
class Open:
    """Make the bot of a match."""

    match: MatchInfo


@dataclass(frozen=True)
class Ask:
    """Ask the bot of a match; with `refused` about an action that was refused."""

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
    """Drop the bot of a match, after it was told how it ended; None if nobody knows."""

    match_id: str
    result: Match | None


@dataclass(frozen=True)
class Check:
    """Ask the service after a pause how a match stands: it may have ended while nobody listened."""

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


Todo = Accept | Answer | Resign | Open | Ask | TellGame | Close | Check | Retry | Fail
