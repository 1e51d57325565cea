"""Environment variables for subprocesses, and facts of the ensemble."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.environment import apply_rules, with_changes
from ansible_ensemble.expressions.context import Call, as_text
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.views.data import bare, plain


@implements("to_env", taints=False)
def _to_env(call: Call, given: Any) -> Any:
    rules = call.value(given)
    if not isinstance(rules, Mapping):
        raise call.failure("to_env takes a map of rules")
    environ = call.context.environment.environ
    written = {as_text(rule): plain(raw) for rule, raw in rules.items()}
    found = apply_rules(written, environ, lambda value: as_text(bare(value)))
    return call.context.tracker.hide(with_changes({}, found))


@implements("get_ensemble_metadata")
def _get_ensemble_metadata(call: Call, name: Any) -> Any:
    environment = call.context.environment
    if call.context.is_unfurl and not environment.job:
        return {}  # only jobs have them in Unfurl
    facts = {"deployment": environment.folder.name, "job": environment.job.get("id"), **environment.metadata}
    key = bare(call.value(name))
    return facts if not key else facts.get(as_text(key))
