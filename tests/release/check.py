"""Hold a release together: one version everywhere, told of in the changelog, with no fragment left over."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml


def faults(root: Path) -> Iterator[str]:
    """What keeps the tree from being released."""
    collection = str(yaml.safe_load((root / "galaxy.yml").read_text())["version"])
    package = re.findall(r'^__version__ = "(.+)"', (root / "python/ansible_ensemble/__init__.py").read_text(), re.M)
    if package != [collection]:
        yield f"the package has version {', '.join(package) or 'none'}, the collection {collection}"
    changes = root / "changelogs" / "changelog.yaml"
    releases = (yaml.safe_load(changes.read_text()) or {}).get("releases", {}) if changes.exists() else {}
    if collection not in releases:
        yield f"changelogs/changelog.yaml has no release {collection}: antsibull-changelog release"
    if f"## v{collection}\n" not in (root / "CHANGELOG.md").read_text().replace("\\", ""):
        yield f"CHANGELOG.md has no heading v{collection}"
    environment = (root / "execution-environment.yml").read_text()
    if re.findall(r"tosca-ensemble-(.+)\.tar\.gz", environment) != [collection] * 2:
        yield f"execution-environment.yml is not about tosca-ensemble-{collection}.tar.gz"
    if fragments := sorted((root / "changelogs" / "fragments").glob("*.y*ml")):
        yield f"changelogs/fragments has {len(fragments)} that are in no release, such as {fragments[0].name}"
    for file in sorted((root / "plugins").rglob("*.py")):
        for added in re.findall(r"^\s*version_added: '?([\d.]+)", file.read_text(), re.M):
            if numbers(added) > numbers(collection):
                yield f"{file.relative_to(root)} is of version {added}, which is yet to come"


def numbers(version: str) -> tuple[int, ...]:
    """A version in an order."""
    return tuple(int(part) for part in version.split("."))


if __name__ == "__main__":
    found = list(faults(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    sys.exit("\n".join(found) or 0)
