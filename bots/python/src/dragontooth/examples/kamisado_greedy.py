"""Looks one move ahead at Kamisado: wins if it can, and does not let the opponent win."""

from dragontooth import Bot, Decision
from dragontooth.games.kamisado import FILES, GOALS, Move, Position, Side, colour_of, parse_action

#: How many squares a tower moves at most, by its teeth.
REACH = (7, 5, 3, 1)


class KamisadoGreedy(Bot):
    """Prefers the goal row, then what gives the opponent no win, then what goes far."""

    name = "kamisado greedy"
    plays = ("kamisado",)

    def choose(self, decision: Decision) -> str:
        position = Position.parse(decision.position)
        random = decision.random()
        return max(
            decision.legal_actions, key=lambda action: (value(position, action), random.random())
        )


def value(position: Position, action: str) -> int:
    """Value of an action for the side to move."""
    move = parse_action(action)
    if not isinstance(move, Move):
        return 0
    if int(move.target[1]) == GOALS[position.side]:
        return 100
    length = abs(int(move.target[1]) - int(move.source[1]))
    if position.is_push(move):
        return 50
    after = position.after(move)
    other: Side = "white" if position.side == "black" else "black"
    answer = after.square_of(other, colour_of(move.target))
    return -100 if wins(after, answer) else length


def wins(position: Position, square: str) -> bool:
    """Returns true if the tower on a square can reach its goal row."""
    tower = position.towers[square]
    goal = GOALS[tower.side]
    forward = 1 if tower.side == "black" else -1
    distance = (goal - int(square[1])) * forward
    if distance > REACH[tower.teeth]:
        return False
    for side in (-1, 0, 1):
        steps = range(1, distance + 1)
        files = [FILES.index(square[0]) + side * step for step in steps]
        if not 0 <= files[-1] < len(FILES):
            continue
        way = [
            f"{FILES[file]}{int(square[1]) + forward * step}"
            for file, step in zip(files, steps, strict=True)
        ]
        if not any(one in position.towers for one in way):
            return True
    return False
