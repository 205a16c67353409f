"""Writes the package `dragontooth.v1` from the .proto files, whenever the package is built.

The files are those of the repository, or in a source distribution the copies beside this file.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "dragontooth/v1"
INIT = '"""What the .proto files of the API define, as `grpcio-tools` writes it."""\n'


class StubsHook(BuildHookInterface):  # type: ignore[type-arg, misc, unused-ignore]
    """Runs before a wheel or an editable installation is made."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "wheel":
            write_stubs(Path(self.root))


def write_stubs(root: Path) -> None:
    """Rewrites `src/dragontooth/v1`."""
    proto = next(
        (place for place in (root / "proto", root / "../../proto") if (place / PACKAGE).is_dir()),
        None,
    )
    if proto is None:
        message = "there are no .proto files, neither in proto/ nor in ../../proto/"
        raise FileNotFoundError(message)
    # Here, since the source distribution is built without it.
    import grpc_tools
    from grpc_tools import protoc

    target = root / "src"
    package = target / PACKAGE
    package.mkdir(parents=True, exist_ok=True)
    for old in package.iterdir():
        if old.is_file():
            old.unlink()
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    arguments = [
        "protoc",
        f"--proto_path={proto}",
        f"--proto_path={well_known}",
        f"--python_out={target}",
        f"--pyi_out={target}",
        f"--grpc_python_out={target}",
        *(str(file) for file in sorted((proto / PACKAGE).glob("*.proto"))),
    ]
    if protoc.main(arguments) != 0:
        message = "protoc refuses the .proto files"
        raise RuntimeError(message)
    (package / "__init__.py").write_text(INIT, encoding="utf-8")
