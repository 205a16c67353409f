"""Plays at random, whatever the game is."""

from dragontooth import Bot, Decision


class RandomBot(Bot):
    """Every legal action is as likely as the others."""

    name = "random"

    def choose(self, decision: Decision) -> str:
        return decision.random().choice(decision.legal_actions)
