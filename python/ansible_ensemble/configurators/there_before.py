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
from ansible_ensemble.configurators.backups import BEGUN, LATER, ORIGINALS
from ansible_ensemble.configurators.check_mode import in_check_mode
from ansible_ensemble.configurators.protocol import Note, Progress, Task
from ansible_ensemble.configurators.teardown import SUBJECTS
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import REMOVALS, REMOVING, Outcome, Play, Removing
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.thing_keys import is_nowhere, machine_of, thing_of

#: The setting of an implementation that names what takes away what it made, and the note of an instance.
REMOVAL = "removal"
#: What is noted: the keys of the things that were not there, that were there, and that nobody could see, each with the
#: name of the task that takes it away.
OURS, THERE, UNSEEN = "ours", "there", "unseen"
#: Those that were there after a run that was cut off, which may have made them or not; and those that were taken away
#: by a removal that failed with others.
UNCLEAR, GONE = "unclear", "gone"
_KINDS = (OURS, THERE, UNSEEN, UNCLEAR, GONE)
#: The keys of ours that are new to a run of which nobody saw the end.
NEW = "new"
#: Why things of a kind are left.
_WHY = {
    GONE: "",
    THERE: "it was there before, and stays",
    UNCLEAR: "a run was cut off, so nobody knows who made it, and it stays",
    UNSEEN: "nobody could see whether it was there before, and it stays",
}
_OTHERWISE = "what it made with other values, or on other conditions, stays"
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
    known, cut_off = _things(noted), _cut_off(noted)
    known[OURS] = {key: name for key, name in known[OURS].items() if key not in cut_off}
    known[GONE] = {}
    outcome: Outcome = yield _look(task, order, removal, _keys(known))
    if outcome.unreachable:
        return replace(outcome, changed=False, result={})
    left, new = dict(cut_off), set()
    for one in outcome.result.get(REMOVALS) or ():
        key, name = one["key"], one["name"].removeprefix(REMOVING)
        there = UNCLEAR if left.pop(key, None) else THERE
        known[UNSEEN if one.get("unseen") else there if one.get("changed") else OURS].setdefault(key, name)
        new.add(key)
    known[UNCLEAR] |= left
    for key in (*known[THERE], *known[UNCLEAR], *known[UNSEEN]):
        known[OURS].pop(key, None)  # two tasks may be about one thing
    found = {**_with_things(noted, known, new & known[OURS].keys()), BEGUN: True}
    if found != noted:
        yield Note({**task.made, REMOVAL: found})
    return None


def note_what_was_made(
    task: Task, order: Play, removal: Mapping[str, str], outcome: Outcome
) -> Generator[Play | Note, Any, None]:
    """Forget what a play did not make of what was new to it: somebody else may make it before it runs again.

    A play that made all has run a task of each name; else it is looked for once more. Where nobody can, it stays new,
    as after a run that was cut off: what is there later may be somebody else's.
    """
    noted = task.made.get(REMOVAL) or {}
    known = _things(noted)
    new = {key: known[OURS][key] for key in noted.get(NEW) or () if key in known[OURS]}
    if not new or outcome.unreachable:
        return
    tasks = [one for one in outcome.result.get("tasks") or () if one["status"] == "ok"]
    ran = {removing(name) for one in tasks for name in (one["name"], one["name"].partition(" : ")[2])}
    made = outcome.ok and all(f"{REMOVING}{name.removeprefix(FILE_OF)}" in ran for name in new.values())
    if not made:
        looked: Outcome = yield _look(task, order, removal, _keys(known) - new.keys())
        if looked.unreachable:
            return
        there = {one["key"] for one in looked.result.get(REMOVALS) or () if one.get("changed")}
        known[OURS] = {key: name for key, name in known[OURS].items() if key in there or key not in new}
    yield Note({**task.made, REMOVAL: _with_things(noted, known)})


def end_removal(task: Task, noted: Mapping[str, Any], outcome: Outcome) -> Generator[Note | Progress, Any, None]:
    """Tell what stays, and note what a removal that failed has taken away: another one is about the rest."""
    if OURS in noted and not outcome.ok and not in_check_mode(task):
        yield Note({**task.made, REMOVAL: _what_is_left(noted, outcome)})
    for line in told_to_stay(noted, outcome):
        yield Progress(line)


def _what_is_left(noted: Mapping[str, Any], outcome: Outcome) -> dict[str, Any]:
    known = _things(noted)
    things = outcome.result.get(REMOVALS) or ()
    failed = {one["key"] for one in things if one.get("unseen")}
    gone = {one["key"] for one in things if not one.get("left")} - failed
    known[GONE] |= {key: name for key, name in known[OURS].items() if key in gone}
    known[OURS] = {key: name for key, name in known[OURS].items() if key not in gone}
    rest = {name: value for name, value in noted.items() if name not in (ORIGINALS, LATER)}
    return _with_things(rest, known)


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
    return {kind: dict(noted.get(kind) or {}) if OURS in noted else {} for kind in _KINDS}


def _with_things(
    noted: Mapping[str, Any], known: Mapping[str, Mapping[str, str]], new: Collection[str] = ()
) -> dict[str, Any]:
    """Notes in which things are these, some of them new."""
    rest = {name: value for name, value in noted.items() if name not in (*_KINDS, NEW)}
    kinds = {kind: known[kind] for kind in _KINDS if known[kind] or kind == OURS}
    return {**rest, **kinds, **({NEW: sorted(new)} if new else {})}


def _keys(known: Mapping[str, Mapping[str, str]]) -> set[str]:
    """Keys of what need not be looked at again."""
    return {key for kind in _KINDS for key in known[kind]}


def _cut_off(noted: Mapping[str, Any]) -> dict[str, str]:
    """What was new to a run of which nobody saw the end: whoever made what is there since."""
    ours = _things(noted)[OURS]
    return {key: ours[key] for key in noted.get(NEW) or () if key in ours}


def may_go(noted: Mapping[str, Any]) -> Removing:
    """What may be taken away: what was not there before."""
    cut_off = _cut_off(noted)
    return Removing(SUBJECTS, only=tuple(sorted(key for key in _things(noted)[OURS] if key not in cut_off)))


def told_to_stay(noted: Mapping[str, Any], outcome: Outcome) -> list[str]:
    """What to say of what stays: what tasks left, and what none of them came by."""
    known = _things(noted)
    known[UNCLEAR] |= _cut_off(noted)
    ours = {key: name for key, name in known[OURS].items() if key not in known[UNCLEAR]}
    met, lines = set(), []
    for one in outcome.result.get(REMOVALS) or ():
        name, key = one["name"].removeprefix(REMOVING), one["key"]
        why = _why_left(key, known) if one.get("left") else ""
        met.add(key)
        met.update(other for other in ours if why and thing_of(other) == thing_of(key))  # told of with it
        lines += [f"{name}: {why}"] if why else []
    things = {thing_of(key) for key in met}
    for key, name in ours.items() if outcome.ok else ():
        if key not in met:
            elsewhere = "what it made on another machine, or where its path led before, stays"
            lines.append(f"{name}: {elsewhere if thing_of(key) in things else _OTHERWISE}")
    return list(dict.fromkeys(lines))


def _why_left(key: str, known: Mapping[str, Mapping[str, str]]) -> str:
    """Why a thing is left; empty if it was taken away before."""
    for kind, why in _WHY.items():
        if key in known[kind] or (key == thing_of(key) and any(thing_of(one) == key for one in known[kind])):
            return why
    if is_nowhere(key):
        return "nobody could see where it is, and it stays"
    made = {machine_of(one) for one in known[OURS] if thing_of(one) == thing_of(key)}
    if machine_of(key) in made:
        return "its path leads elsewhere than before it was made, and it stays"
    if made:
        return "what was made is on another machine, and it stays"
    return "nobody has looked whether it was there before, and it stays"
