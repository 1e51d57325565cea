"""Digests of what a plan is made from: a saved plan is stale when one is another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.implementation import resolve
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.sensitive import is_sensitive, redact
from ansible_ensemble.core.texts import with_text_keys
from ansible_ensemble.documents.scalars import with_texts
from ansible_ensemble.documents.yaml import Document
from ansible_ensemble.ensembles.job_inputs import INPUT_PREFIX, mark_inputs
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.language.entities import Operation, Topology
from ansible_ensemble.views.evaluation_environment import Inventory
from ansible_ensemble.views.reads import Deferred


def spec_digests(document: Document | None, topology: Topology) -> dict[str, str]:
    """Digests of what a plan is made from but the status; without sensitive inputs (docs/rules.md, "Job lifecycle")."""
    spec = hashlib.sha256()
    for file in topology.files:
        if document is None or file != document.path:
            spec.update(str(file.name).encode() + b"\0" + file.read_bytes())
    spec.update("".join(f"{url}\0{digest}" for url, digest in sorted(topology.fetched.items())).encode())
    if document is not None:
        spec.update(digest(document.data.get("spec")).encode())
    values = {name: topology.input_values.get(name) for name in sorted({*topology.inputs, *topology.input_values})}
    inputs = digest(redact(mark_inputs(values, topology)))
    return {"spec": spec.hexdigest()[:32], "inputs": inputs}


def variables_digest(variables: Mapping[str, Any]) -> dict[str, str]:
    """The digest of the variables that a job is given, without sensitive ones; nothing where there are none.

    Those that set inputs are not among them: they are inputs.
    """
    own = {name: value for name, value in variables.items() if not name.startswith(INPUT_PREFIX)}
    return {"variables": digest(redact(own))} if own else {}


def hosts_digest(topology: Topology) -> dict[str, str]:
    """The digest of the hosts that patterns of a topology mean; nothing where it has none."""
    return {"hosts": digest(topology.hosts)} if topology.hosts else {}


def inventory_digests(inventory: Callable[[], Inventory] | None) -> dict[str, str]:
    """Digests of the variables and groups of each host, as the inventory was resolved.

    Nothing where nobody named an inventory, or it may not be read yet.
    """
    try:
        known = inventory() if inventory is not None else None
        hosts = known.hosts if known is not None and known.is_named else ()
        return {host: digest(known.written(host)) for host in hosts} if known is not None else {}
    except InvalidInput:
        return {}


def digest(value: Any) -> str:
    """The digest of plain data."""
    text = json.dumps(with_text_keys(with_texts(value)), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


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
