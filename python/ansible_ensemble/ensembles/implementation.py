"""What an operation is made of, as digests: change it, and what it configured is out of date."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path

from ansible_ensemble.configurators.dependencies import find_dependencies
from ansible_ensemble.configurators.implementation import resolve
from ansible_ensemble.core.sensitive import redact
from ansible_ensemble.documents.digest import digest_folder, digest_path
from ansible_ensemble.language.entities import Operation

#: Refs under which the digests are recorded with what an operation read -> what they are called.
OWN_REFS = {".implementation": "implementation", ".inputs": "inputs"}


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
    written = json.dumps(inputs, sort_keys=True, default=str).encode()
    return {".implementation": digest.hexdigest()[:16], ".inputs": hashlib.sha256(written).hexdigest()[:16]}
