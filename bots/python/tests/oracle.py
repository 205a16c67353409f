"""The rules in Rust: `dragontooth-bot analyze`."""

from __future__ import annotations

import json
import subprocess
from random import Random
from typing import Any

from conftest import clean_environment, program


class Oracle:
    """Answers questions about positions."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [program("dragontooth-bot"), "analyze"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=clean_environment(),
        )

    def ask(self, **question: object) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def playout(
        self, game: str, variant: str, random: Random
    ) -> list[tuple[str, str, list[str], str]]:
        """A game of random actions.

        A tuple for each: the position, the action that is played there, the actions that could have
        been played, and the position that it leads to. An action may be a roll.
        """
        steps = []
        answer = self.ask(game=game, variant=variant, seed=str(random.random()))
        while answer["legal"] or answer.get("rolls"):
            position = answer["position"]
            action = random.choice(answer["legal"] or answer["rolls"])
            answer = self.ask(game=game, variant=variant, position=position, actions=[action])
            assert answer["error"] is None, answer
            steps.append((position, action, answer["legal"], answer["position"]))
        return steps
