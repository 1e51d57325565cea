"""What core does to find the files of a module is done once, with the same result."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from ansible.executor import module_common
from ansible.executor.module_common import LegacyModuleUtilLocator, ModuleDepFinder

from ansible_ensemble.lanes.core_remote import RemoteLane, remember
from ansible_ensemble.lanes.remote_hosts import RemoteHosts

SOURCE = "from .urls import fetch_url\n\ndef later():\n    import ansible.module_utils.facts\n"


def test_a_syntax_tree_is_searched_for_imports_once() -> None:
    searched: list[ast.AST] = []

    class Finder(ModuleDepFinder):  # type: ignore[misc]
        def visit(self, node: ast.AST) -> Any:
            searched.append(node)
            return super().visit(node)

    remember(Finder)
    tree, other = ast.parse(SOURCE), ast.parse(SOURCE)
    asked = [("ansible.module_utils.one", tree), ("ansible.module_utils.one", tree, True), ("ansible.modules.x", other)]
    for given in (*asked, *asked):
        found, wanted = Finder(*given), ModuleDepFinder(*given)
        assert (found.submodules, found.optional_imports) == (wanted.submodules, wanted.optional_imports)
    assert searched == [tree, tree, other]


def test_a_file_of_core_is_looked_for_once() -> None:
    looked: list[tuple[str, ...]] = []

    class Locator(LegacyModuleUtilLocator):  # type: ignore[misc]
        def _find_module(self, name_parts: tuple[str, ...]) -> Any:
            looked.append(name_parts)
            return super()._find_module(name_parts)

    remember(Locator)
    paths = [str(Path(module_common.__file__).parents[1] / "module_utils")]
    names = [("ansible", "module_utils", name) for name in ("basic", "urls", "facts")]
    for name in (*names, *names):
        found = Locator(name, is_ambiguous=True, mu_paths=paths, child_is_redirected=False)
        wanted = LegacyModuleUtilLocator(name, is_ambiguous=True, mu_paths=paths, child_is_redirected=False)
        for key in ("found", "is_package", "redirected", "source_code", "candidate_names"):
            assert getattr(found, key) == getattr(wanted, key)
    assert [name[:3] for name in looked].count(names[0]) == 1


class Arguments:
    """A connection by SSH with arguments."""

    asked = 0

    def __init__(self, arguments: str) -> None:
        self._arguments = arguments

    def get_option(self, name: str) -> str | None:
        return self._arguments if name == "ssh_extra_args" else None

    def _is_tty_requested(self) -> bool:
        Arguments.asked += 1
        return "-t" in self._arguments


def test_arguments_of_ssh_are_taken_apart_once() -> None:
    lane = RemoteLane(RemoteHosts(None))  # type: ignore[arg-type]
    connections = [Arguments("-t"), Arguments("-C"), Arguments("-t"), Arguments("-C")]
    assert [lane._wants_terminal(connection) for connection in connections] == [True, False, True, False]
    assert Arguments.asked == 2
