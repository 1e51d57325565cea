"""Values from outside the topology, by kind and name; each is taken down as read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.expressions.context import Context
from ansible_ensemble.expressions.keywords import named
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.views.controller import CONTROLLER
from ansible_ensemble.views.data import plain
from ansible_ensemble.views.evaluation_environment import Source, look_up
from ansible_ensemble.views.lazy import ExternalValue


def read_external(kind: str, name: str, context: Context) -> Any:
    """A value (`env`, `local`, `secret`, `external` or `image`) from outside the topology; its read is taken down."""
    if kind == "external":
        return _instance(name, context)
    if kind == "image":
        return context.tracker.read(f"image:{name}", name)
    environment = context.environment
    sources: Mapping[str, Source] = {
        "env": environment.environ,
        "local": environment.locals,
        "secret": environment.secrets,
    }
    if kind == "env" and name not in environment.environ:
        return context.tracker.read(f"env::{name}", None)
    value = plain(_found(sources[kind], kind, name, context))
    return context.tracker.read(f"{kind}::{name}", mark_sensitive(value) if kind == "secret" else value)


_WORDS = {
    "local": "local value",
    "secret": "secret",
    "external": "imported instance",
}


def _found(source: Source, kind: str, name: str, context: Context) -> Any:
    try:
        return look_up(source, name)
    except KeyError:
        hint = nearest_or_known(name, source) if isinstance(source, Mapping) and kind != "env" else None
        raise context.failure(f'there is no {_WORDS[kind]} "{name}"', hint=hint) from None


def _instance(name: str, context: Context) -> Any:
    environment = context.environment
    try:
        source = look_up(environment.externals, name)
    except KeyError:
        # imported by default, as in Unfurl
        if name == CONTROLLER:
            return named(context, "ORCHESTRATOR")
        values = {"local": environment.locals, "secret": environment.secrets}.get(name)
        if isinstance(values, Mapping):
            return ExternalValue(name, {part: partial(read_external, name, part, context) for part in values})
        source = _found(environment.externals, "external", name, context)
    if isinstance(source, Scope):
        node = source.frame.instance
        return context.evaluator.imported(name, source.evaluator, node.name if node is not None else None)
    return context.tracker.read(f"external::{name}", plain(source))
