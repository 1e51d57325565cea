"""What an operation is made of, as digests: change it, and what it configured is out of date."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.dependencies import find_dependencies
from ansible_ensemble.configurators.implementation import resolve
from ansible_ensemble.core.sensitive import REDACTED, holds_secret, redact
from ansible_ensemble.core.texts import with_text_keys
from ansible_ensemble.documents.digest import OF_TOOLS, digest_file, digest_folder, digest_path
from ansible_ensemble.language.entities import Operation

IMPLEMENTATION, KEYWORDS = ".implementation", ".keywords"
#: Keywords of a task that say what it makes, and not how it is run.
_MAKING = ("vars", "environment")
_MOST_FILES, _DIGITS = 100, 8
#: Refs under which the digests are recorded with what an operation read -> what they are called.
OWN_REFS = {IMPLEMENTATION: "implementation", ".inputs": "inputs", KEYWORDS: "keywords"}


@lru_cache(maxsize=4096)
def own_digests(operation: Operation, root: Path) -> dict[str, str]:
    """Digests of an operation's implementation and of its inputs as they are written.

    The implementation is its text and the file, role or Terraform module that it names, not what these include.
    """
    resolved = resolve(operation, root)
    digest = hashlib.sha256(f"{resolved.configurator}\0".encode())
    path = Path(resolved.target)
    if resolved.configurator == "command" or not path.is_absolute():
        digest.update(resolved.target.encode())
    elif path.is_dir():
        digest.update(digest_folder(path).encode())
    elif path.is_file():
        digest.update(path.read_bytes())
    for dependency in find_dependencies(operation, root):
        digest.update(f"\0{dependency.name}\0{digest_path(dependency)}".encode())
    inputs = {name: redact(assignment.value) for name, assignment in operation.inputs.items()}
    written = json.dumps(with_text_keys(inputs), sort_keys=True, default=str).encode()
    return {
        IMPLEMENTATION: digest.hexdigest()[:16],
        ".inputs": hashlib.sha256(written).hexdigest()[:16],
        KEYWORDS: hashlib.sha256(json.dumps(_keywords(operation), sort_keys=True).encode()).hexdigest()[:16],
    }


def keywords_of(operation: Operation) -> dict[str, Any]:
    """The keywords that say what an operation makes, as they are written, by `vars.name`, without secrets."""
    found = {f"{part}.{name}": value for part, values in _keywords(operation).items() for name, value in values.items()}
    return {name: REDACTED if holds_secret(name, value) else _shown(value) for name, value in found.items()}


def _keywords(operation: Operation) -> dict[str, dict[str, Any]]:
    settings = operation.implementation.settings if operation.implementation is not None else {}
    parts = {name: redact(settings[name]) for name in _MAKING if isinstance(settings.get(name), Mapping)}
    plain: dict[str, dict[str, Any]] = json.loads(json.dumps(parts, default=str))
    return plain


def _shown(value: Any) -> Any:
    """A value without texts that are encrypted by Ansible Vault."""
    if isinstance(value, dict):
        return {key: _shown(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shown(item) for item in value]
    return REDACTED if isinstance(value, str) and value.lstrip().startswith("$ANSIBLE_VAULT;") else value


def own_files(operation: Operation, root: Path) -> list[Path]:
    """The files and folders that the digest of an implementation is of."""
    target = Path(resolve(operation, root).target)
    return [path.resolve() for path in (target, *find_dependencies(operation, root)) if path.is_absolute()]


@lru_cache(maxsize=4096)
def own_parts(operation: Operation, root: Path) -> dict[str, str]:
    """The files that the digest of an implementation is of, each with its own; none if they are very many.

    They are named from the project's folder, where they are in it.
    """
    found: dict[str, str] = {}
    for path in own_files(operation, root):
        for file in path.rglob("*") if path.is_dir() else [path]:
            if not file.is_file() or OF_TOOLS.intersection(file.relative_to(path).parts):
                continue
            if len(found) == _MOST_FILES:
                return {}
            name = file.relative_to(root.resolve()) if file.is_relative_to(root.resolve()) else file
            found[str(name)] = digest_file(file)[:_DIGITS]
    return found
