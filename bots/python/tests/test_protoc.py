"""The command by which authors generate code from the .proto files, as the pages have it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from conftest import PATIENCE, REPOSITORY


def test_protoc_finds_every_import_with_one_folder(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs/bots.md").read_text(encoding="utf-8")
    line = re.search(r"^protoc (.+)$", page, re.MULTILINE)
    assert line
    assert line[1].startswith("-I proto ")
    assert line[1].count("-I") == 1
    assert "protoc -I proto`" in (REPOSITORY / "README.md").read_text(encoding="utf-8")
    *options, files = shlex.split(line[1].replace("DIR", str(tmp_path)))
    sources = [str(path.relative_to(REPOSITORY)) for path in REPOSITORY.glob(files)]
    assert len(sources) > 4
    command = [sys.executable, "-m", "grpc_tools.protoc", *options, *sources]
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    written = {path.name for path in (tmp_path / "dragontooth/v1").iterdir()}
    assert "game_service_pb2.py" in written
