"""Positions and actions of the games as plain data.

Each game has a module with a `Position` and its actions. `Position.parse(text)` reads what a
decision says, `str(position)` writes it as it was, and `position.after(action)` is the board that
an action leads to. What is legal is the service's to say: `decision.legal_actions`.
"""

from __future__ import annotations

from typing import Protocol

from dragontooth.games import backgammon, kamisado, linja, tzaar
from dragontooth.games.notation import InvalidNotation

__all__ = [
    "GAMES",
    "InvalidNotation",
    "Position",
    "backgammon",
    "kamisado",
    "linja",
    "parse",
    "tzaar",
]


class Position(Protocol):
    """The interface shared by the positions of all games."""

    def __str__(self) -> str:
        """Returns the position in the notation of its game."""


#: Parsers by the name of the game.
GAMES = {
    "backgammon": backgammon.Position.parse,
    "kamisado": kamisado.Position.parse,
    "linja": linja.Position.parse,
    "tzaar": tzaar.Position.parse,
}


def parse(game: str, text: str) -> Position:
    """Parses a position. Raises `InvalidNotation`, or `KeyError` for an unknown game."""
    return GAMES[game](text)
