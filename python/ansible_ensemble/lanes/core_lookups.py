"""Plugins that core looks for again with each task, by listing folders: an executor remembers what it found.

Only a full name is remembered, which no role and no `collections` keyword can give another meaning, and only where it
led to a file at once: a redirection or a deprecation has something to tell each time.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from typing import Any


def remember_lookups() -> bool:
    """Have this process remember where plugins are; it must be a private, forked one.

    Returns:
        False if this core's look-up is not the known one: then nothing is changed.
    """
    from ansible.plugins.loader import PluginLoader

    stock: Callable[..., Any] = PluginLoader.find_plugin_with_context
    known = ["self", "name", "mod_type", "ignore_deprecated", "check_aliases", "collection_list"]
    if list(inspect.signature(stock).parameters) != known:
        return False
    found: dict[tuple[Any, ...], Any] = {}

    @functools.wraps(stock)
    def find(  # noqa: PLR0917 - core's arguments
        loader: Any,
        name: str,
        mod_type: str = "",
        ignore_deprecated: bool = False,
        check_aliases: bool = False,
        collection_list: list[str] | None = None,
    ) -> Any:
        key = (id(loader), name, mod_type, ignore_deprecated, check_aliases)
        if key in found:
            return copy.copy(found[key])
        context = stock(loader, name, mod_type, ignore_deprecated, check_aliases, collection_list)
        if name.count(".") > 1 and not name.startswith("ansible.legacy.") and _is_plain(context, name):
            found[key] = copy.copy(context)
        return context

    PluginLoader.find_plugin_with_context = find
    return True


def _is_plain(context: Any, name: str) -> bool:
    return bool(context.resolved and not context.deprecated and context.redirect_list == [name])
