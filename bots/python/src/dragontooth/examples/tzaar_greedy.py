"""Looks one action ahead at TZAAR: at the rarest kinds of both sides, and at high units."""

import math

from dragontooth import Bot, Decision
from dragontooth.games.tzaar import SUPPLY, Placement, Position, Side, parse_action


class TzaarGreedy(Bot):
    """Takes what the opponent has least of, and builds on what it has itself."""

    name = "tzaar greedy"
    plays = ("tzaar",)

    def choose(self, decision: Decision) -> str:
        position = Position.parse(decision.position)
        random = decision.random()
        return max(
            decision.legal_actions, key=lambda action: (value(position, action), random.random())
        )


def value(position: Position, action: str) -> float:
    """Value of an action for the side to move."""
    if isinstance(parse_action(action), Placement):
        return 0
    after = position.after(action)
    other: Side = "black" if position.side == "white" else "white"
    return strength(after, position.side) - strength(after, other)


def strength(position: Position, side: Side) -> float:
    """Distance of a side from losing."""
    rarest = min(position.count(side, kind) for kind in SUPPLY)
    if rarest == 0:
        return -1000
    heights = sum(math.sqrt(unit.height) for unit in position.units.values() if unit.side == side)
    return 10 - 20 / rarest + heights
