"""What was there before a play made anything: the tasks that take it away would change it, in check mode.

It is noted before the play first runs, in the journal, so that it holds after the job was killed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.backups import BEGUN
from ansible_ensemble.configurators.protocol import Note, Task
from ansible_ensemble.configurators.results import returned
from ansible_ensemble.core.orders import Outcome, Play
from ansible_ensemble.core.regex import regex

#: The variable that such tasks read: the names of those that leave what they are about.
THERE_BEFORE = "there_before"
#: The setting of an implementation that names what takes away what it made, and the note of an instance.
REMOVAL = "removal"
#: How the names of such tasks begin.
REMOVING = "Take away: "
#: What no name has that stands in a condition.
_SIGNS = regex(r"[^\w .,:;@/()+*&=<>!?-]+")


def removing(name: str) -> str:
    """The name of the task that takes away what another one made: it stands in a condition, too."""
    return f"{REMOVING}{_SIGNS.sub(' ', name).strip()}"


def unless_there_before(name: str) -> str:
    """The condition of a task of this name, which has no quotes and is no template."""
    return f"'{name}' not in {THERE_BEFORE} | default([])"


def note_there_before(
    task: Task, order: Play, removal: Mapping[str, str]
) -> Generator[Play | Note, Any, Outcome | None]:
    """Note what was there before a play, unless its removal is written by hand; returns why nobody could look."""
    ((kind, name),) = removal.items()
    file = task.base / name
    noted: Mapping[str, Any] = task.made.get(REMOVAL) or {}
    if (
        (task.was_configured and not noted)
        or not file.is_file()
        or THERE_BEFORE not in file.read_text(encoding="utf-8")
    ):
        return None  # it was deployed before such notes were taken
    digest = _digest(file)
    if noted.get("digest") == digest or noted.get("unknown"):
        return None
    looking = replace(order, kind=kind, source=str(file), tasks_from=None, check=True, diff=False, keys=(), quiet=True)
    outcome: Outcome = yield looking
    if outcome.unreachable:
        return replace(outcome, changed=False, result={})
    tasks = returned(outcome).get("tasks") or ()
    looked, there = set(noted.get("looked") or ()), set(noted.get("there") or ())
    there |= {one["name"] for one in tasks if one.get("changed")} - looked
    looked |= {one["name"] for one in tasks}
    found = {**noted, "digest": digest, "looked": sorted(looked), "there": sorted(there), BEGUN: True}
    yield Note({**task.made, REMOVAL: found if outcome.ok else {"unknown": outcome.error or "it failed"}})
    return None


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
