"""Plays become steps: node templates in the order of the playbook."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_ensemble.playbooks.model import SECTIONS, Entry, ReadPlay, Row, Step
from ansible_ensemble.playbooks.naming import PREFIX, Namer
from ansible_ensemble.playbooks.plain import is_open, plain
from ansible_ensemble.playbooks.rules import NEVER, Resource, closed_variables, removal_of, resources_of, used_variables
from ansible_ensemble.playbooks.spans import entry_spans, notifies, play_spans, whole_reason
from ansible_ensemble.playbooks.whole import whole_step
from ansible_ensemble.playbooks.words import calls_role, tags_of, words_of

_LOCALHOST = "localhost"
_NO_UNDO_TASKS = "tasks say what to do, not how to take it away"
_NO_UNDO_ROLE = "a role says what to do: `absent: {tasks_from: NAME}` names what takes it away"
#: Names by which roles have tasks that take away what they made.
_REMOVE = ("remove", "uninstall", "absent", "undeploy", "teardown", "delete", "cleanup")
#: What of a play is not in a part of it.
_NOT_IN_PART = frozenset({"name", "hosts", "import_playbook", "tags", *SECTIONS})
_CONNECTION = ("connection", "remote_user", "port")
_FREE_OF_ROLE = frozenset({"become", "become_user", "become_method", "become_flags", "environment", "no_log"})
#: Keys of an entry of a role that are no keywords of it.
_OWN_OF_ROLE = frozenset({"role", "name", "vars", "tags"})


def steps_of(plays: Sequence[ReadPlay], root: Path, namer: Namer) -> Iterator[Step]:
    """What becomes of plays; `root` is the folder of the ensemble, where the names are unique."""
    gathers = any(play.raw.get("gather_facts") is not False for play in plays)
    for first, last, why in play_spans(plays):
        some = plays[first : last + 1]
        reason = why or _whole_reason(some[0], root)
        if reason:
            yield whole_step(some, reason, namer, root)
        else:
            yield from _Parts(some[0], root, namer, gathers).steps()


def _whole_reason(play: ReadPlay, root: Path) -> str:
    return whole_reason(play) or ("lies in another folder" if play.file.parent != root else "")


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
    """A play that is taken apart.

    Args:
        gathers: whether any play gathers facts; those that a play reads may be of an earlier one.
    """

    def __init__(self, play: ReadPlay, root: Path, namer: Namer, gathers: bool) -> None:
        self._gathered = gathers
        self._play = play
        self._root = root
        self._namer = namer
        self._tags = tags_of(play.raw)

    def steps(self) -> Iterator[Step]:
        """What becomes of it; what is no step by itself shares a file with what follows it."""
        waiting: list[tuple[Entry, str]] = []
        in_play = False
        for first, last, why in entry_spans(self._play):
            entries = [entry for entry in self._play.entries[first : last + 1] if not self._is_left_out(entry)]
            made = self._made(entries, why) if entries else []
            if not isinstance(made, str):
                yield from (*self._shared(waiting, in_play), *made)
                waiting = []
            elif waiting and in_play != self._needs_play(entries):
                yield from self._shared(waiting, in_play)
                waiting = []
            if isinstance(made, str):
                in_play = self._needs_play(entries)
                waiting += [(entry, made) for entry in entries]
        yield from (*self._shared(waiting, in_play), *self._left_out())

    def _made(self, entries: Sequence[Entry], why: str) -> list[Step] | str:
        """The steps that entries which belong together are; or why they are none by themselves."""
        alone = entries[0] if len(entries) == 1 else None
        notified = sorted(name for entry in entries for name in entry.notified)
        if notified or alone is None:
            return why or f'notifies a handler: "{notified[0]}"'
        make = {"role": self._role, "file": self._file}.get(alone.kind, self._resources)
        return make(alone)

    def _shared(self, waiting: Sequence[tuple[Entry, str]], in_play: bool) -> Iterator[Step]:
        """The step that entries share, which are none by themselves."""
        if waiting:
            yield self._part(waiting) if in_play else self._tasks(waiting)

    def _is_left_out(self, entry: Entry) -> bool:
        return NEVER in self._tags | entry.tags

    def _left_out(self) -> Iterator[Step]:
        left = [entry for entry in self._play.entries if self._is_left_out(entry)]
        told = {"why": "is tagged never", "no_undo": "nothing runs"}
        rows = [Row(entry.place, entry.name, self._play.name, "left out", **told) for entry in left]
        if rows:
            yield Step("", {}, rows)

    def _needs_play(self, entries: Sequence[Entry]) -> bool:
        """Whether entries need a play around them: for its handlers, roles, files of variables or collections."""
        read = used_variables(frozenset[str]().union(*(entry.words for entry in entries)), self._play).keys()
        filed = any(values is None or read & values.keys() for values in self._play.files.values())
        rooted = any(entry.section == "roles" or calls_role(entry.raw) for entry in entries)
        return notifies(entries) or rooted or filed or bool(self._play.raw.get("collections"))

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
        tags = self._tags.union(*(entry.tags for entry in entries)) - {"always", "all", "tagged", "untagged"}
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
        return self._gathered and any(self._play.facts_in(entry.words) for entry in entries)

    def _become(self) -> dict[str, Any]:
        return {name: plain(self._play.raw[name]) for name in sorted(_FREE_OF_ROLE) if self._play.raw.get(name)}

    def _is_open(self, entry: Entry) -> bool:
        """Whether the variables of the play that an entry reads can be told before it runs."""
        known = all(values is not None for values in self._play.files.values())
        return known and not closed_variables(entry, self._play)

    def _no_role(self, entry: Entry) -> str:
        """Why a role cannot run by itself; empty if it can."""
        from ansible.playbook.role.include import RoleInclude

        raw = entry.raw if isinstance(entry.raw, dict) else {}
        if entry.notified:
            return f'notifies a handler of the play: "{min(entry.notified)}"'
        odd = sorted(raw.keys() & RoleInclude.fattributes.keys() - _FREE_OF_ROLE - _OWN_OF_ROLE)
        if odd:
            return f"has the keyword {odd[0]}"
        if any(values is None for values in self._play.files.values()):
            return "may read variables of an encrypted file"
        if closed := closed_variables(entry, self._play):
            return f"reads the variable {closed[0]}, which is encrypted or made of facts"
        if given := self._closed_arguments(entry):
            return f"is given {given[0]}, which is encrypted or made of facts"
        return "" if not isinstance(self._play.raw.get("environment"), list) else "has an environment that is a list"

    def _closed_arguments(self, entry: Entry) -> list[str]:
        """The variables and keywords that a role is given, and that cannot be told before it runs."""
        raw = entry.raw if isinstance(entry.raw, dict) else {}
        given = {**raw, **entry.call.get("vars", {})}
        given.pop("vars", None)
        return [name for name, one in given.items() if not is_open(one) or self._play.facts_in(words_of(one))]

    def _role(self, entry: Entry) -> list[Step] | str:
        """A role; or why it cannot run by itself."""
        if reason := self._no_role(entry):
            return reason
        raw: dict[str, Any] = plain(entry.raw) if isinstance(entry.raw, dict) else {}
        variables = used_variables(entry.words, self._play)
        keywords = {**self._become(), **{key: raw[key] for key in sorted(_FREE_OF_ROLE & raw.keys())}}
        keywords |= {"gather_facts": True} if self._gathers([entry]) else {}
        keywords |= {"vars": variables} if variables else {}
        remove = _removing(entry)
        body = {
            **plain(entry.call),
            **({"keywords": keywords} if keywords else {}),
            **({"absent": {"tasks_from": remove}} if remove else {}),
        }
        name = self._namer.name(re.split(r"[./]", entry.name)[-1], "role")
        undo, no_undo = (f"its tasks {remove}", "") if remove else ("", _NO_UNDO_ROLE)
        row = Row(entry.place, entry.name, self._play.name, "role", name, "is a role", undo, no_undo)
        return [self._step(name, body, [row], [entry])]

    def _tasks(self, waiting: Sequence[tuple[Entry, str]]) -> Step:
        """Tasks one after the other, as a file of tasks with the variables of the play."""
        entries = [entry for entry, _reason in waiting]
        name = self._namer.name(entries[0].name)
        file = f"{PREFIX}-{name}.yml"
        undone = self._removal(name, entries)
        rows = [
            Row(entry.place, entry.name, self._play.name, "tasks", name, why, *undone.told[at])
            for at, (entry, why) in enumerate(waiting)
        ]
        tasks: list[Any] = [entry.raw for entry in entries]
        keywords = {"gather_facts": True} if self._gathers(entries) else {}
        body = {"tasks": file, **({"keywords": keywords} if keywords else {}), **undone.body}
        files = {file: self._around(tasks, self._play.variables), **undone.files}
        return self._step(name, body, rows, entries, files=files)

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
        file, words = f"{PREFIX}-{name}-remove.yml", frozenset[str]().union(*(entry.words for entry in entries))
        content = self._around(tasks, used_variables(words, self._play))
        return _Removal({"absent": {"tasks": file}}, {file: content}, told)

    def _become_raw(self) -> dict[str, Any]:
        return {name: self._play.raw[name] for name in sorted(_FREE_OF_ROLE) if self._play.raw.get(name)}

    def _part(self, waiting: Sequence[tuple[Entry, str]]) -> Step:
        """Entries with all that the play has around them, as a playbook for one host at a time."""
        entries = [entry for entry, _reason in waiting]
        name = self._namer.name(entries[0].name)
        file = f"{PREFIX}-{name}.yml"
        part: dict[str, Any] = {
            "name": entries[0].name,
            "hosts": "all" if self._play.pattern != _LOCALHOST else _LOCALHOST,
        }
        part |= {key: value for key, value in self._play.raw.items() if key not in _NOT_IN_PART}
        part |= {"vars": dict(self._play.variables)} if self._play.variables else {}
        part |= {"gather_facts": True} if self._gathers(entries) else {}
        for section in SECTIONS:
            some = [entry.raw for entry in entries if entry.section == section]
            part |= {section: some} if some else {}
        undone = self._removal(name, entries)
        rows = [
            Row(entry.place, entry.name, self._play.name, "playbook", name, why, *undone.told[at])
            for at, (entry, why) in enumerate(waiting)
        ]
        body = {"playbook": file, **undone.body}
        return self._step(name, body, rows, entries, files={file: [part], **undone.files})


def _removing(role: Entry) -> str | None:
    """The tasks of a role that take away what it made, if it has some by a usual name."""
    assert role.file is not None
    return next(
        (name for name in _REMOVE for file in (role.file / "tasks").glob(f"{name}.y*ml") if file.is_file()), None
    )
