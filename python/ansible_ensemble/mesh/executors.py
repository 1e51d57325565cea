"""What carries out orders on a node: the rooms that do so on the controller."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.orders import Command, Outcome, Request
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.execution.kept_program import KeptPrograms
from ansible_ensemble.execution.process import run_command
from ansible_ensemble.execution.watchdog import Watchdog
from ansible_ensemble.lanes import outcomes
from ansible_ensemble.mesh.control import MeshError
from ansible_ensemble.mesh.messages import Begin, moved
from ansible_ensemble.mesh.trees import AROUND, Trees

_PROGRAM = "ansible_ensemble.mesh.ansible_main"
#: Seconds that what is ended gets for it.
_GRACE = 5.0
#: How many processes of Ansible there are at once.
_MOST = 4

#: What a process of Ansible has: digests of its files, and of what is around its orders.
_Warm = tuple[str, str | None]


class Executors:
    """Carries out orders; those of Ansible in processes that are kept, one for each tree of files and its surroundings.

    Args:
        folder: where commands run that name no folder.
        trees: the files that orders bring.
        at_once: how many orders a process carries out side by side.
        lock: that of the worker, which is held until all that it began has ended.
    """

    def __init__(self, folder: Path, trees: Trees, at_once: int, lock: int) -> None:
        self._folder = folder
        self._trees = trees
        self._at_once = at_once
        self._watchdog = Watchdog(lock)
        self._ansible: dict[_Warm, KeptPrograms] = {}
        self._busy: dict[_Warm, int] = {}

    async def run(self, begin: Begin) -> dict[str, Any]:
        """The outcome of an order, as plain data; cancelling ends it."""
        tree = None if begin.tree is None else self._trees.folder(begin.tree)
        if begin.kind == "command":
            with self._empty_folder() as folder:
                return outcomes.to_message(await self._run_command(begin, tree, folder))
        if tree is None:
            raise MeshError("what Ansible is to do comes with its files")
        outcome = await self._run_by_ansible(begin, str(tree))
        return dict(moved(outcomes.to_message(outcome), str(tree), begin.root))

    async def _run_command(self, begin: Begin, tree: Path | None, folder: str) -> Outcome:
        """Run a command, in a folder that is its own; what it writes beside its files is none of the next one's."""
        if tree is not None:
            folder = await _copied(tree, Path(folder, "files"))
        order = begin.ordered(None if tree is None else folder)
        assert isinstance(order, Command)
        return await run_command(replace(order, cwd=order.cwd or folder), watchdog=self._watchdog)

    def _empty_folder(self) -> tempfile.TemporaryDirectory[str]:
        try:
            return tempfile.TemporaryDirectory(dir=self._folder, ignore_cleanup_errors=True)
        except OSError as error:
            raise MeshError(f"it cannot be carried out: {error.strerror or error}") from error

    async def close(self) -> None:
        """End what runs."""
        for programs in self._ansible.values():
            await programs.close()
        self._watchdog.close()

    async def _run_by_ansible(self, begin: Begin, tree: str) -> Outcome:
        order = as_map(begin.ordered(tree))
        request = {"tree": tree, "executors": self._at_once, "kind": begin.kind, "order": order}
        if begin.around is not None:
            file = self._trees.folder(begin.around) / AROUND
            request |= {"around": str(file), "key": begin.around_key, "root": begin.root, "hosts": begin.hosts}
        warm = (begin.tree or "", begin.around)
        if warm not in self._ansible:
            self._ansible[warm] = KeptPrograms(_GRACE, self._watchdog)
        self._busy[warm] = self._busy.get(warm, 0) + 1
        try:
            return await self._ansible[warm].ask(Request(_PROGRAM, request))
        finally:
            self._busy[warm] -= 1
            await self._close_idle()

    async def _close_idle(self) -> None:
        """End processes that were used first, if there are many."""
        idle = [warm for warm in self._ansible if not self._busy[warm]]
        for warm in idle[: max(0, len(self._ansible) - _MOST)]:
            await self._ansible.pop(warm).close()


async def _copied(tree: Path, folder: Path) -> str:
    """The path of a copy of files; others go on meanwhile, and the copy is whole when this is cancelled."""
    copying = asyncio.get_running_loop().run_in_executor(None, shutil.copytree, tree, folder)
    try:
        return str(await asyncio.shield(copying))
    except asyncio.CancelledError:
        await asyncio.wait([copying])
        raise
