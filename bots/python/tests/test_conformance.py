"""The conformance kit on the example bots."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import clean_environment, program

BOTS = {
    "kamisado": "kamisado_greedy:KamisadoGreedy",
    "linja": "linja_greedy:LinjaGreedy",
    "tzaar": "tzaar_greedy:TzaarGreedy",
    "backgammon": "backgammon_greedy:BackgammonGreedy",
}
#: The game whose checks run without `--every-game`; the kit checks other bots in the other games.
USUAL = "linja"
#: The time limit for all checks of a game, in seconds.
PATIENCE = 300.0


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every_game = metafunc.config.getoption("every_game")
    metafunc.parametrize("game", BOTS if every_game else [USUAL])


def test_the_bot_passes_every_check(tmp_path: Path, game: str) -> None:
    bot = f"dragontooth.examples.{BOTS[game]}"
    verdicts = tmp_path / "verdicts.json"
    command = [
        program("dragontooth-runner"),
        "conformance",
        "--game",
        game,
        "--json",
        str(verdicts),
    ]
    done = subprocess.run(
        [*command, "--", sys.executable, "-m", "dragontooth", "play", "--bot", bot],
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    report = json.loads(verdicts.read_text(encoding="utf-8"))
    assert (report["failed"], report["skipped"], report["unknown"]) == (0, 0, 0)
    assert report["passed"] >= 15
