"""Ansible content of a job, as a file that a play can be made of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.regex import regex
from ansible_ensemble.lanes.session import AnsibleSession

_UNUSUAL = regex(r"[^\w.-]")
_HINT = "write a list of tasks, or a list of plays, each with hosts: all"


@contextmanager
def written(session: AnsibleSession, name: str, content: str) -> Iterator[tuple[str, str]]:
    """Have the content in a file that only its owner can read; gives the kind of play that it is, and its path."""
    with TemporaryDirectory(prefix="ansible-ensemble-") as folder:
        path = Path(folder) / f"{_UNUSUAL.sub('_', name.removesuffix('.yml'))}.yml"
        path.write_text(content, encoding="utf-8", errors="surrogateescape")
        yield kind_of(session.loader.load_from_file(str(path), cache="none"), name), str(path)


def kind_of(data: Any, name: str) -> str:
    """`playbook` for a list of plays, `tasks` for one of tasks."""
    if not isinstance(data, list) or not data or not all(isinstance(item, dict) for item in data):
        raise InvalidInput(f"{name} is neither a list of tasks nor one of plays", hint=_HINT)
    plays = [_is_play(item) for item in data]
    if any(plays) and not all(plays):
        raise InvalidInput(f"{name} mixes plays and tasks", hint=_HINT)
    return "playbook" if all(plays) else "tasks"


def _is_play(item: dict[str, Any]) -> bool:
    return "hosts" in item or any(key.rpartition(".")[2] == "import_playbook" for key in item)
