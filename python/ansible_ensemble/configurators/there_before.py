"""What was there before a play made anything: the tasks that take it away would change it, in check mode.

It is noted before each run of the play, of what is new in it, in the journal, so that it holds after the job was
killed. What is noted is not what a task is called but what it is about: with another value of a variable that is
another thing.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.ansible_files import tasks_of
from ansible_ensemble.configurators.backups import BEGUN
from ansible_ensemble.configurators.protocol import Note, Task
from ansible_ensemble.configurators.teardown import SUBJECTS
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import REMOVALS, REMOVING, Outcome, Play, Removing
from ansible_ensemble.core.regex import regex

#: The setting of an implementation that names what takes away what it made, and the note of an instance.
REMOVAL = "removal"
#: What is noted: the keys of the things that were not there, that were there, and that nobody could see, each with the
#: name of the task that takes it away.
OURS, THERE, UNSEEN = "ours", "there", "unseen"
#: Arguments that tell what a task is about.
_SUBJECTS = ("name", "path", "dest", "src", "repo")
_OTHERWISE = "with other values, or on other conditions,"
#: What no name has that is told in a line.
_SIGNS = regex(r"[^\w .,:;@/()+*&=<>!?-]+")


def task_title(action: str, args: Mapping[str, Any]) -> str:
    """A name for a task that has none: its module, and what it is about."""
    subject = next((str(args[key]) for key in _SUBJECTS if args.get(key)), "")
    return " ".join(filter(None, [action.rpartition(".")[2], subject]))


def removing(name: str) -> str:
    """The name of the task that takes away what another one made."""
    return f"{REMOVING}{_SIGNS.sub(' ', name).strip()}"


def leaves_what_was_there(file: Path) -> bool:
    """Whether a file of tasks, or a playbook, leaves what was there before; else it is written by hand."""
    try:
        return any(str(task.get("name")).startswith(REMOVING) for task in tasks_of(file))
    except (InvalidInput, OSError):
        return False


def note_there_before(
    task: Task, order: Play, removal: Mapping[str, str]
) -> Generator[Play | Note, Any, Outcome | None]:
    """Note what was there before a play, unless its removal is written by hand; returns why nobody could look."""
    ((kind, name),) = removal.items()
    file, noted = task.base / name, task.made.get(REMOVAL) or {}
    if not leaves_what_was_there(file) or (task.was_configured and OURS not in noted):
        return None  # what it made before such notes were taken would be taken for a stranger's
    known = {key: dict(noted.get(key) or {}) for key in (OURS, THERE, UNSEEN)}
    seen = tuple(sorted({*known[OURS], *known[THERE], *known[UNSEEN]}))
    looking = replace(order, kind=kind, source=str(file), tasks_from=None, check=True, diff=False, keys=(), quiet=True)
    outcome: Outcome = yield replace(looking, removing=Removing(SUBJECTS, seen))
    if outcome.unreachable:
        return replace(outcome, changed=False, result={})
    for one in outcome.result.get(REMOVALS) or ():
        kind = UNSEEN if one.get("unseen") else THERE if one.get("changed") else OURS
        known[kind].setdefault(one["key"], one["name"].removeprefix(REMOVING))
    found = {**noted, OURS: known[OURS], BEGUN: True}
    found |= {key: known[key] for key in (THERE, UNSEEN) if known[key]}
    if found != noted:
        yield Note({**task.made, REMOVAL: found})
    return None


def may_go(noted: Mapping[str, Any]) -> Removing:
    """What may be taken away: what was not there before."""
    return Removing(SUBJECTS, only=tuple(sorted(noted.get(OURS) or ())))


def told_to_stay(noted: Mapping[str, Any], outcome: Outcome) -> list[str]:
    """What to say of what stays: what tasks left, and what none of them came by."""
    there, unseen, ours = (noted.get(key) or {} for key in (THERE, UNSEEN, OURS))
    met, lines = set(), []
    for one in outcome.result.get(REMOVALS) or ():
        name, key = one["name"].removeprefix(REMOVING), one["key"]
        met.add(key)
        if one.get("left") and key in there:
            lines.append(f"{name}: it was there before, and stays")
        elif one.get("left"):
            could = "could see" if key in unseen else "has looked"
            lines.append(f"{name}: nobody {could} whether it was there before, and it stays")
    if outcome.ok:
        lines += [f"{name}: what it made {_OTHERWISE} stays" for key, name in ours.items() if key not in met]
    return list(dict.fromkeys(lines))
