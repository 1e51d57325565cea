"""What was there before a play made anything: the tasks that take it away would change it, in check mode.

It is noted before the play first runs, in the journal, so that it holds after the job was killed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator, Mapping
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
#: How a task ended that a condition left out; the names of those that have not looked for that reason.
SKIPPED = "skipped"
#: How a task ended that failed in vain; the names of those that could not look.
IGNORED, FAILED = "ignored", "failed"
#: How the names of such tasks begin.
REMOVING = "Take away: "
#: Arguments that tell what a task is about.
_SUBJECTS = ("name", "path", "dest", "src", "repo")
#: What no name has that stands in a condition.
_SIGNS = regex(r"[^\w .,:;@/()+*&=<>!?-]+")


def task_title(action: str, args: Mapping[str, Any]) -> str:
    """A name for a task that has none: its module, and what it is about."""
    subject = next((str(args[key]) for key in _SUBJECTS if args.get(key)), "")
    return " ".join(filter(None, [action.rpartition(".")[2], subject]))


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
    if (noted.get("digest") == digest and not noted.get(SKIPPED)) or noted.get("unknown"):
        return None
    looked, there = set(noted.get("looked") or ()), set(noted.get("there") or ())
    variables = {**order.variables, THERE_BEFORE: sorted(looked)}  # what was looked at need not run again
    looking = replace(order, kind=kind, source=str(file), tasks_from=None, check=True, diff=False, keys=(), quiet=True)
    outcome: Outcome = yield replace(looking, variables=variables)
    if outcome.unreachable:
        return replace(outcome, changed=False, result={})
    tasks = [one for one in returned(outcome).get("tasks") or () if str(one["name"]).startswith(REMOVING)]
    ran = {one["name"] for one in tasks if one.get("status") != SKIPPED}
    failed = {one["name"] for one in tasks if one.get("status") == IGNORED} | set(noted.get(FAILED) or ())
    there |= {one["name"] for one in tasks if one.get("changed")} - looked
    looked |= ran
    skipped = {one["name"] for one in tasks} - looked
    found = {**noted, "digest": digest, "looked": sorted(looked), "there": sorted(there), BEGUN: True}
    found |= {SKIPPED: sorted(skipped), FAILED: sorted(failed)}
    found = {key: value for key, value in found.items() if value or key not in (SKIPPED, FAILED)}
    if not outcome.ok:
        yield Note({**task.made, REMOVAL: {"unknown": outcome.error or "it failed"}})
    elif found != noted:
        yield Note({**task.made, REMOVAL: found})
    return None


def left_there(noted: Mapping[str, Any]) -> list[str]:
    """The names of the tasks that leave what they are about: it was there before, or nobody has looked."""
    return [*noted["there"], *(noted.get(SKIPPED) or ()), *(noted.get(FAILED) or ())]


def told_to_stay(noted: Mapping[str, Any]) -> Iterator[str]:
    """What to say of what stays."""
    yield from (f"{name.removeprefix(REMOVING)}: it was there before, and stays" for name in noted["there"])
    for name in noted.get(FAILED) or ():
        yield f"{name.removeprefix(REMOVING)}: nobody could see whether it was there before, and it stays"


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
