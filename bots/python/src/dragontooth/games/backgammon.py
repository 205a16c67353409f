"""Backgammon: docs/rules/backgammon.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dragontooth.games.notation import InvalidNotation
from dragontooth.model import Score, Seat

CHECKERS = 15
OFF, BAR = 0, 25
WORDS = ("roll", "double", "take", "drop", "accept", "decline")
OWNERS = {"0": None, "1": Seat.FIRST, "-1": Seat.SECOND}
OWNER_TEXTS = {owner: text for text, owner in OWNERS.items()}

BOARD = re.compile(r"[-A-Oa-o]{26}")
FIELDS = re.compile(
    r"XGID=(?P<board>[-A-Oa-o]{26}):(?P<cube>[0-9]{1,2}):(?P<owner>0|-?1):(?P<turn>0|-?1)"
    r":(?P<dice>00|D|[1-6][1-6]):(?P<first>[0-9]{1,5}):(?P<second>[0-9]{1,5})"
    r":(?P<rule>[01]):(?P<length>[0-9]{1,2}):(?P<limit>[0-9]{1,2})"
)
REMARK = re.compile(r"(roll|dropped|capped)|(resign|resigned|declined):([1-3])")
PART = re.compile(
    r"(?P<places>(?:[0-9]+|bar|off)\*?(?:/(?:[0-9]+|bar|off)\*?)+)(?:\((?P<times>[1-4])\))?"
)


@dataclass(frozen=True)
class Way:
    """The path of one or more checkers: `24/18*/13`."""

    #: Start, stops and end by the mover's count: 25 is the bar, 0 is off.
    places: tuple[int, ...]
    #: The points on which it hits.
    hits: frozenset[int] = frozenset()
    times: int = 1

    def __str__(self) -> str:
        names = {BAR: "bar", OFF: "off"}
        stops = [
            names.get(place, str(place)) + ("*" if place in self.hits else "")
            for place in self.places
        ]
        return "/".join(stops) + (f"({self.times})" if self.times > 1 else "")


@dataclass(frozen=True)
class Play:
    """Checkers are moved: `24/18 13/11*`."""

    ways: tuple[Way, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.ways))


@dataclass(frozen=True)
class Word:
    """`roll`, `double`, `take`, `drop`, `accept` or `decline`."""

    word: str

    def __str__(self) -> str:
        return self.word


@dataclass(frozen=True)
class Resignation:
    """An offer to lose one, two or three times the value of the cube: `resign 1`."""

    games: int

    def __str__(self) -> str:
        return f"resign {self.games}"


Action = Play | Word | Resignation


def parse_action(text: str) -> Action:
    """Parses an action in the form used for legal actions."""
    if text in WORDS:
        return Word(text)
    if text in ("resign 1", "resign 2", "resign 3"):
        return Resignation(int(text[-1]))
    ways = []
    for part in text.split(" "):
        found = PART.fullmatch(part)
        if found is None:
            raise InvalidNotation(
                "action of Backgammon", text, "it is a word, or ways such as 24/18 13/11*"
            )
        names = found["places"].split("/")
        places = [_place(name.rstrip("*")) for name in names]
        if any(place > BAR for place in places):
            raise InvalidNotation("action of Backgammon", text, "points are 1 to 24, bar and off")
        hits = [place for place, name in zip(places, names, strict=True) if name.endswith("*")]
        ways.append(Way(tuple(places), frozenset(hits), int(found["times"] or 1)))
    return Play(tuple(ways))


@dataclass(frozen=True)
class Position:
    """A position with cube and score: an XGID, and words for the facts that it lacks."""

    #: 26 numbers: the bar of seat second, the points 1 to 24 as seat first counts them, the bar of
    #: seat first. Checkers of seat first are positive, of seat second negative.
    board: tuple[int, ...]
    #: The value of the cube: 1, 2, 4 …
    cube: int
    #: The owner of the cube; None in the centre.
    cube_owner: Seat | None
    #: The seat whose turn it is; None before the opening roll.
    turn: Seat | None
    #: None before the roll.
    dice: tuple[int, int] | None
    score: Score
    #: The points that win the match; 0 for a money game.
    length: int
    #: True if the seat whose turn it is has doubled: the other one takes or drops.
    doubled: bool = False
    #: In a match, true in the Crawford game.
    crawford: bool = False
    #: In a money game, true if the Jacoby rule applies.
    jacoby: bool = False
    #: The words after the XGID, such as `resign:1`, in order.
    remarks: tuple[str, ...] = ()
    #: The highest cube in doublings. It has no effect unless the last of the words is `capped`.
    cube_limit: int = 10

    @classmethod
    def parse(cls, text: str) -> Position:
        """Parses a position as it is written in decisions."""

        def invalid(fault: str) -> InvalidNotation:
            return InvalidNotation("position of Backgammon", text, fault)

        xgid, *remarks = text.split(" ")
        found = FIELDS.fullmatch(xgid)
        if found is None:
            raise invalid("expected XGID= and ten fields separated by :")
        if not all(REMARK.fullmatch(remark) for remark in remarks):
            raise invalid(
                "the words after the fields are roll, dropped, resign:N, resigned:N, declined:N, "
                "capped"
            )
        board = tuple(map(_count, found["board"]))
        for sign in (1, -1):
            if sum(count * sign for count in board if count * sign > 0) > CHECKERS:
                raise invalid("a side has more than fifteen checkers")
        dice, length, rule = found["dice"], int(found["length"]), found["rule"]
        return cls(
            board=board,
            cube=2 ** int(found["cube"]),
            cube_owner=OWNERS[found["owner"]],
            turn=OWNERS[found["turn"]],
            dice=(int(dice[0]), int(dice[1])) if dice not in ("00", "D") else None,
            score=Score(int(found["first"]), int(found["second"])),
            length=length,
            doubled=dice == "D",
            crawford=length > 0 and rule == "1",
            jacoby=length == 0 and rule == "1",
            remarks=tuple(remarks),
            cube_limit=int(found["limit"]),
        )

    def __str__(self) -> str:
        dice = "D" if self.doubled else "{}{}".format(*self.dice) if self.dice else "00"
        fields = [
            "".join(map(_letter, self.board)),
            str(self.cube.bit_length() - 1),
            OWNER_TEXTS[self.cube_owner],
            OWNER_TEXTS[self.turn],
            dice,
            str(self.score.first),
            str(self.score.second),
            str(int(self.crawford or self.jacoby)),
            str(self.length),
            str(self.cube_limit),
        ]
        return " ".join(["XGID=" + ":".join(fields), *self.remarks])

    def checkers(self, seat: Seat) -> tuple[int, ...]:
        """Returns the checkers of a seat by its own count: 0 is off, 25 the bar."""
        if seat is Seat.FIRST:
            own = [max(0, count) for count in self.board]
            own[OFF] = 0
        else:
            own = [max(0, -count) for count in reversed(self.board)]
            own[OFF] = 0
        own[OFF] = CHECKERS - sum(own)
        return tuple(own)

    def pips(self, seat: Seat) -> int:
        """Returns the pip count of a seat."""
        return sum(point * count for point, count in enumerate(self.checkers(seat)))

    def after(self, action: str | Action) -> Position:
        """Returns the board after a play of the seat whose turn it is, without the next decision.

        Other actions leave it as it is.
        """
        act = parse_action(action) if isinstance(action, str) else action
        if not isinstance(act, Play) or self.turn is None:
            return self
        own = list(self.checkers(self.turn))
        other = list(self.checkers(self.turn.other))
        for way in act.ways:
            own[way.places[0]] -= way.times
            own[way.places[-1]] += way.times
            for hit in way.hits:
                other[BAR - hit] -= 1
                other[BAR] += 1
        return replace(self, board=_board(self.turn, own, other))


def _board(seat: Seat, own: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    """Returns a board from the checkers of a seat and its opponent, each by its own count."""
    first, second = (own, other) if seat is Seat.FIRST else (other, own)
    points = [first[point] - second[BAR - point] for point in range(1, BAR)]
    return (-second[BAR], *points, first[BAR])


def _place(name: str) -> int:
    return {"bar": BAR, "off": OFF}[name] if name in ("bar", "off") else int(name)


def _count(letter: str) -> int:
    if letter == "-":
        return 0
    return ord(letter) - ord("A") + 1 if letter.isupper() else -(ord(letter) - ord("a") + 1)


def _letter(count: int) -> str:
    if count == 0:
        return "-"
    return chr(ord("A") + count - 1) if count > 0 else chr(ord("a") - count - 1)
