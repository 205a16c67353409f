"""The command by which authors generate code from the .proto files, as the pages have it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from conftest import PATIENCE, REPOSITORY

MODULES = [
    "dragontooth.v1.game_service_pb2_grpc",
    "dragontooth.v1.admin_service_pb2_grpc",
    "google.rpc.error_details_pb2",
]


def run(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_code_that_protoc_writes_can_be_imported(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs/bots.md").read_text(encoding="utf-8")
    line = re.search(r"^python -m grpc_tools\.protoc (.+)$", page, re.MULTILINE)
    assert line
    assert line[1].startswith("-I proto ")
    assert line[1].count("-I") == 1
    assert "protoc -I proto`" in (REPOSITORY / "README.md").read_text(encoding="utf-8")
    words = shlex.split(line[1].replace("DIR", str(tmp_path)))
    sources = [
        str(path.relative_to(REPOSITORY))
        for word in words
        if word.endswith(".proto")
        for path in sorted(REPOSITORY.glob(word))
    ]
    options = [word for word in words if not word.endswith(".proto")]
    assert len(sources) > 4
    run("-m", "grpc_tools.protoc", *options, *sources)
    # The packages of the same names that are installed here must not help.
    for package in ("dragontooth", "google/api", "google/rpc"):
        (tmp_path / package).mkdir(parents=True, exist_ok=True)
        (tmp_path / package / "__init__.py").touch()
    imports = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {', '.join(MODULES)}"
    shown = "; print([sys.modules[name].__file__ for name in " + repr(MODULES) + "])"
    files = run("-c", imports + shown)
    assert files.count(str(tmp_path)) == len(MODULES)
