"""What was there before a play made anything: the tasks that take it away would change it, in check mode.

It is noted before each run of the play, of what is new in it, in the journal, so that it holds after the job was
killed. What is noted is not what a task is called but what it is about: with another value of a variable that is
another thing.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
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
#: How the name begins of what removes a file of which a task made a part.
FILE_OF = "file of "
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
        return file.is_file() and any(str(task.get("name")).startswith(REMOVING) for task in tasks_of(file))
    except InvalidInput:
        return True  # it is not known


def note_there_before(
    task: Task, order: Play, removal: Mapping[str, str]
) -> Generator[Play | Note, Any, Outcome | None]:
    """Note what was there before a play, unless its removal is written by hand; returns why nobody could look."""
    noted = task.made.get(REMOVAL) or {}
    if not leaves_what_was_there(removal_file(task, removal)) or (task.was_configured and OURS not in noted):
        return None  # what it made before such notes were taken would be taken for a stranger's
    known = _things(noted)
    outcome: Outcome = yield _look(task, order, removal, {*known[OURS], *known[THERE], *known[UNSEEN]})
    if outcome.unreachable:
        return replace(outcome, changed=False, result={})
    seen = outcome.result.get(REMOVALS) or ()
    for one in seen:
        what = UNSEEN if one.get("unseen") else THERE if one.get("changed") else OURS
        known[what].setdefault(one["key"], one["name"].removeprefix(REMOVING))
    for key in (*known[THERE], *known[UNSEEN]):
        known[OURS].pop(key, None)  # two tasks may be about one thing
    found = {**noted, **{key: things for key, things in known.items() if things or key == OURS}, BEGUN: True}
    if found != noted:
        yield Note({**task.made, REMOVAL: found})
    return None


def note_what_was_made(
    task: Task, order: Play, removal: Mapping[str, str], before: Mapping[str, Any], outcome: Outcome
) -> Generator[Play | Note, Any, None]:
    """Forget what a play did not make of what was new to it: somebody else may make it before it runs again.

    A play that made all has run a task of each name; else it is looked for once more.
    """
    noted = task.made.get(REMOVAL) or {}
    known = _things(noted)
    new = {key: name for key, name in known[OURS].items() if key not in _things(before)[OURS]}
    tasks = [one for one in outcome.result.get("tasks") or () if one["status"] == "ok"]
    ran = {removing(name) for one in tasks for name in (one["name"], one["name"].partition(" : ")[2])}
    made = outcome.ok and all(f"{REMOVING}{name.removeprefix(FILE_OF)}" in ran for name in new.values())
    if not new or made or outcome.unreachable:
        return
    looked: Outcome = yield _look(task, order, removal, {*known[OURS], *known[THERE], *known[UNSEEN]} - new.keys())
    if looked.unreachable:
        return
    there = {one["key"] for one in looked.result.get(REMOVALS) or () if one.get("changed")}
    if missing := new.keys() - there:
        ours = {key: name for key, name in known[OURS].items() if key not in missing}
        yield Note({**task.made, REMOVAL: {**noted, OURS: ours}})


def _look(task: Task, order: Play, removal: Mapping[str, str], known: Collection[str]) -> Play:
    (kind,) = removal
    looking = replace(
        order, kind=kind, source=str(removal_file(task, removal)), tasks_from=None, check=True, diff=False
    )
    return replace(looking, keys=(), quiet=True, removing=Removing(SUBJECTS, tuple(sorted(known))))


def removal_file(task: Task, removal: Mapping[str, str]) -> Path:
    """The file that takes away what an instance made."""
    return task.base / next(iter(removal.values()))


def _things(noted: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What is noted of things; nothing of notes of another form."""
    return {key: dict(noted.get(key) or {}) if OURS in noted else {} for key in (OURS, THERE, UNSEEN)}


def may_go(noted: Mapping[str, Any]) -> Removing:
    """What may be taken away: what was not there before."""
    return Removing(SUBJECTS, only=tuple(sorted(_things(noted)[OURS])))


def told_to_stay(noted: Mapping[str, Any], outcome: Outcome) -> list[str]:
    """What to say of what stays: what tasks left, and what none of them came by."""
    known = _things(noted)
    there, unseen, ours = known[THERE], known[UNSEEN], known[OURS]
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
        missed = (name for key, name in ours.items() if key not in met)
        lines += [f"{name}: what it made with other values, or on other conditions, stays" for name in missed]
    return list(dict.fromkeys(lines))
