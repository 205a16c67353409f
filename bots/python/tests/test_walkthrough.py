"""The game by hand in docs/walkthrough.md, played as it stands there."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import PATIENCE, REPOSITORY, Service, clean_environment

WALKTHROUGH = REPOSITORY / "docs/walkthrough.md"
#: The version that `cargo xtask ci` uses too.
BUF = "@bufbuild/buf@1.75.0"
ADDRESS = "127.0.0.1:4640"
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Shell:
    """Runs commands one after the other; what they define is kept."""

    def __init__(self, service: Service, path: Path) -> None:
        self._address = f"127.0.0.1:{service.port}"
        self._path = path
        self._definitions = ""
        #: The match of the page, and ours.
        self._ids: dict[str, str] = {}

    def run(self, script: str) -> str:
        """The output of a script. Refused calls are not mistakes of the script."""
        script = script.replace(ADDRESS, self._address)
        for of_page, ours in self._ids.items():
            script = script.replace(of_page, ours)
        definitions = [
            line for line in script.splitlines() if re.match(r"\w+=|rpc\(\)|  |\}", line)
        ]
        if len(definitions) == len(script.splitlines()):
            self._definitions += script
        done = subprocess.run(
            ["bash", "-c", self._definitions + script],
            env=clean_environment(PATH=f"{self._path}{os.pathsep}{os.environ['PATH']}"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert "command not found" not in done.stdout, done.stdout
        return done.stdout

    def name_match(self, of_page: str, output: str) -> None:
        """From now on our match stands for that of the page."""
        found = ID.search(output)
        assert found, output
        self._ids[of_page] = found[0]

    def ours(self, text: str) -> str:
        """A text of the page about our match."""
        for of_page, ours in self._ids.items():
            text = text.replace(of_page, ours)
        return text


@pytest.fixture(scope="module")
def buf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an `npx` that starts buf at once, at a version that stays the same."""
    command = ["npx", "--yes", "--package", BUF, "-c", "command -v buf"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"buf cannot be had: {error}")
    folder = tmp_path_factory.mktemp("npx")
    npx = '[ "$1 $2" = "--yes @bufbuild/buf" ] || exit 9\n'
    write_program(folder / "npx", f'{npx}shift 2\nexec {shlex.quote(found)} "$@"\n')
    return folder


def write_program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}")
    path.chmod(0o755)


def answers(output: str) -> Iterator[Any]:
    """The JSON in an output, whatever stands between."""
    decoder = json.JSONDecoder()
    at = output.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(output, at)
            yield value
        except json.JSONDecodeError:
            end = at + 1
        at = output.find("{", end)


def holds(answer: Any, shown: Any) -> bool:
    """Returns true if an answer contains everything that the page shows of it."""
    if isinstance(shown, dict):
        return isinstance(answer, dict) and all(
            name in answer and holds(answer[name], value) for name, value in shown.items()
        )
    if isinstance(shown, list):
        return isinstance(answer, list) and all(
            any(holds(one, value) for one in answer) for value in shown
        )
    return bool(answer == shown)


def test_what_counts_as_shown() -> None:
    assert holds({"a": [1, {"b": 2, "c": 3}], "d": 4}, {"a": [{"b": 2}]})
    assert not holds({"a": [1, {"b": 2}]}, {"a": [{"b": 3}]})
    assert not holds({"a": 1}, {"b": 1})
    assert list(answers('x { {"a": 1}\n{"b": 2}')) == [{"a": 1}, {"b": 2}]


def walk(shell: Shell, other_tool: str) -> int:
    """Runs the commands of the page and compares the answers and their number."""
    output, shown_answers = "", 0
    for kind, text in BLOCK.findall(WALKTHROUGH.read_text(encoding="utf-8")):
        if kind == "sh" and f"  {other_tool}" not in text:
            output = shell.run(text)
            if "CreateMatch" in text:
                created = output
        elif kind == "json":
            shown = json.loads(text)
            if "id" in shown.get("match", {}):
                shell.name_match(shown["match"]["id"], created)
                shown = json.loads(shell.ours(text))
            assert any(holds(answer, shown) for answer in answers(output)), (text, output)
            shown_answers += 1
        elif kind == "text":
            assert text.strip() in output, (text, output)
            shown_answers += 1
    return shown_answers


def test_the_page_with_buf(shared_service: Service, buf: Path) -> None:
    assert walk(Shell(shared_service, buf), "grpcurl") == 11


def test_the_page_with_grpcurl(shared_service: Service, tmp_path: Path) -> None:
    if shutil.which("grpcurl") is None:
        script = shlex.quote(str(Path(__file__).with_name("grpcurl.py")))
        write_program(tmp_path / "grpcurl", f'exec {shlex.quote(sys.executable)} {script} "$@"\n')
    assert walk(Shell(shared_service, tmp_path), "npx") == 11
