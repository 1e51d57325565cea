"""Plays become steps: node templates in the order of the playbook."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_ensemble.playbooks.model import SECTIONS, Entry, ReadPlay, Row, Step
from ansible_ensemble.playbooks.plain import is_open, plain
from ansible_ensemble.playbooks.rules import Resource, removal_of, resources_of, used_variables
from ansible_ensemble.playbooks.spans import entry_spans, notifies, play_spans, whole_reason
from ansible_ensemble.playbooks.words import facts_in, is_tagged, tags_of, words_of

_LOCALHOST = "localhost"
_NEVER = "never"
_NO_UNDO_TASKS = "tasks say what to do, not how to take it away"
_NO_UNDO_ROLE = "a role says what to do: `absent: {tasks_from: NAME}` names what takes it away"
#: Names by which roles have tasks that take away what they made.
_REMOVE = ("remove", "uninstall", "absent", "undeploy", "teardown", "delete", "cleanup")
#: What of a play is not in a part of it.
_NOT_IN_PART = frozenset({"name", "hosts", "import_playbook", "tags", *SECTIONS})
#: Keys of a role's entry that are no variables of it.
_ROLE_KEYS = frozenset({"role", "name", "vars", "tags"})
_PREFIX = "imported"
_LONGEST = 48  #: of a name
_CONNECTION = ("connection", "remote_user", "port")
_FREE_OF_ROLE = frozenset({"become", "become_user", "become_method", "become_flags", "environment", "no_log"})


class Namer:
    """Makes names of node templates and files, each of them once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, text: str) -> str:
        """A name like the text that is not taken yet."""
        base = re.sub(r"[^a-z0-9]+", "_", text.lower().replace("'", "")).strip("_")[:_LONGEST].strip("_") or "step"
        made, number = base, 1
        while made in self._taken:
            number += 1
            made = f"{base}_{number}"
        self._taken.add(made)
        return made


def steps_of(plays: Sequence[ReadPlay], root: Path, namer: Namer) -> Iterator[Step]:
    """What becomes of plays; `root` is the folder of the ensemble, where the names are unique."""
    for first, last, why in play_spans(plays):
        some = plays[first : last + 1]
        reason = why or _whole_reason(some[0], root)
        if reason:
            yield _whole(some, reason, namer)
        else:
            yield from _Parts(some[0], root, namer).steps()


def _whole_reason(play: ReadPlay, root: Path) -> str:
    return whole_reason(play) or ("lies in another folder" if play.file.parent != root else "")


def _whole(plays: Sequence[ReadPlay], why: str, namer: Namer) -> Step:
    """Plays as a playbook that runs once, on all their hosts."""
    name = namer.name(plays[0].name)
    rows = [Row(play.place, play.name, play.name, "playbook", name, why, no_undo=_NO_UNDO_TASKS) for play in plays]
    file = plays[0].file
    body: dict[str, Any] = {"playbook": file.name}
    files = {}
    if not (len(plays) == 1 and plays[0].alone and _same(plays[0])):
        body = {"playbook": f"{_PREFIX}-{name}.yml"}
        files = {body["playbook"]: [_as_play(play) for play in plays]}
    return Step(name, body, rows, files=files)


def _same(play: ReadPlay) -> bool:
    """Whether a play's own file says all of it."""
    return play.play is None or (
        play.pattern not in ("all", "*") and play.variables == dict(play.raw.get("vars") or {})
    )


def _as_play(play: ReadPlay) -> dict[str, Any]:
    """A play for a file of its own. `all` alone would mean the host of the operation."""
    made = dict(play.raw)
    if play.play is not None:
        made["hosts"] = "all:all" if play.pattern in ("all", "*") else play.raw["hosts"]
        if play.variables:
            made["vars"] = dict(play.variables)
    return made


@dataclass(frozen=True, slots=True)
class _Removal:
    """What takes away what entries made.

    Attributes:
        body: of the node template.
        told: of each entry what undeploy does, and why it does nothing.
    """

    body: Mapping[str, Any]
    files: Mapping[str, Any]
    told: Sequence[tuple[str, str]]

    @property
    def count(self) -> int:
        """Of how many entries something is taken away."""
        return sum(bool(undo) for undo, _why in self.told)


class _Parts:
    """A play that is taken apart."""

    def __init__(self, play: ReadPlay, root: Path, namer: Namer) -> None:
        self._play = play
        self._root = root
        self._namer = namer
        self._tags = tags_of(play.raw)

    def steps(self) -> Iterator[Step]:
        """What becomes of it; tasks that follow each other and are nothing else share a file."""
        waiting: list[tuple[Entry, str]] = []
        for first, last, why in entry_spans(self._play):
            entries = self._play.entries[first : last + 1]
            if all(is_tagged(entry.raw, _NEVER) for entry in entries):
                continue
            made = self._made(entries, why)
            if isinstance(made, str):
                waiting += [(entry, made) for entry in entries]
            else:
                yield from (*self._tasks(waiting), *made)
                waiting = []
        yield from (*self._tasks(waiting), *self._left_out())

    def _made(self, entries: Sequence[Entry], why: str) -> list[Step] | str:
        """The steps that entries which belong together are; or why they are no more than tasks of a file."""
        alone = entries[0] if len(entries) == 1 else None
        notified = sorted(name for entry in entries for name in entry.notified)
        if notified:
            why = why or f'notifies a handler: "{notified[0]}"'
        elif alone is not None:
            make = {"role": self._role, "file": self._file}.get(alone.kind, self._resources)
            made = make(alone)
            if not isinstance(made, str):
                return made
            why = made
        return [self._part(entries, why)] if self._needs_play(entries) else why

    def _left_out(self) -> Iterator[Step]:
        rows = [
            Row(entry.place, entry.name, self._play.name, "left out", why="is tagged never", no_undo="nothing runs")
            for entry in self._play.entries
            if is_tagged(entry.raw, _NEVER)
        ]
        if rows:
            yield Step("", {}, rows)

    def _needs_play(self, entries: Sequence[Entry]) -> bool:
        """Whether entries need a play around them: for its handlers, its roles, or its files of variables."""
        words = frozenset[str]().union(*(entry.words for entry in entries))
        filed = any(values is None or words & values.keys() for values in self._play.files.values())
        return notifies(entries) or any(entry.kind == "role" for entry in entries) or filed

    def _resources(self, *entries: Entry) -> list[Step] | str:
        """A step for each resource that tasks are; or why one of them is none."""
        each = [(entry, resources_of(entry, self._play, self._root)) for entry in entries]
        why = next((found for _entry, found in each if isinstance(found, str)), None)
        return why or [
            self._resource(entry, one) for entry, found in each for one in found if isinstance(one, Resource)
        ]

    def _resource(self, entry: Entry, one: Resource) -> Step:
        name = self._namer.name(f"{entry.name} {one.suffix}")
        row = Row(entry.place, entry.name, self._play.name, "resource", name, undo=one.undo, no_undo=one.no_undo)
        return self._step(name, one.body, [row], [entry])

    def _file(self, entry: Entry) -> list[Step] | str:
        """A file of tasks: resources if all of them are, else as it is; or why it cannot be by itself."""
        assert entry.file is not None
        made = self._resources(*entry.within)
        if not isinstance(made, str) or not self._is_open(entry):
            return made
        name = self._namer.name(entry.name)
        variables = used_variables(entry.words, self._play)
        keywords = {**self._become(), **({"gather_facts": True} if self._gathers([entry]) else {})}
        keywords |= {"vars": variables} if variables else {}
        body = {"tasks": str(entry.file.relative_to(self._root)), **({"keywords": keywords} if keywords else {})}
        undone = self._removal(name, entry.within)
        told = f"takes away what {undone.count} of its {len(entry.within)} tasks made" if undone.count else ""
        row = Row(entry.place, entry.name, self._play.name, "tasks", name, made, told, "" if told else _NO_UNDO_TASKS)
        return [self._step(name, {**body, **undone.body}, [row], [entry], files=undone.files)]

    def _step(self, name: str, body: dict[str, Any], rows: list[Row], entries: Sequence[Entry], **more: Any) -> Step:
        tags = self._tags.union(*(tags_of(entry.raw) for entry in entries)) - {"always", "all", "tagged", "untagged"}
        group = self._play.pattern if self._play.pattern != _LOCALHOST else ""
        keywords = (
            {name: plain(self._play.raw[name]) for name in _CONNECTION if name in self._play.raw} if group else {}
        )
        if keywords and "playbook" not in body:
            body = {**body, "keywords": {**keywords, **body.get("keywords", {})}}
        if keywords:  # a group would connect by its own
            body, group = {**body, "hosts": group}, ""
        return Step(name, body, rows, group, tags=tags, **more)

    def _gathers(self, entries: Sequence[Entry]) -> bool:
        return any(facts_in(entry.words) for entry in entries) and self._play.raw.get("gather_facts") is not False

    def _become(self) -> dict[str, Any]:
        return {name: plain(self._play.raw[name]) for name in sorted(_FREE_OF_ROLE) if self._play.raw.get(name)}

    def _is_open(self, entry: Entry) -> bool:
        """Whether the variables of the play that an entry reads can be told before it runs."""
        variables = used_variables(entry.words, self._play)
        known = all(values is not None for values in self._play.files.values())
        return known and all(is_open(value) and not facts_in(words_of(value)) for value in variables.values())

    def _no_role(self, entry: Entry) -> str:
        """Why a role cannot run by itself; empty if it can."""
        raw = entry.raw if isinstance(entry.raw, dict) else {}
        if entry.notified:
            return f'notifies a handler of the play: "{min(entry.notified)}"'
        odd = sorted(set(raw) & {"when", "delegate_to", "run_once", "ignore_errors", "collections", "connection"})
        if odd:
            return f"has the keyword {odd[0]}"
        variables = used_variables(entry.words, self._play)
        if any(values is None for values in self._play.files.values()):
            return "may read variables of an encrypted file"
        closed = [name for name, value in variables.items() if not is_open(value) or facts_in(words_of(value))]
        if closed or not is_open(raw):
            return f"reads the variable {next(iter(closed), '')}, which is encrypted or made of facts"
        return "" if not isinstance(self._play.raw.get("environment"), list) else "has an environment that is a list"

    def _role(self, entry: Entry) -> list[Step] | str:
        """A role; or why it cannot run by itself."""
        if reason := self._no_role(entry):
            return reason
        raw: dict[str, Any] = plain(entry.raw) if isinstance(entry.raw, dict) else {}
        given = {key: value for key, value in raw.items() if key not in _ROLE_KEYS | _FREE_OF_ROLE} | raw.get(
            "vars", {}
        )
        variables = used_variables(entry.words, self._play)
        keywords = {**self._become(), **{key: raw[key] for key in sorted(_FREE_OF_ROLE & raw.keys())}}
        keywords |= {"gather_facts": True} if self._gathers([entry]) else {}
        keywords |= {"vars": variables} if variables else {}
        remove = _removing(entry)
        body = {
            "role": self._role_name(entry),
            **({"vars": given} if given else {}),
            **({"keywords": keywords} if keywords else {}),
            **({"absent": {"tasks_from": remove}} if remove else {}),
        }
        name = self._namer.name(entry.name.rpartition(".")[2])
        undo, no_undo = (f"its tasks {remove}", "") if remove else ("", _NO_UNDO_ROLE)
        row = Row(entry.place, entry.name, self._play.name, "role", name, "is a role", undo, no_undo)
        return [self._step(name, body, [row], [entry])]

    def _role_name(self, entry: Entry) -> str:
        raw = entry.raw if isinstance(entry.raw, str) else entry.raw.get("role") or entry.raw.get("name")
        return str(raw)

    def _tasks(self, waiting: Sequence[tuple[Entry, str]]) -> Iterator[Step]:
        """Tasks one after the other, as a file of tasks with the variables of the play."""
        if not waiting:
            return
        entries = [entry for entry, _reason in waiting]
        name = self._namer.name(entries[0].name)
        file = f"{_PREFIX}-{name}.yml"
        undone = self._removal(name, entries)
        rows = [
            Row(entry.place, entry.name, self._play.name, "tasks", name, why, *undone.told[at])
            for at, (entry, why) in enumerate(waiting)
        ]
        tasks: list[Any] = [entry.raw for entry in entries]
        keywords = {"gather_facts": True} if self._gathers(entries) else {}
        body = {"tasks": file, **({"keywords": keywords} if keywords else {}), **undone.body}
        yield self._step(
            name, body, rows, entries, files={file: self._around(tasks, self._play.variables), **undone.files}
        )

    def _around(self, tasks: list[Any], variables: Mapping[str, Any]) -> list[Any]:
        """Tasks with what they have from their play."""
        around = self._become_raw() | ({"vars": dict(variables)} if variables else {})
        return [{"name": self._play.name, "block": tasks, **around}] if around else tasks

    def _removal(self, name: str, entries: Sequence[Entry]) -> _Removal:
        """The file of tasks that takes away what entries made, the last first."""
        found = [removal_of(entry, self._play, self._root) for entry in entries]
        tasks = [task for task, _told in reversed(found) if task is not None]
        told = [(words, "") if task is not None else ("", words) for task, words in found]
        if any(values is None for values in self._play.files.values()):
            return _Removal({}, {}, [("", "it may need variables of an encrypted file")] * len(entries))
        if not tasks:
            return _Removal({}, {}, told)
        file, words = f"{_PREFIX}-{name}-remove.yml", frozenset[str]().union(*(entry.words for entry in entries))
        content = self._around(tasks, used_variables(words, self._play))
        return _Removal({"absent": {"tasks": file}}, {file: content}, told)

    def _become_raw(self) -> dict[str, Any]:
        return {name: self._play.raw[name] for name in sorted(_FREE_OF_ROLE) if self._play.raw.get(name)}

    def _part(self, entries: Sequence[Entry], why: str) -> Step:
        """Entries with all that the play has around them, as a playbook for one host at a time."""
        name = self._namer.name(entries[0].name)
        file = f"{_PREFIX}-{name}.yml"
        part: dict[str, Any] = {
            "name": entries[0].name,
            "hosts": "all" if self._play.pattern != _LOCALHOST else _LOCALHOST,
        }
        part |= {key: value for key, value in self._play.raw.items() if key not in _NOT_IN_PART}
        part |= {"vars": dict(self._play.variables)} if self._play.variables else {}
        for section in SECTIONS:
            some = [entry.raw for entry in entries if entry.section == section]
            part |= {section: some} if some else {}
        undone = self._removal(name, entries)
        rows = [
            Row(entry.place, entry.name, self._play.name, "playbook", name, why, *undone.told[at])
            for at, entry in enumerate(entries)
        ]
        body = {"playbook": file, **undone.body}
        return self._step(name, body, rows, entries, files={file: [part], **undone.files})


def _removing(role: Entry) -> str | None:
    """The tasks of a role that take away what it made, if it has some by a usual name."""
    assert role.file is not None
    return next(
        (name for name in _REMOVE for file in (role.file / "tasks").glob(f"{name}.y*ml") if file.is_file()), None
    )
