"""What the source of a module says of how it runs, with the module_utils that it imports."""

from __future__ import annotations

import functools
from importlib.util import find_spec
from pathlib import Path

from ansible_ensemble.configurators.module_sources import sources
from ansible_ensemble.core.regex import regex

#: Where a module gets its arguments from, and how it reports.
_BASE = regex(rb"\bAnsibleModule\b")
#: What starts the module once more, or reads files of its own archive.
_EXPECTS_A_PROGRAM = (b"respawn_module", b"WANT_JSON", b"<<INCLUDE_ANSIBLE_MODULE_")
_COLLECTIONS = "ansible_collections"


def runs_in_a_fork(name: str, path: str) -> bool:
    """Whether a Python module makes an `AnsibleModule`, itself or in a module_util, and never starts itself again.

    Args:
        name: the module's Python name, against which its relative imports are resolved.
        path: its file.
    """
    text = Path(path).read_bytes()
    is_alone = not name.startswith(_COLLECTIONS) and _COLLECTIONS.encode() not in text
    texts = [text] if is_alone else list(sources(name, path, _file))
    if any(word in text for text in texts for word in _EXPECTS_A_PROGRAM):
        return False
    return any(_BASE.search(text) for text in texts)


@functools.cache
def _file(name: str) -> str | None:
    """The file of a module_util of a collection; None if it is a name in one, or a collection that is missing."""
    if not name.startswith(f"{_COLLECTIONS}."):
        return None
    try:
        spec = find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return None
    return spec.origin if spec and spec.origin and spec.origin.endswith(".py") else None
