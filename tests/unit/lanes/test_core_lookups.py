from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible.plugins.loader import PluginLoader, action_loader, module_loader

from ansible_ensemble.lanes.core_lookups import remember_lookups


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that core itself looks for, once look-ups are remembered."""
    asked: list[str] = []

    def find(  # noqa: PLR0917 - core's arguments
        self: Any,
        name: str,
        mod_type: str = "",
        ignore_deprecated: bool = False,
        check_aliases: bool = False,
        collection_list: list[str] | None = None,
    ) -> Any:
        asked.append(name)
        path = ["acme.tools.was", name] if name.endswith("moved") else [name]
        resolved = not name.endswith("missing")
        return SimpleNamespace(resolved=resolved, deprecated=name.endswith("old"), redirect_list=path)

    monkeypatch.setattr(PluginLoader, "find_plugin_with_context", find)
    assert remember_lookups()
    return asked


def test_a_full_name_is_looked_for_once(calls: list[str]) -> None:
    for _ in range(2):
        found = module_loader.find_plugin_with_context("acme.tools.here")
        assert found.resolved
        found.resolved = False  # what one caller does with it is not seen by the next
    assert calls == ["acme.tools.here"]


def test_another_kind_of_plugin_is_another_question(calls: list[str]) -> None:
    for loader, suffix in ((module_loader, ""), (module_loader, ".py"), (action_loader, "")):
        loader.find_plugin_with_context("acme.tools.here", suffix)
    assert len(calls) == 3


@pytest.mark.parametrize(
    "name", ["here", "ansible.legacy.here", "acme.tools.missing", "acme.tools.old", "acme.tools.moved"]
)
def test_what_may_change_or_has_to_be_told_is_looked_for_again(calls: list[str], name: str) -> None:
    for _ in range(2):
        module_loader.find_plugin_with_context(name)
    assert calls == [name] * 2


def test_an_unknown_core_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(self: Any, name: str) -> None:
        """A look-up with other arguments."""

    monkeypatch.setattr(PluginLoader, "find_plugin_with_context", find)
    assert not remember_lookups()
    assert PluginLoader.find_plugin_with_context is find
