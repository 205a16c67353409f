"""TZAAR: docs/rules/tzaar.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from dragontooth.games.notation import InvalidNotation

Side = Literal["white", "black"]
Kind = Literal["tzaar", "tzarra", "tott"]
Due = Literal["opening", "first", "second", "placement"]

FILES = "abcdefghi"
#: Number of points in each file. The hole counts as a rank of file e but is not a point.
LENGTHS = (5, 6, 7, 8, 8, 8, 7, 6, 5)
HOLE = "e5"
#: Number of pieces of each kind that a side starts with.
SUPPLY: dict[Kind, int] = {"tzaar": 6, "tzarra": 9, "tott": 15}

KINDS: dict[str, Kind] = {"z": "tzaar", "r": "tzarra", "t": "tott"}
LETTERS = {kind: letter for letter, kind in KINDS.items()}
SIDES: dict[str, Side] = {"w": "white", "b": "black"}
DUES: dict[str, Due] = {"o": "opening", "1": "first", "2": "second", "p": "placement"}
DUE_LETTERS = {due: letter for letter, due in DUES.items()}

UNIT = re.compile(r"\.|([zrtZRT])([12][0-9]|[2-9])?")
ACTION = re.compile(r"-|([a-i][1-9])([x+])([a-i][1-9])|([zrt])@([a-i][1-9])")


def _points() -> tuple[str, ...]:
    names = []
    for name, length in zip(FILES, LENGTHS, strict=True):
        ranks = range(1, length + 1) if name != HOLE[0] else (1, 2, 3, 4, 6, 7, 8, 9)
        names += [f"{name}{rank}" for rank in ranks]
    return tuple(names)


#: The sixty points in the order in which a position lists them.
POINTS = _points()


@dataclass(frozen=True)
class Unit:
    """A piece or a stack."""

    side: Side
    #: The kind of its top piece.
    kind: Kind
    height: int = 1

    def __str__(self) -> str:
        letter = LETTERS[self.kind]
        letter = letter.upper() if self.side == "white" else letter
        return f"{letter}{self.height if self.height > 1 else ''}"


@dataclass(frozen=True)
class Capture:
    """A unit takes an enemy unit: `d3xc3`."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}x{self.target}"


@dataclass(frozen=True)
class Stacking:
    """A unit stacks onto a friendly one: `e3+e4`."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}+{self.target}"


@dataclass(frozen=True)
class Placement:
    """A piece is placed: `z@d4`."""

    kind: Kind
    point: str

    def __str__(self) -> str:
        return f"{LETTERS[self.kind]}@{self.point}"


@dataclass(frozen=True)
class Pass:
    """The pass of the second action of a turn: `-`."""

    def __str__(self) -> str:
        return "-"


Action = Capture | Stacking | Placement | Pass


def parse_action(text: str) -> Action:
    """Parses an action."""
    found = ACTION.fullmatch(text)
    points = {found[1], found[3], found[5]} - {None} if found else set()
    if found is None or not points <= set(POINTS):
        raise InvalidNotation("action of TZAAR", text, "expected d3xc3, e3+e4, z@d4 or -")
    if text == "-":
        return Pass()
    if found[4]:
        return Placement(KINDS[found[4]], found[5])
    return (Capture if found[2] == "x" else Stacking)(found[1], found[3])


@dataclass(frozen=True)
class Position:
    """The units on the board and the decision that is due."""

    #: The units by point; empty points are left out.
    units: Mapping[str, Unit]
    #: The side to move.
    side: Side
    #: The action of the turn that is due.
    due: Due

    @classmethod
    def parse(cls, text: str) -> Position:
        """Parses a position; the fixed start is `ttttT/TrrrRT/…/tTTTT w o`."""

        def invalid(fault: str) -> InvalidNotation:
            return InvalidNotation("position of TZAAR", text, fault)

        fields = text.split(" ")
        if len(fields) != 3 or fields[1] not in SIDES or fields[2] not in DUES:
            raise invalid("expected points, w or b, and o, 1, 2 or p, separated by single spaces")
        files = fields[0].split("/")
        if len(files) != len(FILES):
            raise invalid("expected nine files separated by /")
        cells: list[str] = []
        for name, file, length in zip(FILES, files, LENGTHS, strict=True):
            found = [cell[0] for cell in UNIT.finditer(file)]
            if "".join(found) != file or len(found) != length:
                raise invalid(
                    f"file {name} does not have {length} points: units such as T3, or . if empty"
                )
            cells += found
        units = {
            point: _unit(cell) for point, cell in zip(POINTS, cells, strict=True) if cell != "."
        }
        return cls(units, SIDES[fields[1]], DUES[fields[2]])

    def __str__(self) -> str:
        files = []
        for name in FILES:
            points = [point for point in POINTS if point[0] == name]
            files.append("".join(str(self.units.get(point, ".")) for point in points))
        return f"{'/'.join(files)} {self.side[0]} {DUE_LETTERS[self.due]}"

    def after(self, action: str | Action) -> Position:
        """Returns the units after an action of the side to move, without the next decision."""
        act = parse_action(action) if isinstance(action, str) else action
        units = dict(self.units)
        if isinstance(act, Placement):
            units[act.point] = Unit(self.side, act.kind)
        elif not isinstance(act, Pass):
            unit = units.pop(act.source)
            if isinstance(act, Stacking):
                unit = replace(unit, height=unit.height + units[act.target].height)
            units[act.target] = unit
        return replace(self, units=units)

    def count(self, side: Side, kind: Kind) -> int:
        """Returns how many units of a side have that kind on top. Having none loses."""
        return sum(unit.side == side and unit.kind == kind for unit in self.units.values())


def _unit(cell: str) -> Unit:
    side: Side = "white" if cell[0].isupper() else "black"
    return Unit(side, KINDS[cell[0].lower()], int(cell[1:] or 1))
