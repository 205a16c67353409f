"""Kamisado: docs/rules/kamisado.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from dragontooth.games.notation import InvalidNotation

#: Black is seat first and moves up, White is seat second and moves down.
Side = Literal["black", "white"]
Colour = Literal["brown", "green", "red", "yellow", "pink", "purple", "blue", "orange"]

FILES = "abcdefgh"
COLOURS: dict[str, Colour] = {
    "b": "brown",
    "g": "green",
    "r": "red",
    "y": "yellow",
    "p": "pink",
    "m": "purple",
    "l": "blue",
    "o": "orange",
}
LETTERS = {colour: letter for letter, colour in COLOURS.items()}
#: The colours of the squares, rank 8 first, as letters.
BOARD = (
    "olmpyrgb",
    "ropglybm",
    "gpormbyl",
    "pmlobgry",
    "yrgbolmp",
    "lybmropg",
    "mbylgpor",
    "bgrypmlo",
)
SIDES: dict[str, Side] = {"b": "black", "w": "white"}
#: The goal row of each side.
GOALS: dict[Side, int] = {"black": 8, "white": 1}

CELL = re.compile(r"([1-8])|([bgrypmloBGRYPMLO])(\+{0,3})")
ACTION = re.compile(r"([a-h][1-8])([a-h][1-8])")


def colour_of(square: str) -> Colour:
    """Returns the colour of a square: the colour of the tower that the opponent moves next."""
    return COLOURS[BOARD[8 - int(square[1])][FILES.index(square[0])]]


@dataclass(frozen=True)
class Tower:
    """A tower."""

    side: Side
    colour: Colour
    #: Its dragon's teeth, 0 to 3: a win with it scores 1, 2, 4 or 8.
    teeth: int = 0

    def __str__(self) -> str:
        letter = LETTERS[self.colour]
        return (letter.upper() if self.side == "white" else letter) + "+" * self.teeth


@dataclass(frozen=True)
class Move:
    """A move of a tower; onto an occupied square it is a push."""

    source: str
    target: str

    def __str__(self) -> str:
        return self.source + self.target


@dataclass(frozen=True)
class Refill:
    """The choice of a refill: the side from which both players fill their home rows."""

    side: Literal["left", "right"]

    def __str__(self) -> str:
        return self.side


Action = Move | Refill


def parse_action(text: str) -> Action:
    """Parses an action: `a1a7`, `left` or `right`."""
    if text == "left":
        return Refill("left")
    if text == "right":
        return Refill("right")
    found = ACTION.fullmatch(text)
    if found is None:
        raise InvalidNotation("action of Kamisado", text, "expected two squares, left or right")
    return Move(found[1], found[2])


@dataclass(frozen=True)
class Position:
    """The towers on the board and the one that has to move."""

    #: The towers by their squares, a1 to h8.
    towers: Mapping[str, Tower]
    #: The side to move.
    side: Side
    #: The colour of the tower that has to move; None for a free choice, and for a refill.
    required: Colour | None
    #: True if the decision is the refill.
    refill: bool = False
    #: In rare deadlocks, the tower that gets the tooth.
    tooth: Tower | None = None

    @classmethod
    def parse(cls, text: str) -> Position:
        """Parses a position; the start is `OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -`."""

        def invalid(fault: str) -> InvalidNotation:
            return InvalidNotation("position of Kamisado", text, fault)

        fields = text.split(" ")
        if len(fields) not in (3, 4) or fields[1] not in SIDES:
            raise invalid("expected towers, b or w, and the colour that has to move")
        ranks = fields[0].split("/")
        if len(ranks) != len(FILES):
            raise invalid("expected eight ranks separated by /")
        towers: dict[str, Tower] = {}
        for rank, row in zip(range(8, 0, -1), ranks, strict=True):
            found = _row(rank, row)
            if found is None:
                raise invalid(
                    f"rank {rank} is not eight squares: letters with + for teeth, and numbers"
                )
            towers.update(found)
        if sorted(str(tower)[0] for tower in towers.values()) != sorted(
            [*LETTERS.values(), *(letter.upper() for letter in LETTERS.values())]
        ):
            raise invalid("each side has one tower of each colour")
        required = fields[2]
        if required not in (*COLOURS, "-", "*"):
            raise invalid("the colour that has to move is a lower-case letter, - or *")
        tooth = None
        if len(fields) == 4:
            tooth = next((tower for tower in towers.values() if str(tower)[0] == fields[3]), None)
            if tooth is None:
                raise invalid("the fourth field is not the letter of a tower")
        return cls(towers, SIDES[fields[1]], COLOURS.get(required), required == "*", tooth)

    def __str__(self) -> str:
        ranks = []
        for rank in range(8, 0, -1):
            cells = [str(self.towers.get(f"{file}{rank}", " ")) for file in FILES]
            ranks.append(re.sub(" +", lambda run: str(len(run[0])), "".join(cells)))
        required = LETTERS[self.required] if self.required else "*" if self.refill else "-"
        text = f"{'/'.join(ranks)} {self.side[0]} {required}"
        return text if self.tooth is None else f"{text} {str(self.tooth)[0]}"

    def after(self, action: str | Action) -> Position:
        """Returns the towers after a move of the side to move, without the next decision.

        A refill leaves the position as it is.
        """
        act = parse_action(action) if isinstance(action, str) else action
        if isinstance(act, Refill):
            return self
        towers = dict(self.towers)
        forward = 1 if self.side == "black" else -1
        # A push moves each tower back by one square, the farthest first.
        line = []
        square = act.target
        while square in towers:
            line.append(square)
            square = f"{square[0]}{int(square[1]) + forward}"
        for pushed in reversed(line):
            towers[f"{pushed[0]}{int(pushed[1]) + forward}"] = towers.pop(pushed)
        towers[act.target] = towers.pop(act.source)
        return replace(self, towers=towers)

    def is_push(self, action: str | Action) -> bool:
        """Returns True if a move is a push, after which the same side moves again."""
        act = parse_action(action) if isinstance(action, str) else action
        return isinstance(act, Move) and act.target in self.towers

    def square_of(self, side: Side, colour: Colour) -> str:
        """Returns the square of a tower."""
        return next(
            square
            for square, tower in self.towers.items()
            if tower.side == side and tower.colour == colour
        )


def _row(rank: int, row: str) -> dict[str, Tower] | None:
    """Parses the towers of a rank; None if it is malformed."""
    towers = {}
    place, after_number, end = 0, False, 0
    for cell in CELL.finditer(row):
        if cell.start() != end or place >= len(FILES) or (cell[1] and after_number):
            return None
        end = cell.end()
        after_number = bool(cell[1])
        if cell[1]:
            place += int(cell[1])
        else:
            letter = cell[2]
            side: Side = "white" if letter.isupper() else "black"
            towers[f"{FILES[place]}{rank}"] = Tower(side, COLOURS[letter.lower()], len(cell[3]))
            place += 1
    return towers if place == len(FILES) and end == len(row) else None
