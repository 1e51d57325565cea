"""The keys that nodes are known by, in a file like the known hosts of SSH."""

from __future__ import annotations

from pathlib import Path

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.atomic import append_durably
from ansible_ensemble.mesh.control import MeshError
from ansible_ensemble.mesh.signing import KIND, PublicKey

_HINT = "a line is `NODE ssh-ed25519 KEY`; `ansible-ensemble mesh check --known-nodes FILE --accept-new` adds them"


class UntrustedNode(MeshError):
    """A node has another key than the one that it is known by, or is not known, or proves none."""


class KnownNodes:
    """The nodes that are trusted, by lines with the id of a node and its public key. Of several keys each counts.

    Args:
        file: the file.
        accept_new: nodes that are not in it are added, and the file is made if there is none.
    """

    def __init__(self, file: Path, *, accept_new: bool = False) -> None:
        self._file = file
        self._accept_new = accept_new
        self._known: dict[str, list[tuple[int, PublicKey]]] = {}
        self._lines = 0
        try:
            text = file.read_bytes().decode(errors="replace")
        except FileNotFoundError as error:
            if not accept_new:
                raise InvalidInput("there is no such file", Place(str(file)), _HINT) from error
            return
        except OSError as error:
            raise InvalidInput(f"it cannot be read: {error.strerror}", Place(str(file))) from error
        for self._lines, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            node, *rest = line.split(maxsplit=1)
            key = PublicKey.of("".join(rest))
            if key is None:
                raise InvalidInput(
                    f"this is no id of a node and a key of the kind {KIND}", Place(str(file), self._lines), _HINT
                )
            self._known.setdefault(node, []).append((self._lines, key))

    def __contains__(self, node: str) -> bool:
        return node in self._known

    def check(self, node: str, key: PublicKey) -> None:
        """Accept the key of a node, or raise `UntrustedNode`."""
        known = self._known.get(node)
        if known is None and self._accept_new:
            append_durably(self._file, f"{node} {key.line}\n")
            self._lines += 1
            self._known[node] = [(self._lines, key)]
        elif known is None:
            problem = f"{self._file} has no key of {node}, whose worker shows {key.fingerprint}"
            raise UntrustedNode(problem, hint=f"compare it with the one there, and add `{node} {key.line}`")
        elif all(key != one for _line, one in known):
            line, expected = known[-1]
            problem = f"the worker of {node} shows the key {key.fingerprint}, and is known by {expected.fingerprint}"
            hint = f"somebody may pass for {node}; if its key was replaced, so replace this line"
            raise UntrustedNode(problem, Place(str(self._file), line), hint)
