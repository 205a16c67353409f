"""Matches, decisions and results as plain data."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar, astuple, dataclass, field, replace
from enum import Enum
from functools import cached_property, partial
from random import Random
from typing import Any


class Seat(Enum):
    """One of the two sides of a match, for the whole match."""

    FIRST = "first"
    SECOND = "second"

    @property
    def other(self) -> Seat:
        """The opponent's seat."""
        return Seat.SECOND if self is Seat.FIRST else Seat.FIRST


class MatchState(Enum):
    """The stage of a match."""

    UNSPECIFIED = "unspecified"
    OPEN = "open"
    ACTIVE = "active"
    ENDED = "ended"


class Termination(Enum):
    """The reason why a match ended."""

    UNSPECIFIED = "unspecified"
    NORMAL = "normal"
    TIMEOUT = "timeout"
    RESIGNATION = "resignation"
    ABORTED = "aborted"
    DISCONNECT = "disconnect"
    ILLEGAL_ACTION = "illegal_action"
    EXPIRED = "expired"
    DECLINED = "declined"


class CloseReason(Enum):
    """The reason why the service closed a stream."""

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
    """The points of both seats in a match."""

    first: int = 0
    second: int = 0

    def of(self, seat: Seat) -> int:
        """Returns the points of a seat."""
        return self.first if seat is Seat.FIRST else self.second


@dataclass(frozen=True)
class Clocks:
    """Each seat's time in seconds when the decision became due; None without a clock."""

    first: float | None
    second: float | None

    def of(self, seat: Seat) -> float | None:
        """Returns the time of a seat."""
        return self.first if seat is Seat.FIRST else self.second


@dataclass(frozen=True)
class Times:
    """The clocks of a decision, and the moments of `time.monotonic()` that follow from them."""

    clocks: Clocks | None = None
    deadline: float | None = None
    choose_by: float | None = None


@dataclass(frozen=True)
class PerAction:
    """A fixed limit for every decision, in seconds."""

    limit: float


@dataclass(frozen=True)
class Fischer:
    """A base time for the match that grows by `increment` with every action, in seconds."""

    base: float
    increment: float = 0.0


@dataclass(frozen=True)
class Delay:
    """A base time that starts to run only after a delay in each decision, in seconds."""

    base: float
    delay: float


TimeControl = PerAction | Fischer | Delay

#: The greatest count that a message can have.
MAX_COUNT = 2**32 - 1
#: The longest time, in thousandths of a second: 30 days.
MAX_TIME_MS = 2_592_000_000


def parse_time_control(text: str) -> TimeControl | None:
    """Reads `60+0.5` (seconds and increment), `60d0.5` (seconds and delay), `1s` or `100ms` (for
    each action), or `none`, which gives None. Raises a `ValueError` for anything else."""
    if text == "none":
        return None
    number = r"(\d+(?:\.\d{1,3})?)"
    found = re.fullmatch(rf"{number}(?:([+d]){number}|(s))|(\d+)(ms)", text, re.ASCII)
    if found is None:
        raise ValueError(f"{text!r} is not a time control such as 60+0.5, 60d0.5, 1s or none")
    base, more_kind, more, _, ms, _ = found.groups()
    first, second = thousandths(base) if base else int(ms), thousandths(more or "0")
    least = 1 if more_kind == "d" else 0
    if not (1 <= first <= MAX_TIME_MS and least <= second <= MAX_TIME_MS):
        raise ValueError(f"{text!r} has a time that is not from 0.001 s to 30 days")
    if more_kind == "+":
        return Fischer(first / 1000, second / 1000)
    if more_kind == "d":
        return Delay(first / 1000, second / 1000)
    return PerAction(first / 1000)


def thousandths(number: str) -> int:
    """Returns a number with at most three digits after the point in thousandths."""
    units, _, fraction = number.partition(".")
    return int(units) * 1000 + int(fraction.ljust(3, "0"))


def is_same_time(one: TimeControl | None, other: TimeControl | None) -> bool:
    """Returns True if two time controls are the same to the microsecond."""
    if one is None or other is None or type(one) is not type(other):
        return one is other
    times = zip(astuple(one), astuple(other), strict=True)
    return all(round(a * 1e6) == round(b * 1e6) for a, b in times)


@dataclass(frozen=True)
class Player:
    """The player who has a seat, or for whom it is reserved."""

    id: str
    name: str
    joined: bool
    #: The time control of the seat; None means no clock.
    time_control: TimeControl | None = None
    #: True if the name is that of the player's identity; False if the player gave it itself.
    name_verified: bool = False


@dataclass(frozen=True)
class Outcome:
    """The result of a match. A draw or an aborted match has no winner."""

    winner: Seat | None
    termination: Termination
    #: Of a resignation, why the player's program could not continue; otherwise why an operator
    #: aborted the match, or a player declined it. Empty if none was given.
    reason: str = ""


@dataclass(frozen=True)
class Match:
    """A match as the service reports it."""

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
    #: The commitment to the server's seed; the same in matches that share a seed.
    seed_commitment: str = ""

    def player(self, seat: Seat) -> Player:
        """Returns the player of a seat."""
        return self.first if seat is Seat.FIRST else self.second

    def seat_of(self, player_id: str) -> Seat | None:
        """Returns the seat that a player has, or that is reserved for it."""
        return next((seat for seat in Seat if self.player(seat).id == player_id), None)


@dataclass(frozen=True)
class GameStarted:
    """A game of the match began."""

    sequence: int
    #: Its number in the match, from 1.
    game_number: int
    #: The position that opens it.
    position: str


@dataclass(frozen=True)
class ActionPlayed:
    """A seat played an action, in canonical notation."""

    sequence: int
    seat: Seat
    action: str


@dataclass(frozen=True)
class TurnPassed:
    """A seat had no legal action and its turn passed."""

    sequence: int
    seat: Seat


@dataclass(frozen=True)
class Rolled:
    """A roll was drawn, such as the dice `31`."""

    sequence: int
    roll: str


@dataclass(frozen=True)
class GameEnded:
    """A game of the match ended by its rules. A drawn game has no winner."""

    sequence: int
    winner: Seat | None
    #: The points that it was worth.
    points: int
    #: The rule that ended it, a word in snake case: `home_row`.
    reason: str
    #: The points of the match after it.
    score: Score


#: An event of play; `sequence` is its number among all events of the match.
HistoryEvent = GameStarted | ActionPlayed | TurnPassed | Rolled | GameEnded


@dataclass(frozen=True)
class MatchInfo:
    """The facts about a match that a bot knows from the start."""

    id: str
    title: str
    game: str
    variant: str
    #: The points that win the match.
    target: int
    #: The bot's own seat.
    seat: Seat
    #: The name of the opponent; may be empty.
    opponent: str
    #: The time controls of the bot and of the opponent; None means no clock.
    time_control: TimeControl | None
    opponent_time_control: TimeControl | None


@dataclass(frozen=True)
class AcceptedGame:
    """A game that a player accepts, with its terms."""

    game: str
    #: The variants; empty for all.
    variants: tuple[str, ...] = ()
    #: The least and the greatest number of points that win the match; 0 for any.
    target_min: int = 0
    target_max: int = 0
    #: The time controls of the player's own seat, None for no clock; empty for any.
    time_controls: tuple[TimeControl | None, ...] = ()

    @classmethod
    def parse(cls, text: str) -> AcceptedGame:
        """Reads `GAME[/VARIANT][:TARGET[-TARGET]][@TIME]`, with a TIME of `parse_time_control`.
        Raises a `ValueError` for anything else."""
        form = r"([^/:@]+)(?:/([^/:@]+))?(?::(\d+)(?:-(\d+))?)?(?:@([^/:@]+))?"
        found = re.fullmatch(form, text)
        if found is None:
            raise ValueError(f"{text!r} is not a game such as kamisado:3 or kamisado/random:1-7")
        game, variant, least, greatest, control = found.groups()
        targets = (int(least or 0), int(greatest or least or 0))
        if least is not None and not 0 < targets[0] <= targets[1] <= MAX_COUNT:
            raise ValueError(
                f"{text!r} has a target that is not from 1 to {MAX_COUNT}, or two out of order"
            )
        times = () if control is None else (parse_time_control(control),)
        return cls(game, (variant,) if variant else (), *targets, times)

    def fits(self, match: MatchInfo) -> bool:
        """Returns True if the match has these terms."""
        return (
            match.game == self.game
            and (not self.variants or match.variant in self.variants)
            and self.target_min <= match.target
            and (not self.target_max or match.target <= self.target_max)
            and (
                not self.time_controls
                or any(is_same_time(own, match.time_control) for own in self.time_controls)
            )
        )


@dataclass(eq=False)
class Wanted:
    """A flag: the answer to a decision is still wanted. Safe to read from any thread."""

    #: True if the answer is no longer wanted.
    over: bool = False


@dataclass(frozen=True)
class Decision:
    """A decision that the bot has to make, with its clocks."""

    match: MatchInfo
    #: Grows within a match. After a lost connection the same decision may come again.
    id: int
    #: The number of the game in the match, from 1.
    game_number: int
    #: The number of actions that have been played in the match, by both seats.
    ply: int
    #: The position in the game's notation: see `dragontooth.games`.
    position: str
    #: Every action that may be played, in the game's notation. Never empty.
    legal_actions: tuple[str, ...]
    score: Score = Score()
    #: The roll for the decision, such as the dice `31`; empty if there is none.
    roll: str = ""
    #: Legal actions that are not moves of the game, such as `resign 1`.
    offers: tuple[str, ...] = ()
    #: The seed of the bot's random choices in all its matches.
    bot_seed: int = 0
    wanted: Wanted = field(default_factory=Wanted, repr=False, compare=False)
    #: Returns the `times`. Called at most once: many bots never look at a clock.
    read_times: InitVar[Callable[[], Times]] = Times
    #: Returns the events `since`. Called at most once: many bots do not need them.
    read_since: InitVar[Callable[[], tuple[HistoryEvent, ...]]] = tuple

    def __post_init__(
        self,
        read_times: Callable[[], Times],
        read_since: Callable[[], tuple[HistoryEvent, ...]],
    ) -> None:
        # Not fields, which are data. `replace` takes them from here.
        self.__dict__.update(read_times=read_times, read_since=read_since)

    def __getstate__(self) -> dict[str, Any]:
        """For `pickle` and `copy`: a copy holds what the decision would only read later."""
        read = {
            "read_times": partial(replace, self.times),
            "read_since": partial(tuple, self.since),
        }
        return self.__dict__ | read

    @property
    def game(self) -> str:
        """The game's name in the catalogue: `kamisado`."""
        return self.match.game

    @property
    def seat(self) -> Seat:
        """The bot's seat."""
        return self.match.seat

    @cached_property
    def times(self) -> Times:
        """The clocks and what follows from them."""
        times: Times = self.__dict__["read_times"]()
        return times

    @cached_property
    def since(self) -> tuple[HistoryEvent, ...]:
        """The events of play since the bot's previous decision, its own action included.

        At the first decision of a match they begin with the match. A bot that begins in the middle
        of a match gets those since the last decision that its player answered.
        """
        since: tuple[HistoryEvent, ...] = self.__dict__["read_since"]()
        return since

    @property
    def clocks(self) -> Clocks | None:
        """None in a match without clocks."""
        return self.times.clocks

    @property
    def deadline(self) -> float | None:
        """The moment when the clock runs out, on `time.monotonic()`; None without clocks."""
        return self.times.deadline

    @property
    def choose_by(self) -> float | None:
        """The moment by which to choose, on `time.monotonic()`; None without clocks.

        It is before `deadline` by the round trip of the answer, and early enough to leave time for
        later decisions.
        """
        return self.times.choose_by

    @property
    def time_left(self) -> float | None:
        """Seconds until the clock runs out, at least 0; None without clocks."""
        return left(self.deadline)

    @property
    def budget(self) -> float | None:
        """Seconds to think from now, at least 0; None without clocks."""
        return left(self.choose_by)

    @property
    def over(self) -> bool:
        """True if the match or the session has ended meanwhile, so that a long search can stop."""
        return self.wanted.over

    @property
    def seed(self) -> int:
        """Differs between decisions; the same when the same decision comes again."""
        return decision_seed(self.bot_seed, self.match.title or self.match.id, self.seat, self.id)

    def random(self) -> Random:
        """Returns a generator that gives the same numbers when this decision comes again."""
        return Random(self.seed)


@dataclass(frozen=True)
class Thinking:
    """What a bot thinks of a decision; it is recorded with the action. Each part may be missing.

    The value is from the view of the bot's own seat: either `win_probability`, from 0 to 1, or
    `points`. The texts of `line` and `tags` have at most 960 bytes together, where each text
    counts 4 more. If a part breaks a rule, the service leaves the whole thinking out and the
    session logs why; the action counts.
    """

    #: The probability of winning the game; a drawn game counts half.
    win_probability: float | None = None
    #: Points: those that the game is expected to be worth, or those of the bot's own evaluation.
    points: float | None = None
    #: The depth of the search in plies.
    depth: int | None = None
    #: The number of positions looked at.
    nodes: int | None = None
    #: The time spent, in seconds.
    time: float | None = None
    #: The actions that the bot expects, its own first.
    line: Sequence[str] = ()
    #: Free remarks by name.
    tags: Mapping[str, str] = field(default_factory=dict)


class Choice(str):
    """An action, with what the bot thinks of it: `Choice("d1d7", Thinking(depth=7))`."""

    thinking: Thinking | None

    def __new__(cls, action: str, thinking: Thinking | None = None) -> Choice:
        """Creates a choice; without thinking it is the same as the action alone."""
        if not isinstance(action, str):
            # `str` would make a text of anything.
            raise TypeError(f"a choice has an action, not {action!r}")
        choice = super().__new__(cls, action)
        choice.thinking = thinking
        return choice


@dataclass(frozen=True)
class Summary:
    """The totals of a session."""

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
    """Returns the seconds until a moment of `time.monotonic()`, at least 0."""
    return None if moment is None else max(0.0, moment - time.monotonic())


def decision_seed(seed: int, title: str, seat: Seat, decision_id: int) -> int:
    """Returns the seed of a decision: the same for the same decision of matches with one title.

    The first eight bytes, big-endian, of SHA-256 over a tag, the bot's seed, the seat, the
    decision's number and the match's title; the same in all programs of Dragontooth.
    """
    text = b"dragontooth.decision.v1\0" + (seed % 2**64).to_bytes(8, "big")
    text += bytes([0 if seat is Seat.FIRST else 1]) + decision_id.to_bytes(8, "big")
    return int.from_bytes(hashlib.sha256(text + title.encode()).digest()[:8], "big")
