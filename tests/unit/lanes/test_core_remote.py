"""What core does to find the files of a module is done once, with the same result."""

from __future__ import annotations

import ast
from typing import Any

from ansible.executor.module_common import ModuleDepFinder

from ansible_ensemble.lanes.core_remote import remember_imports

SOURCE = "from .urls import fetch_url\n\ndef later():\n    import ansible.module_utils.facts\n"


def test_a_syntax_tree_is_searched_for_imports_once() -> None:
    searched: list[ast.AST] = []

    class Finder(ModuleDepFinder):  # type: ignore[misc]
        def visit(self, node: ast.AST) -> Any:
            searched.append(node)
            return super().visit(node)

    remember_imports(Finder)
    tree, other = ast.parse(SOURCE), ast.parse(SOURCE)
    asked = [("ansible.module_utils.one", tree), ("ansible.module_utils.one", tree, True), ("ansible.modules.x", other)]
    for given in (*asked, *asked):
        found, wanted = Finder(*given), ModuleDepFinder(*given)
        assert (found.submodules, found.optional_imports) == (wanted.submodules, wanted.optional_imports)
    assert searched == [tree, tree, other]
