"""Which task becomes a resource, or why it is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.configurators.locations import collection_folders
from ansible_ensemble.configurators.module_spec import ModuleSpec, module_spec
from ansible_ensemble.configurators.teardown import removal_of as removal_from_table
from ansible_ensemble.playbooks.model import Entry, ReadPlay
from ansible_ensemble.playbooks.plain import is_open, plain
from ansible_ensemble.playbooks.words import facts_in, short_name, words_of

#: Modules that only look, wait or talk -> why they are no resource.
_NO_STATE = {
    **dict.fromkeys(("debug", "assert", "fail", "pause", "ping", "wait_for", "wait_for_connection"), "makes nothing"),
    **dict.fromkeys(("stat", "find", "slurp", "getent", "setup", "gather_facts", "tempfile"), "only looks"),
    **dict.fromkeys(("set_fact", "set_stats", "include_vars"), "sets variables"),
    **dict.fromkeys(("include_tasks", "include_role", "import_role", "import_tasks"), "runs other tasks"),
    **dict.fromkeys(("uri", "fetch", "reboot", "raw", "meta", "async_status", "expect"), "does something each time"),
    "validate_argument_spec": "makes nothing",
}
#: States of modules that are not states of anything.
_DEEDS = frozenset({"restarted", "reloaded", "touch", "reset", "started_once"})
#: What `touch` sets each time, unless it is to preserve both.
_TIMES = ("access_time", "modification_time")
#: Modules that run what they are told -> the arguments that say when there is nothing to do.
_COMMANDS = {"command": ("creates", "removes"), "shell": ("creates", "removes"), "script": ("creates", "removes")}
#: Modules of packages, which do something else without the name of a package.
_PACKAGES = ("apt", "dnf", "dnf5", "yum", "package", "pacman", "apk", "zypper", "homebrew")

#: Keywords of a task that a resource has too, by `keywords`.
KEYWORDS = (
    *("become", "become_user", "become_method", "become_flags", "no_log", "environment"),
    *("connection", "port", "remote_user", "delegate_to"),
)
_OF_TRANSPORT = frozenset({"connection", "port", "remote_user"})
#: Keywords that change nothing of what a task makes.
_IDLE = frozenset(
    {"name", "tags", "register", "args", "loop", "loop_control", "with_items", "vars", "debugger", "run_once"}
)
_REASONS = {
    "when": "runs only on a condition",
    "notify": "notifies a handler",
    "ignore_errors": "may fail",
    "failed_when": "says itself when it failed",
    "changed_when": "says itself what it changed",
    "until": "is tried until it succeeds",
    "check_mode": "has a check mode of its own",
}
#: Names in templates that only a running play gives.
_RUNNING = frozenset({"omit", "playbook_dir", "role_path", "ansible_search_path"})
_MOST_ITEMS = 50
#: What a loop may have that nodes have not.
_ODD_LOOPS = ("index_var", "pause", "extended", "break_when")
#: The tag of what runs only if it is asked for.
NEVER = "never"


class Resource(Struct, frozen=True):
    """What a task makes.

    Attributes:
        suffix: tells the items of a loop apart.
        body: the short form of the node template.
    """

    suffix: str
    body: dict[str, Any] = field(default_factory=dict)
    undo: str = ""
    no_undo: str = ""


def resources_of(entry: Entry, play: ReadPlay, root: Path) -> list[Resource] | str:
    """The resources that a task is, one for each item of its loop; or why it is none."""
    reason = _no_resource(entry, play, root)
    if reason:
        return reason
    module = entry.task.resolved_action or entry.task.action
    spec = spec_of(module, root)
    assert spec is not None
    args = args_of(entry.task)
    found = []
    for suffix, variables in _items(entry.task):
        keywords = _keywords(entry, given_variables(entry.words, play, plain(entry.task.vars or {}) | variables))
        body = {"module": module, "args": args, **({"keywords": keywords} if keywords else {})}
        removal = removal_from_table(module, spec, args)
        undo, no_undo = ("", removal) if isinstance(removal, str) else (removal.description, "")
        found.append(Resource(suffix, body, undo, no_undo))
    return found


def makes_nothing(task: Any, root: Path) -> str:
    """Why a task makes nothing that has a state; empty if it does."""
    module = task.resolved_action or task.action
    name = short_name(module)
    return _NO_STATE.get(name) or _no_state(name, task.args, spec_of(module, root))


def spec_of(module: str, root: Path) -> ModuleSpec | None:
    """What is known of a module."""
    return module_spec(module, collection_folders(root), (root / "library",))


def args_of(task: Any) -> dict[str, Any]:
    """The arguments of a task as a resource has them; nothing in them is encrypted."""
    args: dict[str, Any] = plain({name: value for name, value in task.args.items() if not name.startswith("_")})
    if "_raw_params" in task.args:
        args = {"cmd": plain(task.args["_raw_params"]), **args}
    for name in ("mode", "directory_mode"):
        if isinstance(args.get(name), int):
            args[name] = f"0{args[name]:o}"
    return args


def _no_resource(entry: Entry, play: ReadPlay, root: Path) -> str:
    """Why a task is no resource; empty if it is one."""
    task = entry.task
    if entry.kind != "task":
        return "is a block with conditions, rescues or the like"
    if NEVER in entry.tags:
        return "is tagged never"
    for key in entry.raw if "block" not in entry.raw else ():
        name = short_name(str(key))
        if name in _REASONS:
            return _REASONS[name]
    module = task.resolved_action or task.action
    name = short_name(module)
    reason = makes_nothing(task, root)
    if reason:
        return reason
    for key, value in own_part(entry.raw).items():
        if (
            value is not None
            and key not in KEYWORDS
            and key not in _IDLE
            and short_name(str(key)) not in (name, task.action, module, "action", "local_action")
        ):
            return f"has the keyword {key}"
    if not is_open([task.args, task.vars, task.environment]):
        return "holds an encrypted value"
    environment = task.environment or []
    if not all(isinstance(one, Mapping) for one in environment):
        return "has an environment that is computed"
    if not _loops_plainly(task):
        return "loops over what is known only while it runs"
    return _reads_unknown(entry, play)


def own_part(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """The task within blocks that only pass keywords on."""
    while "block" in raw:
        raw = raw["block"][0]
    return raw


def _no_state(name: str, args: Mapping[str, Any], spec: ModuleSpec | None) -> str:
    """Why a module with these arguments makes nothing that has a state."""
    if spec is None:
        return "its module has no documentation that can be read"
    if name.endswith(("_info", "_facts")):
        return "only looks"
    if name in _COMMANDS:
        return "" if any(args.get(one) for one in _COMMANDS[name]) else "runs a command, without creates or removes"
    if not spec.check_mode:
        return "its module has no check mode"
    state = str(args.get("state") or "")
    if state in _DEEDS and not (state == "touch" and all(args.get(one) == "preserve" for one in _TIMES)):
        return f"does something each time ({state})"
    if name in _PACKAGES and not (args.get("name") or args.get("pkg") or args.get("deb")):
        return "updates packages, and makes none be there"
    if name == "file" and state in ("", "file"):
        return "sets the rights of what something else makes"
    return ""


def _loops_plainly(task: Any) -> bool:
    if task.loop is None:
        return True
    control = task.loop_control
    is_list = isinstance(task.loop, list) and "{{" not in str(plain(task.loop)) and is_open(task.loop)
    other = control and any(getattr(control, name, None) for name in _ODD_LOOPS)
    return is_list and task.loop_with in (None, "items") and not other and 0 < len(task.loop) <= _MOST_ITEMS


def _items(task: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The items of a task's loop, with what tells them apart; one without a name if there is no loop."""
    if task.loop is None:
        yield "", {}
        return
    name = str((task.loop_control.loop_var if task.loop_control else None) or "item")
    items = plain(task.loop)
    if task.loop_with == "items":  # which takes the items of lists in its list
        items = [one for item in items for one in (item if isinstance(item, list) else [item])]
    for number, item in enumerate(items, 1):
        shown = next(iter(item.values()), number) if isinstance(item, dict) else item
        yield str(shown) if isinstance(shown, str | int) else str(number), {name: item}


def _reads_unknown(entry: Entry, play: ReadPlay) -> str:
    """Which of the names that a task reads is known only while it runs."""
    facts = facts_in(entry.words)
    if facts:
        return f"reads facts ({facts[0]})"
    running = sorted(entry.words & _RUNNING)
    if running:
        return f"reads {running[0]}, which only a running play has"
    for file, values in play.files.items():
        if values is None:
            return f"may read {file}, which is encrypted or found only while it runs"
    source = entry.task.args.get("src") if short_name(str(entry.task.resolved_action)) == "template" else None
    if source is not None and "{{" in str(source):
        return "renders a template that is found only while it runs"
    unknown = closed_variables(entry, play)
    if not unknown and play.facts_in(entry.words):
        unknown = [name for name in sorted(entry.words) if play.facts_in([name])]
    return f"reads the variable {unknown[0]}, which is encrypted or made of facts" if unknown else ""


def closed_variables(entry: Entry, play: ReadPlay) -> list[str]:
    """The variables of the play that an entry reads, and that cannot be told before it runs."""
    variables = _variables(entry, play)
    return [name for name, value in variables.items() if not is_open(value) or play.facts_in(words_of(value))]


def _variables(entry: Entry, play: ReadPlay) -> dict[str, Any]:
    """The variables of the play that a task reads, by themselves or through others."""
    return used_variables(entry.words, play)


def used_variables(words: frozenset[str], play: ReadPlay) -> dict[str, Any]:
    """The variables of a play, with those of its files, which words name, and those that they need."""
    known = play.all_variables
    found: dict[str, Any] = {}
    left = [name for name in known if name in words]
    while left:
        name = left.pop()
        if name not in found:
            found[name] = known[name]
            left += [other for other in words_of(known[name]) if other in known]
    return {str(name): plain(found[name]) if is_open(found[name]) else found[name] for name in known if name in found}


def given_variables(
    words: frozenset[str], play: ReadPlay, own: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """The keywords by which a node has the variables of its play that words name, and its own, which go before them.

    Those of files beside the play are read from these as ever.
    """
    used, folder, files = used_variables(words, play), play.file.parent, dict[str, list[str]]()
    where = {name: file for file, values in play.files.items() for name in values or ()}
    for name in [name for name in used if name in where and name not in own]:
        if (folder / where[name]).resolve().is_relative_to(folder):
            files.setdefault(where[name], []).append(name)
            del used[name]
    variables = {**used, **own}
    return {**({"vars": variables} if variables else {}), **({"vars_files": files} if files else {})}


def _keywords(entry: Entry, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of a task, with those that it has from its play and its blocks."""
    task, made, own = entry.task, dict[str, Any](), own_part(entry.raw)
    for name in KEYWORDS:
        if name in _OF_TRANSPORT and name not in own:
            continue  # Ansible has defaults of its own, and the play's are those of the step
        value = plain(getattr(task, name))
        if name == "environment":
            value = {key: one for given in reversed(value or []) for key, one in given.items()}
        if value or (name == "become" and value is False and own.get(name) is False):
            made[name] = value
    return {**made, **variables}
