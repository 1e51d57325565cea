"""The tasks that take away what tasks made, the last first; each leaves what was there before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.configurators.made_files import FILE, MAKES_FILE
from ansible_ensemble.configurators.module_spec import ModuleSpec
from ansible_ensemble.configurators.teardown import INI, Way, full_name, path_of, removal_of, way_of
from ansible_ensemble.configurators.there_before import FILE_OF, removing
from ansible_ensemble.playbooks.model import Entry, ReadPlay
from ansible_ensemble.playbooks.naming import PREFIX
from ansible_ensemble.playbooks.plain import is_open
from ansible_ensemble.playbooks.rules import (
    KEYWORDS,
    NEVER,
    args_of,
    makes_nothing,
    own_part,
    spec_of,
    used_variables,
)
from ansible_ensemble.playbooks.words import short_name, words_of

_COMMAND = f"{BUILTIN}command"
#: Removes what is no folder: a file in one that was named is not known by its name.
_REMOVE_FILE = 'test -d "$1" || rm -f -- "$1"'
#: Modules that fill a folder of their own.
_MAKES_FOLDER = {"git": "dest", "subversion": "dest"}


class Undo(Struct, frozen=True):
    """What takes something away.

    Attributes:
        description: in words.
        args: the arguments of the module.
        module: another module than the one that made it.
    """

    description: str
    args: Mapping[str, Any]
    module: str = ""


def undo_of(name: str, spec: ModuleSpec, args: Mapping[str, Any], item: tuple[str, Any] = ("", "")) -> Undo | str:
    """The task that takes away what another one made, of which nothing is noted; or why there is none.

    `name` is that of a module, `item` the name and the value of the variable of a loop. Without a note of what was
    there before, a file is removed only where its name says that it is one.
    """
    found = removal_of(name, spec, args)
    if isinstance(found, str):
        return found
    way = way_of(name, args)
    if way in (Way.SERVICE, Way.RESTORE):
        return "what was there before is not known"
    if found.module == name or way is not Way.FILES:
        kept = {new: args[old] for old, new in found.kept.items() if new != "backup"}
        is_link = way is Way.FILES and ("{{" in str(args.get("state")) or args.get("state") == "link")
        return Undo(found.description, {**kept, **found.more, **({"follow": False} if is_link else {})})
    path = str(args.get(_MAKES_FOLDER.get(name, "")) or "") or _path_made(name, args, item)
    if path:
        return Undo(f"removes {path}", {"path": path, "state": "absent"}, FILE)
    dest = _text(args, MAKES_FILE.get(name, ""))
    if dest and not dest.endswith("/") and not _text(args, "src").endswith("/"):
        remove = {"argv": ["sh", "-c", _REMOVE_FILE, "sh", dest], "removes": dest}
        return Undo(f"removes {dest}, unless it is a folder", remove, _COMMAND)
    return "its dest may be a folder that was there before"


def _path_made(name: str, args: Mapping[str, Any], item: tuple[str, Any]) -> str | None:
    """The file that a module makes, if its name says that it is one; None if it may be a folder, or a file in one."""

    def last_of(path: str) -> str:
        return PurePosixPath(path.replace(f"{{{{ {item[0]} }}}}", str(item[1]))).name

    path, source = _text(args, MAKES_FILE.get(name, "")), _text(args, "src") or _text(args, "url")
    base = last_of(source).removesuffix(".j2")
    is_file = "content" in args or name in ("template", "assemble") or ("." in base and not base.endswith(".d"))
    if not path or source.endswith("/") or not is_file:
        return None
    if path.endswith("/"):
        return f"{path}{base}" if base and name in ("copy", "template") else None
    last = last_of(path)
    suffix = PurePosixPath(last).suffix
    like_a_file = suffix not in ("", ".d") and (name == "template" or suffix == PurePosixPath(base).suffix)
    return path if last == base or like_a_file or "content" in args or name == "assemble" else None


def _text(args: Mapping[str, Any], name: str) -> str:
    return value if isinstance(value := args.get(name), str) else ""


_IMPORT_ROLE = f"{BUILTIN}import_role"
#: Removes a file that has nothing but blank lines, or lines of another pattern.
_REMOVE_EMPTY = """grep -qv -e '^[[:space:]]*$' {} "$1" || rm -f -- "$1" """
#: Keywords of a task that what takes away what it made has, too.
_SHARED = ("loop_control", "vars", "environment", "no_log", "delegate_to", "when", "run_once")
#: What finds something else where a task is not that of a role.
_OF_ROLE = frozenset(
    {"role_path", "role_name", "ansible_role_name", "ansible_parent_role_names", "lookup", "query", "q"}
)
_FILE_LOOPS = frozenset({"with_fileglob", "with_first_found", "with_file", "with_filetree", "with_lines", "with_ini"})
#: A loop that searches the folder of templates for a module of templates, and that of files for any other.
_FIRST_FOUND = "with_first_found"
#: What of a play is around what takes away what it made.
_AROUND = ("become", "become_user", "become_method", "become_flags", "environment", "no_log")
_OF_PLAY = (
    *("vars_files", "collections", "connection", "remote_user", "port", "module_defaults", "run_once"),
    *("gather_facts", "become_exe", "timeout", *_AROUND),
)


class Removal(Struct, frozen=True):
    """What takes away what entries made.

    Attributes:
        body: of the node template.
        files: that it runs -> what is in them, as data.
        effects: of each entry what undeploy does, and why it does nothing.
    """

    body: Mapping[str, Any]
    files: Mapping[str, Any]
    effects: Sequence[tuple[str, str]]

    @property
    def count(self) -> int:
        """Of how many entries something is taken away."""
        return sum(bool(undo) for undo, _why in self.effects)

    @property
    def description(self) -> str:
        """What undeploy does, in words; empty if nothing."""
        return _taking_away(self.count, len(self.effects)) if self.count else ""


def removal(name: str, entries: Sequence[Entry], play: ReadPlay, root: Path, *, as_play: bool = False) -> Removal:
    """What takes away what entries made: a file of tasks for one host, or a play for all hosts of theirs.

    `name` is that of their node template.
    """
    tasks, effects = _removal_tasks(entries, play, root)
    if any(values is None for values in play.files.values()) and not as_play:
        return Removal({}, {}, [("", "it may need variables of an encrypted file")] * len(entries))
    if not tasks:
        return Removal({}, {}, effects)
    file, words = f"{PREFIX}-{name}-remove.yml", frozenset[str]().union(*(entry.words for entry in entries))
    if as_play:
        return Removal({"absent": {"playbook": file}}, {file: [as_removing_play(play, tasks)]}, effects)
    return Removal({"absent": {"tasks": file}}, {file: around(play, tasks, used_variables(words, play))}, effects)


def removal_of_role(name: str, role: Entry, play: ReadPlay, root: Path) -> Removal:
    """What takes away what a role made: a file of tasks that read the role's variables, and run none of its tasks."""
    variables = {name: [value, play.variables.get(name)] for name, value in role.variables.items()}
    inside = replace(play, variables={**play.variables, **variables}, in_role=True)
    tasks, effects = _removal_tasks(role.within, inside, root)
    if not tasks:
        return Removal({}, {}, effects)
    called = {"name": role.call["role"], **({"tasks_from": entry} if (entry := role.call.get("tasks_from")) else {})}
    # the tag is for the role's tasks not to be shown, the condition for those that are tagged always
    loading = {"name": f"Variables of the role {role.name}", _IMPORT_ROLE: called, "when": False, "tags": [NEVER]}
    file = f"{PREFIX}-{name}-remove.yml"
    return Removal({"absent": {"tasks": file}}, {file: [loading, *tasks]}, effects)


def around(play: ReadPlay, tasks: list[Any], variables: Mapping[str, Any]) -> list[Any]:
    """Tasks with what they have from their play."""
    given = {name: play.raw[name] for name in sorted(_AROUND) if play.raw.get(name)}
    given |= {"vars": dict(variables)} if variables else {}
    return [{"name": play.name, "block": tasks, **given}] if given else tasks


def removing_play(play: ReadPlay, root: Path) -> tuple[dict[str, Any] | None, str]:
    """The play that takes away what another one made, and in words what it does; without one, why there is none."""
    tasks, effects = _removal_tasks(play.entries, play, root)
    count = sum(bool(undo) for undo, _why in effects)
    if not tasks:
        return None, "a playbook says what to do, not how to take it away"
    if not count:
        return as_removing_play(play, tasks), "takes away what its handlers made"
    return as_removing_play(play, tasks), f"takes away what {count} of its {len(effects)} tasks and roles made"


def as_removing_play(play: ReadPlay, tasks: list[Any]) -> dict[str, Any]:
    """A play for the hosts of another one, with what that has around its tasks."""
    made = {
        "name": removing(play.name),
        "hosts": "all:all" if play.pattern in ("all", "*") else play.raw["hosts"],
    }
    made |= {key: play.raw[key] for key in _OF_PLAY if key in play.raw}
    return {**made, **({"vars": dict(play.variables)} if play.variables else {}), "tasks": tasks}


def _removal_tasks(entries: Sequence[Entry], play: ReadPlay, root: Path) -> tuple[list[Any], list[tuple[str, str]]]:
    """The tasks that take away what entries and the handlers that they notify made, and their effects."""
    found = [_removal_of(entry, play, root) for entry in entries]
    named = frozenset[str]().union(*(entry.notified for entry in entries))
    handling = [_removal_of(one, play, root) for one in play.handling if one.handlers & named]
    tasks = [task for task, _description in reversed([*found, *handling]) if task is not None]
    return tasks, [(words, "") if task is not None else ("", words) for task, words in found]


def _removal_of(entry: Entry, play: ReadPlay, root: Path) -> tuple[Any, str]:
    """The task that takes away what an entry made, and in words what it does; without one, why there is none."""
    if NEVER in entry.tags:
        return None, "is tagged never, and does not run"
    if entry.kind == "block" or (entry.kind in ("file", "task") and entry.within):
        return _removal_of_block(entry, play, root)
    if entry.kind != "task":
        return None, f"a {entry.kind} says what to do, not how to take it away"
    own, module = own_part(entry.raw), entry.task.resolved_action or entry.task.action
    spec = spec_of(module, root)
    if spec is None or makes_nothing(entry.task, root):
        return None, "it makes nothing that could be taken away"
    if own.get("check_mode") is not None:
        return None, "it may have run in check mode only"
    found = undo_of(short_name(module), spec, args_of(entry.task) if is_open(entry.task.args) else entry.task.args)
    if isinstance(found, str):
        return None, found
    loops = {key: own[key] for key in own if key == "loop" or str(key).startswith("with_")}
    reached = play.reached(words_of({"when": own.get("when"), "args": dict(found.args), **loops}))
    if play.found & reached:
        return None, "it depends on what other tasks found"
    if play.in_role and (_OF_ROLE & reached or any(name in _FILE_LOOPS for name in loops)):
        return None, "it looks for files of its role"
    if _FIRST_FOUND in loops and "template" in module:
        return None, "its loop finds templates for a template only"
    shared = {key: own[key] for key in own if key in loops or key in _SHARED or key in KEYWORDS}
    shared |= {"delegate_to": entry.task.delegate_to} if entry.task.delegate_to else {}
    name = removing(entry.name)
    task: Any = {"name": name, (found.module or module): dict(found.args), **shared}
    if args := _removal_of_file(module, found.args, entry.task.args.get("create")):
        of_file = removing(f"{FILE_OF}{entry.name}")
        parts = [task, {"name": of_file, _COMMAND: args, **shared}]
        task = {"name": f"{name} and its file", "block": parts}
    outer = entry.raw
    while "block" in outer:
        task = {**{key: value for key, value in outer.items() if key not in ("block", "tags")}, "block": [task]}
        outer = outer["block"][0]
    return task, found.description


def _removal_of_file(module: str, args: Mapping[str, Any], create: Any) -> Mapping[str, Any]:
    """The command that removes the file of which a task made a part, if it may have made it and nothing is left in it.

    In check mode it would change something if the file is there, and so tells that it was there before.
    """
    path, is_ini = path_of(module, args), full_name(module) == INI
    if way_of(module, {}) is not Way.PART or not path or not (is_ini if create is None else create):
        return {}
    script = _REMOVE_EMPTY.format("-e '^\\[.*\\]$'" if is_ini else "").strip()
    return {"argv": ["sh", "-c", script, "sh", args[path]], "removes": args[path]}


def _removal_of_block(entry: Entry, play: ReadPlay, root: Path) -> tuple[Any, str]:
    """What takes away what a block of tasks made, or a file of them: of all its parts, whichever ran."""
    if play.found & play.reached(words_of({"when": entry.raw.get("when")})):
        return None, "it depends on what other tasks found"
    found = [_removal_of(one, play, root) for one in entry.within]
    tasks = [task for task, _description in reversed(found) if task is not None]
    if not tasks:
        return None, f"a {'file' if entry.kind == 'task' else entry.kind} says what to do, not how to take it away"
    given = {key: value for key, value in entry.raw.items() if key in _SHARED or key in KEYWORDS}
    return {"name": removing(entry.name), "block": tasks, **given}, _taking_away(len(tasks), len(found))


def _taking_away(count: int, total: int) -> str:
    return f"takes away what {f'{count} of its {total}' if count < total else 'its'} tasks made"
