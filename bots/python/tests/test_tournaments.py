"""The example bots in tournaments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PATIENCE, REPOSITORY, clean_environment, program

DEMO = REPOSITORY / "deploy/tournaments/python-demo.toml"
GREEDY = {
    "kamisado": "kamisado_greedy:KamisadoGreedy",
    "linja": "linja_greedy:LinjaGreedy",
    "tzaar": "tzaar_greedy:TzaarGreedy",
    "backgammon": "backgammon_greedy:BackgammonGreedy",
}


def run(file: Path, folder: Path) -> list[dict[str, object]]:
    """Plays a tournament with this Python, and gives its results."""
    place = Path(sys.executable).parent
    path = f"{place}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [program("dragontooth-runner"), "run", str(file), "--folder", str(folder / "run")],
        env=clean_environment(PATH=path),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = (folder / "run/results.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_the_demo_is_played_without_a_fault(tmp_path: Path) -> None:
    results = run(DEMO, tmp_path)
    assert len(results) == 24
    assert [result["faults"] for result in results] == [[]] * 24
    assert {result["termination"] for result in results} == {"normal"}


@pytest.mark.parametrize("game", GREEDY)
def test_greedy_bots_beat_those_that_play_at_random(tmp_path: Path, game: str) -> None:
    """Both follow their seeds, so the result is always the same."""
    file = tmp_path / "greedy.toml"
    command = ["python3", "-m", "dragontooth", "play", "--bot"]
    file.write_text(
        f"""
        [event]
        name = "greedy"
        seed = 7
        draw_secret = "{"5e" * 32}"
        game = "{game}"
        target = 1
        cycles = 10

        [[bot]]
        name = "greedy"
        command = {json.dumps([*command, f"dragontooth.examples.{GREEDY[game]}"])}

        [[bot]]
        name = "random"
        builtin = "random"
        """
    )
    results = run(file, tmp_path)
    assert [result["faults"] for result in results] == [[]] * 20
    won = 0
    for result in results:
        bots = result["bots"]
        assert isinstance(bots, dict)
        won += result["winner"] is not None and bots[result["winner"]] == "greedy"
    # A bot of equal strength wins that many of twenty matches once in eight hundred times.
    assert won >= 17
