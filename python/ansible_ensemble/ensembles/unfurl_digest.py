"""The digest that Unfurl records of all that an operation read: SHA-1 of the values as text, one behind the other.

It is compared where it can be computed again for certain: of a command in one line, and of texts and whole numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.implementation import resolve
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.sensitive import is_sensitive
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.language.entities import Operation
from ansible_ensemble.views.reads import Deferred


def whole_digest(scope: Scope, operation: Operation, refs: Iterable[str], instance: str, root: Path) -> str | None:
    """The digest of what an operation would read now; None if that is not certain.

    The refs are what it read: `command`, or `::<instance>::<property or attribute>`. What is read of other instances is
    not computed again.
    """
    texts = []
    for ref in refs:
        try:
            text = _text(_value(scope, operation, ref, instance, root))
        except (EnsembleError, Deferred, KeyError):
            return None
        if text is None:
            return None
        texts.append(text)
    return hashlib.sha1("".join(texts).encode(), usedforsecurity=False).hexdigest() if texts else None


def _value(scope: Scope, operation: Operation, ref: str, instance: str, root: Path) -> Any:
    if ref == "command":
        given = next((scope.inputs[name] for name in ("command", "cmd") if name in scope.inputs), None)
        if given is not None:
            return given
        resolved = resolve(operation, root)
        return scope.evaluate(resolved.target) if resolved.configurator == "command" else None
    owner, separator, name = ref.removeprefix("::").partition("::")
    return scope.attribute(name) if separator and owner == instance and "::" not in name else None


def _text(value: Any) -> str | None:
    if is_sensitive(value) or isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    text = str(value)
    return None if "\n" in text else text
