"""The workers of a mesh as a job sees them: nodes that can be reached, which carry out orders."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import Command, ModuleCall, Outcome, Play
from ansible_ensemble.mesh.carrier import Carrier
from ansible_ensemble.mesh.control import MeshError
from ansible_ensemble.mesh.known_nodes import KnownNodes
from ansible_ensemble.mesh.nodes import Node, look_around
from ansible_ensemble.mesh.signing import Signer
from ansible_ensemble.mesh.trees import Around, Digests, Tree, around_of, tree_of
from ansible_ensemble.projects.mesh_settings import MeshSettings

if TYPE_CHECKING:
    from ansible_ensemble.lanes.surroundings import Surroundings

#: Seconds for which it is taken as known which nodes there are.
_KNOWN = 5.0


class MeshWorkers:
    """The workers of a mesh; connections are made when they are first needed.

    Args:
        settings: which nodes, and how they are reached.
        root: the project's folder, whose files modules and task files find on nodes.
        leaves: tells what of it stays here.
        surroundings: inventory and variables, as they are for a playbook in a folder.
        collects: see `Carrier`.
    """

    def __init__(
        self,
        settings: MeshSettings,
        root: Path,
        leaves: Callable[[Path], bool],
        surroundings: Callable[[Path | None], Surroundings] | None = None,
        *,
        collects: bool = False,
    ) -> None:
        self._settings = settings
        self._root = root
        self._leaves = leaves
        self._collects = collects
        self._surroundings = surroundings
        self._around: dict[Path | None, tuple[Surroundings, Around]] = {}
        self._tree: Tree | None = None
        self._is_seen = False
        self._digests = Digests()
        self._signer: Signer | None = None
        self._known: KnownNodes | None = None
        self._carriers: dict[str, Carrier] = {}
        self._open = AsyncExitStack()
        self._looking = asyncio.Lock()
        self._nodes: list[Node] = []
        self._since = -_KNOWN

    def load_signer(self) -> Signer:
        """What signs the orders; its key, and those of nodes, are read once.

        Raises:
            InvalidInput: there are no such keys.
        """
        if self._signer is None:
            if self._settings.known_nodes is not None:
                self._known = KnownNodes(self._settings.known_nodes)
            self._signer = Signer(self._settings.key)
        return self._signer

    @property
    def per_node(self) -> int:
        """How many operations of the job a node has at most."""
        return self._settings.per_node

    async def able(self, pattern: str) -> tuple[str, ...]:
        """The nodes whose ids match a pattern that can be reached, are known and have a worker.

        Raises:
            MeshError: there is none.
        """
        self.load_signer()
        nodes = [node for node in await self._look_around() if fnmatchcase(node.name, pattern)]
        able = tuple(node.name for node in nodes if not self._hindrance(node))
        if not able:
            why = ", ".join(f"{node.name} {self._hindrance(node)}" for node in nodes)
            raise MeshError(f"no node {pattern} can take it: {why or 'there is none of this name'}")
        return able

    def _hindrance(self, node: Node) -> str | None:
        """Why a node can take nothing; None if it can."""
        if not node.is_reachable:
            return "is unreachable"
        if not node.has_worker:
            return "has no worker"
        if self._known is not None and node.name not in self._known:
            return f"has no key in {self._settings.known_nodes}"
        return None

    async def missing(self, patterns: Iterable[str]) -> list[str]:
        """Why operations that are planned on nodes of these patterns could not run now."""
        found = []
        for pattern in patterns:
            try:
                await self.able(pattern)
            except EnsembleError as error:
                found.append(str(error))
        return list(dict.fromkeys(found))

    def look_again(self) -> None:
        """Look at the project's files again before the next order that needs them: something ran here."""
        self._is_seen = False

    async def run(self, node: str, name: str, order: Command | ModuleCall | Play) -> Outcome:
        """The outcome of an order on a node; see `Carrier.run`."""
        needs_files = not isinstance(order, Command) or (order.cwd and Path(order.cwd).is_relative_to(self._root))
        tree = self._files() if needs_files else None
        around = None if isinstance(order, Command) or tree is None else self._what_is_around(order, tree)
        carrier = self._carriers.get(node)
        if carrier is None:
            carrier = self._carriers[node] = Carrier(
                str(self._settings.socket), node, self.load_signer(), known=self._known, collects=self._collects
            )
            await self._open.enter_async_context(carrier)
        return await carrier.run(name, order, tree, around)

    def _files(self) -> Tree:
        """The project's files, as they were when something ran here last."""
        if self._tree is None or not self._is_seen:
            made = tree_of(self._root, self._leaves, self._digests)
            if self._tree is None or made.digest != self._tree.digest:
                self._tree = made
            self._is_seen = True
        return self._tree

    def _what_is_around(self, order: ModuleCall | Play, tree: Tree) -> Around | None:
        """Inventory and variables for an order and its files; a playbook has them of its own folder."""
        base = Path(order.source).parent if isinstance(order, Play) and order.kind == "playbook" else None
        if self._surroundings is None:
            return None
        if base not in self._around:
            known = self._surroundings(base)
            self._around[base] = known, around_of(known.common, self.load_signer())
        known, around = self._around[base]
        return replace(around, hosts=known.hosts(order, tree.root, tree.files))

    async def finish(self, node: str, names: Iterable[str]) -> None:
        """Have a node forget the orders of an operation, whose outcomes are safe."""
        if (carrier := self._carriers.get(node)) is not None:  # else none has left
            for name in names:
                await carrier.acknowledge(name)

    async def close(self) -> None:
        """End the connections."""
        await self._open.aclose()

    async def _look_around(self) -> list[Node]:
        async with self._looking:
            if time.monotonic() - self._since > _KNOWN:
                self._nodes = await look_around(str(self._settings.socket))
                self._since = time.monotonic()
            return self._nodes
