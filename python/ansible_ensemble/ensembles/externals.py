"""Other ensembles that the environment of an ensemble names as `external`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, shown_path
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.projects.environment import ExternalEnsemble
from ansible_ensemble.topology.tools import is_tool


class Externals:
    """Instances of other ensembles, by the names that the environment has for them.

    Each ensemble is read once, when it is first asked for. One that lacks tools is read again when a job has changed
    it: the job may have installed them.

    Args:
        named: the ensembles by name.
        reading: the files of those that are being read, which must not need each other.
        read: reads an ensemble.
    """

    def __init__(
        self, named: Mapping[str, ExternalEnsemble], reading: tuple[Path, ...], read: Callable[[Path], Ensemble]
    ) -> None:
        self._named = named
        self._reading = reading
        self._read = read
        self._known: dict[Path, tuple[object, Ensemble]] = {}

    def __call__(self, name: str) -> Any:
        """The view from the instance of another ensemble that a name means, or from that ensemble's topology.

        Raises:
            KeyError: the environment has no such name.
            InvalidInput: the ensembles need each other, or the instance is not there.
        """
        external = self._named[name]
        if external.ensemble in self._reading:
            names = " -> ".join(shown_path(str(file)) for file in (*self._reading, external.ensemble))
            raise InvalidInput(f"ensembles depend on each other: {names}", hint="one of them must select from another")
        found = self._ensemble(external.ensemble)
        if not external.instance:
            return found.evaluator.scope(None)
        instance = found.instances.get(external.instance)
        if instance is None:
            hint = nearest_or_known(external.instance, found.instances.by_name) or "nothing is deployed there"
            raise InvalidInput(f'the ensemble "{name}" has no instance "{external.instance}"', hint=hint)
        return found.evaluator.scope(instance)

    def _ensemble(self, file: Path) -> Ensemble:
        stamp, (before, known) = _stamp(file), self._known.get(file, (None, None))
        if known is None or (before != stamp and _lacks_tools(known)):
            known = self._read(file)
            self._known[file] = stamp, known
        return known


def _stamp(file: Path) -> object:
    """What differs as soon as a job has written the file."""
    try:
        found = file.stat()
    except (OSError, ValueError):  # a null byte in its name
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def _lacks_tools(ensemble: Ensemble) -> bool:
    recorded = (
        ensemble.instances.get(name) for name, node in ensemble.topology.node_templates.items() if is_tool(node)
    )
    return any(one is None or not one.status.operational for one in recorded)
