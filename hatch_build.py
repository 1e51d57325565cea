"""How the collection gets into the wheel, and into an editable install."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAMESPACE = Path("ansible_collections", "tosca")

#: what a collection is made of; the Python package is in the wheel on its own
CONTENT = (
    "galaxy.yml",
    "meta",
    "playbooks",
    "extensions",
    "plugins",
    "roles",
    "requirements.txt",
    "requirements-provision.txt",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
)


class CollectionHook(BuildHookInterface):  # type: ignore[type-arg]
    """Ships the repository as `ansible_collections/tosca/ensemble`, as a copy or, when editable, as a link."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the collection to what is built; `version` is `standard` or `editable`."""
        root = Path(self.root)
        if version == "editable":
            namespace = root / ".build" / NAMESPACE
            namespace.mkdir(parents=True, exist_ok=True)
            link = namespace / "ensemble"
            link.unlink(missing_ok=True)
            link.symlink_to(root)
        else:
            folder = NAMESPACE / "ensemble"
            build_data["force_include"] |= {name: str(folder / name) for name in CONTENT if (root / name).exists()}
