r"""Rules that make environment variables, the same wherever they are written (Unfurl: "Environment Variables").

`NAME: value` sets a variable, and null leaves it as it was; true is `true`, and false is empty. `+NAME` copies it from
the environment, or has the value where that has none. `-NAME` removes it. `^NAME` prepends the value,
as for PATH. Behind the sign may be wildcards, and a `!` for all names but those; `-*` leaves what programs cannot do
without. `${NAME:default}` in a value is another variable, of `${ONE|TWO}` the first that is set, and `\${` is `${`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import is_sensitive, mark_sensitive, reveal

_RULE = regex(r"[A-Za-z_][^=\0]*|[+^-]!?[A-Za-z_*?\[][^=\0]*")
_REFERENCE = regex(r"(\\)?\$\{([\w|]+)(?::([^}]*))?\}")
#: What only a rule of its own name removes.
_NEEDED = frozenset(
    {"PATH", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "PYTHONPATH", "TMPDIR", "VIRTUAL_ENV", "HTTP_PROXY", "HTTPS_PROXY"}
    | {"NO_PROXY", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"}
)

#: Variables to set by name, and those to remove: None.
Changes = dict[str, Any]


def is_rule(name: str) -> bool:
    """Whether a name can be that of a rule."""
    return _RULE.fullmatch(name) is not None


def apply_rules(rules: Mapping[str, Any], environment: Mapping[str, Any], as_text: Callable[[Any], str]) -> Changes:
    """What rules change in an environment, in their order.

    Args:
        rules: value by rule; a value may be sensitive, which the variable then is as well.
        environment: the variables to start from.
        as_text: gives the text of a value, which is neither a boolean nor null.
    """
    changes: Changes = {}
    for rule, raw in rules.items():
        sign, name = (rule[0], rule[1:]) if rule[:1] in ("+", "-", "^") else ("", rule)
        present = with_changes(environment, changes)
        value = None if raw is None else _substituted(_text(raw, as_text), present)
        if sign == "-":
            found = [one for one in _matching(name, present) if one not in _NEEDED or name == one]
            changes |= dict.fromkeys(found)
            continue
        if sign == "+":
            found = _matching(name, environment)
            changes |= {one: environment[one] for one in found}
        elif sign == "^":
            found = _matching(name, present)
            changes |= {one: _joined(value, present[one]) for one in found}
        else:
            found = []
        if not found and value is not None:
            changes[name] = value
    return changes


def with_changes(environment: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """An environment with what is set, without what is removed."""
    return {name: value for name, value in {**environment, **changes}.items() if value is not None}


def _matching(pattern: str, names: Iterable[str]) -> list[str]:
    """The names that fit a pattern; with a `!` before it, those that do not."""
    bare = pattern.removeprefix("!")
    return [name for name in names if fnmatchcase(name, bare) is (bare == pattern)]


def _text(value: Any, as_text: Callable[[Any], str]) -> Any:
    shown = reveal(value)
    text = ("true" if shown else "") if isinstance(shown, bool) else as_text(shown if is_sensitive(value) else value)
    return mark_sensitive(text) if is_sensitive(value) else text


def _joined(value: Any, before: Any) -> Any:
    if not value:
        return before
    joined = f"{reveal(value)}{os.pathsep}{reveal(before)}" if before else value
    return mark_sensitive(joined) if is_sensitive(value) or is_sensitive(before) else joined


def _substituted(value: Any, known: Mapping[str, Any]) -> Any:
    used: list[Any] = [value]

    def replacement(match: re.Match[str]) -> str:
        if match[1]:
            return match[0][1:]
        inner = next((known[name] for name in match[2].split("|") if name in known), match[3] or "")
        used.append(inner)
        return str(reveal(inner))

    text = _REFERENCE.sub(replacement, str(reveal(value)))
    return mark_sensitive(text) if any(map(is_sensitive, used)) else text
