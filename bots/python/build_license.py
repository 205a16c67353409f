"""Brings the licence beside the package, whenever its metadata is made.

It is that of the repository; a source distribution has its copy already.
"""

import shutil
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class LicenseHook(MetadataHookInterface):  # type: ignore[misc, unused-ignore]
    """Runs before the licence files are looked up, which have to be in the package's folder."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        own = Path(self.root, "LICENSE")
        if not own.exists():
            shutil.copyfile(own.parents[2] / own.name, own)
        metadata["license-files"] = [own.name]
