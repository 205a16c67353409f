"""Linja: docs/rules/linja.md."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from dragontooth.games.notation import InvalidNotation

Side = Literal["red", "black"]

ROWS = range(8)
PIECES = 12
#: What Red's pieces count on the rows 0 to 7; Black's count from the other side.
RED_VALUES = (0, 0, 0, 0, 1, 2, 3, 5)
SIDES: dict[str, Side] = {"r": "red", "b": "black"}

STATE = re.compile(r"(?:1|2:([1-9][0-9]?))(x?)")
MOVE = re.compile(r"([0-7])>([0-7])")


@dataclass(frozen=True)
class Move:
    """A move of one piece from one row to another."""

    source: int
    target: int

    @classmethod
    def parse(cls, text: str) -> Move:
        """Parses an action such as `2>3`."""
        found = MOVE.fullmatch(text)
        if found is None:
            raise InvalidNotation("action of Linja", text, "expected two rows such as 2>3")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.source}>{self.target}"


@dataclass(frozen=True)
class Position:
    """The pieces of each side by row, and the decision that is due."""

    #: Red's pieces on the rows 0 to 7. Red moves up.
    red: tuple[int, ...]
    #: Black's pieces on the rows 0 to 7. Black moves down.
    black: tuple[int, ...]
    #: The side to move.
    side: Side
    #: The distance of the second move in rows; None if the first move is due.
    second_move: int | None = None
    #: True in an extra turn.
    extra: bool = False

    @classmethod
    def parse(cls, text: str) -> Position:
        """Parses a position such as `6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6 r 1`."""

        def invalid(fault: str) -> InvalidNotation:
            return InvalidNotation("position of Linja", text, fault)

        fields = text.split(" ")
        if len(fields) != 3:
            raise invalid("expected pieces, side and state separated by single spaces")
        sides = [
            tuple(int(count) for count in half.split(",") if re.fullmatch("[0-9]|1[0-2]", count))
            for half in fields[0].split("/")
        ]
        if len(sides) != 2 or any(len(side) != len(ROWS) for side in sides):
            raise invalid("expected the counts of eight rows for each side")
        if any(sum(side) != PIECES for side in sides):
            raise invalid("each side has twelve pieces")
        state = STATE.fullmatch(fields[2])
        if fields[1] not in SIDES or state is None:
            raise invalid("the side is r or b, the state 1 or 2:N, with x in an extra turn")
        second = int(state[1]) if state[1] else None
        return cls(sides[0], sides[1], SIDES[fields[1]], second, state[2] == "x")

    def __str__(self) -> str:
        halves = "/".join(",".join(map(str, side)) for side in (self.red, self.black))
        state = "1" if self.second_move is None else f"2:{self.second_move}"
        return f"{halves} {self.side[0]} {state}{'x' if self.extra else ''}"

    def pieces(self, side: Side) -> tuple[int, ...]:
        """Returns the pieces of one side on rows 0 to 7."""
        return self.red if side == "red" else self.black

    def on(self, row: int) -> int:
        """Returns the number of pieces of both sides on a row."""
        return self.red[row] + self.black[row]

    def after(self, action: str | Move) -> Position:
        """Returns the pieces after an action of the side to move, without the next decision."""
        move = Move.parse(action) if isinstance(action, str) else action
        pieces = list(self.pieces(self.side))
        pieces[move.source] -= 1
        pieces[move.target] += 1
        moved = tuple(pieces)
        return replace(self, red=moved) if self.side == "red" else replace(self, black=moved)

    def points(self, side: Side) -> int:
        """Returns the score of one side if the game ended now."""
        values = RED_VALUES if side == "red" else RED_VALUES[::-1]
        return sum(a * b for a, b in zip(values, self.pieces(side), strict=True))
