"""Backups that modules and tasks keep of what they replace: the first one of a file is put back by undeploy."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.looks import COMMAND, as_other, look_at
from ansible_ensemble.configurators.protocol import Note, Progress, Task
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import BACKUPS, Host, ModuleCall, Outcome

#: What is noted of a play: of each file that it replaced the first backup, with the digest of what the play left there;
#: the backups that it made later; that it was begun; and that nobody saw the end of a run, which may have made some.
ORIGINALS, LATER, BEGUN, CUT_OFF = "originals", "later_backups", "begun", "cut_off"
#: What is noted of a file that a module replaced: digests of what it left there at earlier runs. Another module that
#: wrote the file after it, and kept a backup as well, puts back one of these.
FORMER = "former"
#: What is noted of a module: backups of what it, or a module that was forgotten, had made itself.
OWN = "backups"


def handed_over(gone: Mapping[str, Any], stays: Mapping[str, Any], *, is_earlier: bool) -> dict[str, Any] | None:
    """What is noted of a module once another one is forgotten that kept a backup of the same file; None if it did not.

    `is_earlier` is whether the forgotten one came first: then its backup is what the file was.
    """
    theirs, originals = gone.get(ORIGINALS), stays.get(ORIGINALS)
    if not (isinstance(theirs, Mapping) and isinstance(originals, Mapping)) or theirs.keys().isdisjoint(originals):
        return None
    noted = {**stays, ORIGINALS: dict(originals), OWN: list(stays.get(OWN) or ())}
    for path in (path for path in originals if path in theirs):
        first, second = (theirs[path], originals[path]) if is_earlier else (originals[path], theirs[path])
        former = (*first.get(FORMER, ()), first["digest"], *second.get(FORMER, ()), second["digest"])
        last = originals[path]["digest"]
        known = [one for one in dict.fromkeys(former) if one != last]
        noted[ORIGINALS][path] = {"backup": first["backup"], "digest": last, FORMER: known}
        noted[OWN].append(second["backup"])
    noted[OWN] += gone.get(OWN) or ()
    return noted


def put_back(
    call: ModuleCall, path: str, original: Mapping[str, Any], left: list[str]
) -> Generator[ModuleCall, Any, bool]:
    """Put a backup back, unless somebody changed the file since; then it is said in `left`."""
    backup = original["backup"]
    seen = yield from look_at(call, path, deep=False)
    ours = (original["digest"], *original.get(FORMER, ()))
    if seen is not None and seen.is_there and seen.digest not in ours:
        left.append(f"{path} was changed since; what it was before is in {backup}")
        return False
    outcome = yield as_other(call, COMMAND, {"argv": ["mv", "-f", "--", backup, seen.path if seen else path]})
    if not outcome.ok:
        raise EnsembleError(f"{backup} cannot be put back: {outcome.error}")
    return True


def note_backups(task: Task, key: str, outcome: Outcome, *, cut_off: bool) -> Generator[ModuleCall | Note, Any, None]:
    """Note what a play kept of files that it replaced, in the part of the notes of this key.

    `cut_off` is whether a run before it ended unseen: then a first backup may be of what that run wrote.
    """
    was = task.made.get(key) or {}
    noted = {name: value for name, value in was.items() if name != BEGUN}
    originals = [dict(one) for one in noted.get(ORIGINALS) or ()]
    later = list(noted.get(LATER) or ())
    known = {(one["host"], one["path"]) for one in originals}
    for one in outcome.result.get(BACKUPS) or ():
        if (one["host"], one["path"]) in known or cut_off or noted.get(CUT_OFF):
            later.append(one)
        else:
            known.add((one["host"], one["path"]))
            originals.append(one)
    for one in originals if outcome.changed is not False else ():
        seen = yield from look_at(_call(task, one), one["path"], deep=False)
        one["digest"] = seen.digest if seen is not None else ""
    noted |= {name: values for name, values in ((ORIGINALS, originals), (LATER, later)) if values}
    noted |= {CUT_OFF: True} if cut_off else {}
    if noted != was:
        yield Note({**task.made, key: noted})


def put_backups_back(task: Task, noted: Mapping[str, Any]) -> Generator[ModuleCall | Progress, Any, bool]:
    """Put back what a play replaced, by what is noted of it; whether there was something to put back."""
    left: list[str] = []
    changed = False
    for one in noted.get(ORIGINALS) or ():
        if (yield from put_back(_call(task, one), one["path"], one, left)):
            yield Progress(f"{one['path']} is what it was before")
            changed = True
    known = {(one["host"], one["path"]) for one in noted.get(ORIGINALS) or ()}
    for one in noted.get(LATER) or ():
        if noted.get(CUT_OFF) and (one["host"], one["path"]) not in known:
            left.append(f"{one['path']} stays as it is: which backup is the first is not known")
        else:
            yield as_other(_call(task, one), COMMAND, {"argv": ["rm", "-f", "--", one["backup"]]})
    for text in dict.fromkeys(left):
        yield Progress(text)
    return changed


def _call(task: Task, kept: Mapping[str, Any]) -> ModuleCall:
    """A call on the host of a backup, as whom the task that made it ran."""
    host = task.host if kept["host"] == task.host.name else Host(str(kept["host"]))
    keywords = {name: value for name in ("connection", "vars") if (value := task.setting(name)) is not None}
    call = ModuleCall(COMMAND, {}, host, {**keywords, **kept["keywords"]}, timeout=task.timeout)
    return replace(call, base=str(task.base))
