"""Environment variables for subprocesses, and facts of the ensemble."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.sensitive import is_sensitive, mark_sensitive
from ansible_ensemble.expressions.data import bare, plain
from ansible_ensemble.expressions.functions.protocol import Call, as_text, function

_VARIABLE = re.compile(r"\$\{(\w+)(?::([^}]*))?\}")


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
    environment = dict(call.context.evaluator.surroundings.environment)
    found: dict[str, Any] = {}
    for rule, raw in rules.items():
        _apply(as_text(rule), plain(raw), environment, found)
    return call.context.tracker.hide(found)


def _apply(rule: str, value: Any, environment: Mapping[str, Any], found: dict[str, Any]) -> None:
    name = rule[1:]
    text = None if value is None else _substituted(value, {**environment, **found})
    if rule.startswith("+"):
        known = {key: item for key, item in environment.items() if fnmatch.fnmatchcase(key, name)}
        found.update(known or ({name: text} if text is not None else {}))
    elif rule.startswith("-"):
        for key in [key for key in found if fnmatch.fnmatchcase(key, name)]:
            del found[key]
    elif rule.startswith("^"):
        before = found.get(name, environment.get(name))
        if text is not None:
            joined = f"{bare(text)}:{bare(before)}" if before else text
            found[name] = mark_sensitive(joined) if is_sensitive(text) or is_sensitive(before) else joined
    elif text is None:
        found.pop(rule, None)
    else:
        found[rule] = text


def _substituted(value: Any, known: Mapping[str, Any]) -> Any:
    used: list[Any] = [value]

    def replacement(match: re.Match[str]) -> str:
        inner = known.get(match.group(1), match.group(2) or "")
        used.append(inner)
        return as_text(bare(inner))

    text = _VARIABLE.sub(replacement, as_text(bare(value)))
    return mark_sensitive(text) if any(is_sensitive(item) for item in used) else text


@function("get_ensemble_metadata")
def get_ensemble_metadata(call: Call) -> Any:
    """A fact of the ensemble (`deployment`, `revision`, `environment`, `job`, ...); without a name, all of them.

    Example: `{eval: {get_ensemble_metadata: deployment}}`
    """
    surroundings = call.context.evaluator.surroundings
    facts = {"deployment": surroundings.folder.name, "job": surroundings.job.get("id"), **surroundings.metadata}
    key = bare(call.value(call.raw))
    return facts if not key else facts.get(as_text(key))
