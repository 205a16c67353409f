"""Looks one move ahead at Linja: at what the pieces count, and at what the move earns."""

from dragontooth import Bot, Decision
from dragontooth.games.linja import Move, Position


class LinjaGreedy(Bot):
    """Prefers points now, then a long second move or an extra turn."""

    name = "linja greedy"
    plays = ("linja",)

    def choose(self, decision: Decision) -> str:
        position = Position.parse(decision.position)
        random = decision.random()
        return max(
            decision.legal_actions, key=lambda action: (value(position, action), random.random())
        )


def value(position: Position, action: str) -> float:
    """Value of an action for the side to move."""
    move = Move.parse(action)
    after = position.after(move)
    points = after.points(position.side)
    if position.second_move is None:
        # So many rows the second move will go.
        return points + position.on(move.target) / 2
    # A second move onto an empty row earns an extra turn.
    extra = 0 < move.target < 7 and position.on(move.target) == 0
    return points + (3 if extra and not position.extra else 0)
