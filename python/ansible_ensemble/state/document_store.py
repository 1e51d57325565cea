"""Stores that hold a state as one JSON document: HTTP servers and S3."""

from __future__ import annotations

import base64
import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.shape import Shape, parse_json
from ansible_ensemble.state.store import File, Files

FORMAT = "tosca-ensemble-state/1"
_DOCUMENT: Shape = {"format": str, "files": {"*": {"text?": str, "base64?": str, "executable?": bool}}}


class DocumentStore(ABC):
    """A store whose server has a text; subclasses implement `get` and `put`."""

    leases: bool

    def __init__(self, where: str) -> None:
        self.where = where
        self._files: Files | None = None  # as they were last read or written

    @property
    @abstractmethod
    def exclusive(self) -> bool:
        """See `Store`."""

    @abstractmethod
    def get(self) -> bytes | None:
        """The document; None if there is none yet."""

    @abstractmethod
    def put(self, document: bytes, lock_id: str) -> None:
        """Replace the document; raises `Locked` if the lock is not held."""

    def read(self) -> Files | None:
        """See `Store`."""
        document = self.get()
        self._files = None if document is None else decoded(document, self.where)
        return self._files

    def write(self, files: Files, _note: str, lock_id: str) -> None:
        """See `Store`."""
        self.put(encoded(files), lock_id)
        self._files = files

    def write_journal(self, name: str, journal: bytes, lock_id: str) -> None:
        """See `Store`."""
        known = self._files if self.exclusive else None
        before = known if known is not None else self.read() or {}
        self.write({**before, name: File(journal)}, "", lock_id)


def encoded(files: Files) -> bytes:
    """The document of a state."""
    document = {"format": FORMAT, "files": {name: _entry(files[name]) for name in sorted(files)}}
    return json.dumps(document, indent=1).encode()


def decoded(document: bytes, where: str) -> Files:
    """The state of a document."""
    data = parse_json(document.decode("utf-8", "replace"), _DOCUMENT, Path(where), "the state")
    if data["format"] != FORMAT:
        raise InvalidInput(f"the state has the format {data['format']}", Place(where), f"this version reads {FORMAT}")
    return {name: _file(entry, where) for name, entry in data["files"].items()}


def _entry(file: File) -> dict[str, Any]:
    try:
        content = {"text": file.content.decode()}
    except UnicodeDecodeError:
        content = {"base64": base64.b64encode(file.content).decode()}
    return {**content, **({"executable": True} if file.executable else {})}


def _file(entry: dict[str, Any], where: str) -> File:
    try:
        content = entry["text"].encode() if "text" in entry else base64.b64decode(entry["base64"], validate=True)
    except (KeyError, ValueError) as error:
        raise InvalidInput("the state is damaged: a file has no content", Place(where)) from error
    return File(content, entry.get("executable", False))
