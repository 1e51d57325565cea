"""Environment variables for subprocesses, and facts of the ensemble."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.environment import apply_rules, with_changes
from ansible_ensemble.expressions.context import Call, as_text
from ansible_ensemble.functions.registration import function
from ansible_ensemble.views.data import bare, plain


@function("to_env", taints=False)
def to_env(call: Call) -> Any:
    """Environment variables made by rules, in their order.

    `NAME: value` sets one (`${OTHER:default}` in it is replaced; null leaves it out), `+NAME` takes it over from the
    environment, or gives a default where it is not set, `-NAME` leaves it out, `^NAME` puts the value before what is
    there with `:` between. Names behind `+` and `-` may have wildcards.

    Example: `{eval: {to_env: {"+HOME": null, "^PATH": /opt/bin, MODE: "${MODE:fast}"}}}`
    """
    rules = call.value(call.raw)
    if not isinstance(rules, Mapping):
        raise call.failure("to_env takes a map of rules")
    environ = call.context.environment.environ
    found = apply_rules({as_text(rule): plain(raw) for rule, raw in rules.items()}, environ, _text)
    return call.context.tracker.hide(with_changes({}, found))


def _text(value: Any) -> str:
    return as_text(bare(value))


@function("get_ensemble_metadata")
def get_ensemble_metadata(call: Call) -> Any:
    """A fact of the ensemble (`deployment`, `revision`, `environment`, `job`, ...); without a name, all of them.

    Example: `{eval: {get_ensemble_metadata: deployment}}`
    """
    environment = call.context.environment
    facts = {"deployment": environment.folder.name, "job": environment.job.get("id"), **environment.metadata}
    key = bare(call.value(call.raw))
    return facts if not key else facts.get(as_text(key))
