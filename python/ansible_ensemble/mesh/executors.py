"""What carries out orders on a node: the rooms that do so on the controller."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
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
from ansible_ensemble.mesh.trees import Trees

_PROGRAM = "ansible_ensemble.mesh.ansible_main"
#: Seconds that what is ended gets for it.
_GRACE = 5.0
#: How many trees have processes of Ansible at once.
_MOST = 4


class Executors:
    """Carries out orders; those of Ansible in processes that are kept, one for each tree of files.

    Args:
        folder: where commands run that name no folder.
        trees: the files that orders bring.
        at_once: how many orders a process carries out side by side.
    """

    def __init__(self, folder: Path, trees: Trees, at_once: int) -> None:
        self._folder = folder
        self._trees = trees
        self._at_once = at_once
        self._watchdog = Watchdog()
        self._ansible: dict[str, KeptPrograms] = {}
        self._busy: dict[str, int] = {}

    async def run(self, begin: Begin) -> dict[str, Any]:
        """The outcome of an order, as plain data; cancelling ends it."""
        if begin.tree is None:
            order = begin.ordered()
            if not isinstance(order, Command):
                raise MeshError("what Ansible is to do comes with its files")
            with self._empty_folder() as folder:
                order = replace(order, cwd=order.cwd or folder)
                return outcomes.to_message(await run_command(order, watchdog=self._watchdog))
        tree = str(self._trees.folder(begin.tree))
        outcome = await self._run_by_ansible(begin, tree)
        return dict(moved(outcomes.to_message(outcome), tree, begin.root))

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
        if tree not in self._ansible:
            self._ansible[tree] = KeptPrograms(_GRACE, self._watchdog)
        self._busy[tree] = self._busy.get(tree, 0) + 1
        try:
            return await self._ansible[tree].ask(Request(_PROGRAM, request))
        finally:
            self._busy[tree] -= 1
            await self._close_idle()

    async def _close_idle(self) -> None:
        """End processes of the trees that were used first, if there are many."""
        idle: Iterable[str] = [tree for tree in self._ansible if not self._busy[tree]]
        for tree in list(idle)[: max(0, len(self._ansible) - _MOST)]:
            await self._ansible.pop(tree).close()
