"""The package as it is installed."""

from __future__ import annotations

from importlib.metadata import distribution

from conftest import REPOSITORY


def test_the_package_contains_its_licence() -> None:
    package = distribution("dragontooth")
    assert package.metadata.get_all("License-File") == ["LICENSE"]
    licence = (REPOSITORY / "LICENSE").read_text(encoding="utf-8")
    assert package.read_text("licenses/LICENSE") == licence
