"""Extras of the package: libraries that only some commands need."""

from __future__ import annotations

from importlib.util import find_spec

from ansible_ensemble.core.errors import EnsembleError

#: Extra -> what the commands that need it are about, and its libraries that nothing else needs.
_EXTRAS = {
    "ui": ("the pages", ("aiohttp",)),
    "provision": ("machines", ("aiohttp", "cryptography", "jsonpatch", "msgspec", "nacl", "psycopg")),
}


def require(extra: str) -> None:
    """Have the libraries of an extra."""
    about, libraries = _EXTRAS[extra]
    if missing := [name for name in libraries if find_spec(name) is None]:
        hint = f"pip install 'ansible-ensemble[{extra}]'"
        raise EnsembleError(f"what concerns {about} needs {', '.join(missing)}", hint=hint)
