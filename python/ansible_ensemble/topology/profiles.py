"""Profiles: libraries of types that are imported by their name instead of a path [TOSCA 2.0]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ansible_ensemble.documents.paths import is_file

#: The profile of the types that ship with the product.
SHIPPED = "tosca.ensemble"

#: Profiles whose types are always there: the standard's, and our own; any version of them.
_BUILT_IN = {"org.oasis-open.simple", "org.oasis-open.tosca.simple", SHIPPED}

_FILE = "profile.yaml"


def is_built_in(name: str) -> bool:
    """Whether a profile is one whose types are always there."""
    return name.partition(":")[0] in _BUILT_IN


def find_profile(name: str, base: Path, roots: Sequence[Path]) -> Path | None:
    """The file of a profile, by its name and version: of `a.b:1.0`, it is `profiles/a/b/1.0/profile.yaml`.

    The nearest one counts, from the folder of the file that imports it up to the root that this is in.
    """
    title, _separator, version = name.partition(":")
    where = Path(*title.split("."))
    places = (where / version / _FILE, where / _FILE) if version else (where / _FILE,)
    files = (folder / "profiles" / place for folder in _upwards(base, roots) for place in places)
    return next((file for file in files if is_file(file)), None)


def place_for(name: str) -> str:
    """Where the file of a profile is looked for, for people."""
    title, _separator, version = name.partition(":")
    return "/".join(["profiles", *title.split("."), *([version] if version else []), _FILE])


def _upwards(base: Path, roots: Sequence[Path]) -> Iterator[Path]:
    """A folder and those above it, as far as they are in one of the roots."""
    yield base
    for folder in base.resolve().parents:
        if not any(folder.is_relative_to(root.resolve()) for root in roots):
            return
        yield folder
