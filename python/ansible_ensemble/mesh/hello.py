"""What the two ends of a stream tell each other first: who they are, and what they have."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from msgspec import Struct, ValidationError, convert

from ansible_ensemble import __version__
from ansible_ensemble.configurators.locations import collection_folders
from ansible_ensemble.mesh.control import MeshError, shown

#: Number of the protocol; ends with different ones do not go together.
PROTOCOL = 4


class Hello(Struct, frozen=True):
    """What a worker has.

    Attributes:
        node: the id of its node.
        protocol: the number of the protocol that it speaks.
        version, python, ansible_core: versions of what it runs with.
        collections: versions of collections, by their names.
        challenge: what it made up for this connection, which signatures cover.
    """

    node: str
    protocol: int
    version: str
    python: str
    ansible_core: str
    collections: dict[str, str]
    challenge: str = ""


def own_hello(node: str) -> Hello:
    """What there is here."""
    return Hello(
        node,
        PROTOCOL,
        version=__version__,
        python=platform.python_version(),
        ansible_core=version("ansible-core"),
        collections=dict(sorted(_collections())),
    )


def hello_of(message: dict[str, Any] | None, name: str) -> Hello:
    """The hello that a worker's first message is; it must be that of the node of this name."""
    if message is None:
        raise MeshError(
            f"nobody listens behind the service of {name}", hint="start `ansible-ensemble mesh worker` there"
        )
    try:
        hello = convert(message.get("hello"), Hello)
    except ValidationError as error:
        raise MeshError(f"{name} does not speak as a worker does: {error}") from error
    if hello.protocol != PROTOCOL:
        text = f"the worker of {name} speaks protocol {hello.protocol}, and this is {PROTOCOL}"
        raise MeshError(text, hint=f"it has version {shown(hello.version)}, and this is {__version__}")
    if hello.node != name:
        hint = f"start it with --node {name}, if that is where it is"
        raise MeshError(f"the worker of {name} says that it is that of {shown(hello.node)}", hint=hint)
    return hello


def _collections() -> Iterator[tuple[str, str]]:
    """Names and versions of collections, of each the one that Ansible finds; `*` where none is told."""
    found = set[str]()
    for folder in collection_folders(Path.cwd()):
        for path in folder.glob("*/*"):
            name = f"{path.parent.name}.{path.name}"
            if name not in found and path.parent.name.isidentifier() and path.name.isidentifier() and path.is_dir():
                found.add(name)
                yield name, _version(path)


def _version(collection: Path) -> str:
    try:
        manifest = json.loads((collection / "MANIFEST.json").read_bytes())
        return str(manifest["collection_info"]["version"])
    except (OSError, ValueError, LookupError, TypeError):
        return "*"
