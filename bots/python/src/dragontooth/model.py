"""The nouns of match play, as plain data."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from random import Random


class Seat(Enum):
    """One of the two sides of a match, for the whole match."""

    FIRST = "first"
    SECOND = "second"

    @property
    def other(self) -> Seat:
        """The opponent's seat."""
        return Seat.SECOND if self is Seat.FIRST else Seat.FIRST


class MatchState(Enum):
    """How far a match has come."""

    UNSPECIFIED = "unspecified"
    OPEN = "open"
    ACTIVE = "active"
    ENDED = "ended"


class Termination(Enum):
    """Why a match ended."""

    UNSPECIFIED = "unspecified"
    NORMAL = "normal"
    TIMEOUT = "timeout"
    RESIGNATION = "resignation"
    ABORTED = "aborted"
    DISCONNECT = "disconnect"
    ILLEGAL_ACTION = "illegal_action"


class CloseReason(Enum):
    """Why the service ends a stream."""

    UNSPECIFIED = "unspecified"
    MATCH_ENDED = "match_ended"
    SUPERSEDED = "superseded"
    SLOW_READER = "slow_reader"
    DRAINING = "draining"
    LOG_DAMAGED = "log_damaged"
    TOKEN_ENDED = "token_ended"
    CONNECTION_AGED = "connection_aged"
    LOG_UNAVAILABLE = "log_unavailable"


@dataclass(frozen=True)
class Score:
    """The points of a match."""

    first: int = 0
    second: int = 0

    def of(self, seat: Seat) -> int:
        """The points of one seat."""
        return self.first if seat is Seat.FIRST else self.second


@dataclass(frozen=True)
class Clocks:
    """The time in seconds that each seat had when the decision became due; None without a clock."""

    first: float | None
    second: float | None

    def of(self, seat: Seat) -> float | None:
        """The time of one seat."""
        return self.first if seat is Seat.FIRST else self.second


@dataclass(frozen=True)
class PerAction:
    """Every decision has the same limit, in seconds."""

    limit: float


@dataclass(frozen=True)
class Fischer:
    """A stock of time for the match that grows by `increment` with every action, in seconds."""

    base: float
    increment: float = 0.0


@dataclass(frozen=True)
class Delay:
    """A stock of time that is touched only after a delay in each decision, in seconds."""

    base: float
    delay: float


TimeControl = PerAction | Fischer | Delay


@dataclass(frozen=True)
class Player:
    """Who has a seat, or for whom it is kept."""

    id: str
    name: str
    joined: bool
    #: The agreement on time of the seat; None for a seat without a clock.
    time_control: TimeControl | None = None


@dataclass(frozen=True)
class Outcome:
    """How a match ended; no winner where it was drawn or called off."""

    winner: Seat | None
    termination: Termination
    #: Why the program of the player that resigned could not go on. Empty if nobody resigned, or by
    #: choice.
    failure: str = ""


@dataclass(frozen=True)
class Match:
    """A match as the service tells it."""

    id: str
    title: str
    game: str
    variant: str
    target: int
    state: MatchState
    first: Player
    second: Player
    score: Score
    game_number: int
    position: str
    to_act: Seat | None
    decision_id: int
    outcome: Outcome | None
    head_sequence: int

    def player(self, seat: Seat) -> Player:
        """Who has that seat."""
        return self.first if seat is Seat.FIRST else self.second

    def seat_of(self, player_id: str) -> Seat | None:
        """The seat that a player has, or that is kept for it."""
        return next((seat for seat in Seat if self.player(seat).id == player_id), None)


@dataclass(frozen=True)
class MatchInfo:
    """What a bot knows of its match from the beginning."""

    id: str
    title: str
    game: str
    variant: str
    #: The points that win the match.
    target: int
    #: The bot's own seat.
    seat: Seat
    #: The name of the other player; may be empty.
    opponent: str
    #: The agreement on time of the bot's seat, and of the opponent's; None for no clock.
    time_control: TimeControl | None
    opponent_time_control: TimeControl | None


class Wanted:
    """Whether the answer to a decision is still wanted. Any thread may ask."""

    def __init__(self) -> None:
        self._over = threading.Event()

    def end(self) -> None:
        """It is wanted no more."""
        self._over.set()

    @property
    def over(self) -> bool:
        """Whether it is wanted no more."""
        return self._over.is_set()


@dataclass(frozen=True)
class Decision:
    """What a bot has to decide, and how long it may take."""

    match: MatchInfo
    #: Grows within a match; the same decision may be asked again after a lost connection.
    id: int
    #: The number of the game in the match, from 1.
    game_number: int
    #: The actions that were played in this game before.
    ply: int
    #: The position in the game's notation: see `dragontooth.games`.
    position: str
    #: Every action that may be played, in the game's notation. Never empty.
    legal_actions: tuple[str, ...]
    score: Score = Score()
    #: None in a match without clocks.
    clocks: Clocks | None = None
    #: When the clock runs out, by `time.monotonic()`; None in a match without clocks.
    deadline: float | None = None
    #: When it is wise to have chosen, by `time.monotonic()`: before `deadline` by what the answer's
    #: journey takes, and early enough to have time for later decisions.
    choose_by: float | None = None
    #: What chance gave for the decision, such as dice: `31`. Empty if nothing.
    roll: str = ""
    #: What may be played besides without being a move of the game: `resign 1`.
    offers: tuple[str, ...] = ()
    #: Different for every decision, the same whenever the same decision is asked again.
    seed: int = 0
    wanted: Wanted = field(default_factory=Wanted, repr=False, compare=False)

    @property
    def game(self) -> str:
        """The game's name in the catalogue: `kamisado`."""
        return self.match.game

    @property
    def seat(self) -> Seat:
        """The seat that decides: the bot's own."""
        return self.match.seat

    @property
    def time_left(self) -> float | None:
        """Seconds until the clock runs out, at least 0; None without clocks."""
        return left(self.deadline)

    @property
    def budget(self) -> float | None:
        """Seconds that it is wise to think from now on, at least 0; None without clocks."""
        return left(self.choose_by)

    @property
    def over(self) -> bool:
        """Whether the match has ended meanwhile: whoever thinks long may give up."""
        return self.wanted.over

    def random(self) -> Random:
        """Random choices that are the same whenever this decision is asked again."""
        return Random(self.seed)


@dataclass(frozen=True)
class Summary:
    """What a session has done."""

    #: Matches that are over.
    matches: int = 0
    won: int = 0
    lost: int = 0
    #: Answers that the service accepted.
    answers: int = 0
    #: Matches that were resigned because the bot failed.
    failures: int = 0


Options = Mapping[str, str]


def left(moment: float | None) -> float | None:
    """Seconds until a moment of `time.monotonic()`, at least 0."""
    return None if moment is None else max(0.0, moment - time.monotonic())
