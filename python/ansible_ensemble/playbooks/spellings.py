"""Old spellings in playbooks: what is written today in place of keywords, modules and arguments of earlier versions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.locations import BUILTIN, builtin_modules, is_fqcn
from ansible_ensemble.configurators.module_names import routes_of
from ansible_ensemble.configurators.old_arguments import old_arguments
from ansible_ensemble.core.errors import Place
from ansible_ensemble.documents.scalars import spoken_boolean
from ansible_ensemble.language.playbook_keywords import PLAY_TASKS, TASK
from ansible_ensemble.playbooks.model import Remark
from ansible_ensemble.playbooks.words import short_name

_INCLUDE = "include"
_BLOCK = ("block", "rescue", "always")
#: Keywords of earlier versions -> the one of today, with its value if that is not the same.
_KEYWORDS: Mapping[str, Mapping[str, Any]] = {
    "sudo": {"become": None},
    "sudo_user": {"become_user": None},
    "su": {"become": None, "become_method": "su"},
    "su_user": {"become_user": None},
}
_ALWAYS_RUN = "always_run"
#: Modules -> their states of earlier versions -> those of today.
_STATES: Mapping[str, Mapping[str, str]] = {
    "ansible.builtin.apt": {"installed": "present", "removed": "absent"},
    "community.general.apk": {"installed": "present", "removed": "absent"},
    "ansible.builtin.service": {"running": "started"},
    "ansible.builtin.pip": {"installed": "present", "removed": "absent"},
}

#: Tells where a task or play stands.
FindPlace = Callable[[Any], Place]


class Spellings:
    """Finds old spellings, and writes those of today in their place where it is certain what they mean.

    Args:
        collections: folders with collections by namespace.
        libraries: folders `library`.
        place_of: tells where what is read stands.
    """

    def __init__(self, collections: Sequence[Path], libraries: Sequence[Path], place_of: FindPlace) -> None:
        self._collections, self._libraries, self._place_of = collections, libraries, place_of

    def in_play(self, raw: dict[str, Any]) -> Iterator[Remark]:
        """The remarks on a play, which is changed."""
        place = self._place_of(raw)
        for key in [key for key in raw if short_name(str(key)) == _INCLUDE]:
            yield _remark(place, "include", {"import_playbook": raw[key]}, written=True)
            raw["import_playbook"] = raw.pop(key)
        yield from self._keywords(raw, place, write=True)
        for section in PLAY_TASKS:
            yield from self.in_tasks(raw.get(section), write=True)

    def in_tasks(self, data: Any, *, write: bool) -> Iterator[Remark]:
        """The remarks on tasks, which are changed if what is read is written anew."""
        for raw in data if isinstance(data, list) else ():
            if isinstance(raw, dict):
                yield from self._in_task(raw, self._place_of(raw), write=write)

    def _in_task(self, raw: dict[str, Any], place: Place, *, write: bool) -> Iterator[Remark]:
        yield from self._keywords(raw, place, write=write)
        if any(key in raw for key in _BLOCK):
            for key in _BLOCK:
                yield from self.in_tasks(raw.get(key), write=write)
            return
        yield from self._included(raw, place, write=write)
        for key in [str(key) for key in raw if key not in TASK and not str(key).startswith("with_")]:
            module = self._module(key)
            yield from self._names(key, module, place)
            yield from self._arguments(raw, key, module, place, write=write)

    def _keywords(self, raw: dict[str, Any], place: Place, *, write: bool) -> Iterator[Remark]:
        for old in [key for key in raw if key in _KEYWORDS]:
            new = {key: raw[old] if value is None else value for key, value in _KEYWORDS[old].items()}
            yield _remark(place, old, new, written=write)
            if write:
                del raw[old]
                raw.update({key: value for key, value in new.items() if key not in raw})
        given = raw.get(_ALWAYS_RUN)
        always = given if isinstance(given, bool) else spoken_boolean(given)
        if always is not None:
            yield _remark(place, _ALWAYS_RUN, {"check_mode": not always}, written=write)
            if write:
                del raw[_ALWAYS_RUN]
                raw.update({"check_mode": False} if always else {})

    def _included(self, raw: dict[str, Any], place: Place, *, write: bool) -> Iterator[Remark]:
        """`include` is `include_tasks` where what is included is known only while it runs, else `import_tasks`."""
        key = next((key for key in raw if short_name(str(key)) == _INCLUDE), None)
        if key is None:
            return
        loops = any(str(one) == "loop" or str(one).startswith("with_") for one in raw)
        name = "include_tasks" if loops or "{{" in str(raw[key]) else "import_tasks"
        certain = isinstance(raw[key], str) and "=" not in raw[key]
        yield _remark(place, "include", {name: raw[key] if certain else "..."}, written=write and certain)
        if write and certain:
            raw[name] = raw.pop(key)

    def _module(self, name: str) -> str:
        """The FQCN of a module, as its name is written; itself of one in a folder `library`."""
        is_here = any((folder / f"{name}.py").is_file() for folder in self._libraries)
        return name if is_fqcn(name) or is_here else f"{BUILTIN}{name}"

    def of_module(self, name: str, place: Place) -> Iterator[Remark]:
        """What is known of the name of a module: that it was removed, or is another one today."""
        yield from self._names(name, self._module(name), place)

    def _names(self, key: str, module: str, place: Place) -> Iterator[Remark]:
        """What is said of the name of a module by where it is, or was."""
        if key == _INCLUDE or (module.startswith(BUILTIN) and module.removeprefix(BUILTIN) in builtin_modules()):
            return
        for name, said in routes_of(module, self._collections):
            shown = key if name == module else name
            for kind, word in (("tombstone", "was removed"), ("deprecation", "is deprecated")):
                if isinstance(said.get(kind), Mapping):
                    text = " ".join(str(said[kind].get("warning_text") or "").split())
                    yield Remark(place, f"the module {shown} {word}", text.rstrip(".") or "write another one")
            if new := said.get("redirect"):
                yield Remark(place, f"the module {shown} is {new} today", f"write {new}")

    def _arguments(self, raw: dict[str, Any], key: str, module: str, place: Place, *, write: bool) -> Iterator[Remark]:
        routes = routes_of(module, self._collections)
        moved = [module, *(str(said.get("redirect") or name) for name, said in routes)][-1]
        changes = [(old, new, "") for old, new in old_arguments(moved, self._collections, self._libraries).items()]
        changes += [("state", "state", f"{old}={new}") for old, new in _STATES.get(moved, {}).items()]
        for old, new, values in changes:
            before, _sign, after = values.partition("=")
            for owner, at in ((raw, key), (raw, "args")):
                given = owner.get(at)
                found = _changed(given, old, new, before, after)
                if found is None:
                    continue
                shown = f"{old}: {before}" if before else old
                if not new:
                    yield Remark(place, f"the argument {old} of {key} is deprecated", "remove it")
                    continue
                hint = f"write {new}: {after}" if after else f"write {new}"
                yield Remark(place, f"{shown} of {key} is an old spelling", hint, written=write)
                if write:
                    owner[at] = found


def _changed(given: Any, old: str, new: str, before: str, after: str) -> Any:
    """Arguments with a name or a value of today; None where the old one is not among them."""
    if isinstance(given, Mapping):
        if old not in given or (before and given[old] != before):
            return None
        return {(new if key == old else key): after if after and key == old else one for key, one in given.items()}
    if not isinstance(given, str):
        return None
    end = re.escape(before) + r"(?!\S)" if before else ""
    pattern = rf"(?<!\S){re.escape(old)}={end}"
    return re.sub(pattern, f"{new}={after}", given) if re.search(pattern, given) else None


def _remark(place: Place, old: str, new: Mapping[str, Any], *, written: bool) -> Remark:
    shown = ", ".join(f"{key}: {_shown(value)}" for key, value in new.items())
    return Remark(place, f"{old} is an old spelling", f"write {shown}", written=written)


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
