"""The known values of a part of the model, as plain data."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ansible_ensemble.expressions.context import Context
from ansible_ensemble.expressions.keywords import named
from ansible_ensemble.expressions.special import special
from ansible_ensemble.views.data import MISSING, plain
from ansible_ensemble.views.reads import Deferred
from ansible_ensemble.views.view import View

#: Special keys that are plain data.
_SPECIAL = (".name", ".type", ".status", ".state", ".tosca_id", ".tosca_name")


def known_values(keyword: str, names: Collection[str] | None, context: Context) -> dict[str, Any] | None:
    """Properties and attributes, of these names or all, of SELF, HOST, SOURCE or TARGET; None if it means nothing here.

    What is not known yet is left out. Only what is handed over is read.
    """
    view = named(context, keyword)
    if view is None:
        return None
    wanted = [*_SPECIAL, *view.names()] if names is None else names
    found = {name: _value(view, name, context) for name in wanted}
    return {name: plain(value) for name, value in found.items() if value is not MISSING}


def _value(view: View, name: str, context: Context) -> Any:
    if name.startswith("."):
        return special(view, name, context) if name in _SPECIAL else MISSING
    try:
        return view.lookup(name, context.tracker)
    except Deferred:
        return MISSING
