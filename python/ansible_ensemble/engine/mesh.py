"""The mesh of an ensemble's environment, for its jobs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.left_behind import is_left_behind

if TYPE_CHECKING:
    from ansible_ensemble.lanes.surroundings import Surroundings
    from ansible_ensemble.mesh.workers import MeshWorkers


#: Folders with variables of groups and hosts, wherever they are.
_VARIABLES = frozenset({"group_vars", "host_vars"})


def mesh_of(
    ensemble: Ensemble,
    socket: str | None,
    surroundings: Callable[[Path | None], Surroundings] | None = None,
    *,
    collects: bool = False,
) -> MeshWorkers | None:
    """The workers of the mesh, by the socket if one is named; the rest as for them. None if there is no mesh."""
    settings = ensemble.environment.mesh
    if settings is None:
        if socket:
            raise UsageError("the environment has no mesh", hint="its section `mesh` says what runs on which nodes")
        return None
    from ansible_ensemble.mesh.workers import MeshWorkers

    if socket:
        settings = replace(settings, socket=Path(socket).absolute())
    return MeshWorkers(settings, ensemble.root, partial(_stays, ensemble), surroundings, collects=collects)


def _stays(ensemble: Ensemble, path: Path) -> bool:
    """Whether something in the project's folder stays here; of the inventory, nodes get what their orders need."""
    inventory = ensemble.evaluator.environment.inventory
    sources = inventory().files if inventory is not None else ()
    return path.name in _VARIABLES or path in sources or is_left_behind(path, ensemble.root)
