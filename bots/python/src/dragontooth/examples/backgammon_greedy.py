"""Looks one play ahead at Backgammon: at the race, at points made and at blots."""

from dragontooth import Bot, Decision, Seat
from dragontooth.games.backgammon import BAR, OFF, Position

#: Who is behind by more than this part of the own pips drops a double.
DROP_BEHIND = 0.15


class BackgammonGreedy(Bot):
    """Hits, makes points, and leaves few blots; takes while the race is not lost."""

    name = "backgammon greedy"
    plays = ("backgammon",)

    def choose(self, decision: Decision) -> str:
        position = Position.parse(decision.position)
        legal = decision.legal_actions
        # The choices of a word: it never doubles, and accepts what is given.
        for word in ("roll", "accept"):
            if word in legal:
                return word
        if "take" in legal:
            return "take" if ahead(position, decision.seat) > -DROP_BEHIND else "drop"
        return max(legal, key=lambda play: value(position.after(play), decision.seat))


def ahead(position: Position, seat: Seat) -> float:
    """Lead of a seat in the race, as a part of its own pips."""
    pips = position.pips(seat)
    return (position.pips(seat.other) - pips) / max(1, pips)


def value(position: Position, seat: Seat) -> float:
    """Value of a board for a seat that has just played."""
    own, other = position.checkers(seat), position.checkers(seat.other)
    score = 10.0 * own[OFF] + position.pips(seat.other) - position.pips(seat)
    farthest = max((point for point in range(1, BAR + 1) if other[point]), default=0)
    for point in range(1, BAR):
        # An opponent's checker that has still to pass: it sees the point as its 25 - point.
        is_in_play = BAR - point < farthest
        if own[point] >= 2 and is_in_play:
            score += 4 if point <= 6 else 2
        elif own[point] == 1 and is_in_play:
            score -= 3 + (BAR - point) / 5
    return score
