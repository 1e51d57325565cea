"""What the files of a play say: which parts of the model they name, and which expressions they have evaluated."""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentError, ArgumentParser
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.language.entities import Operation

_PARTS = regex(r"""\b(SELF|HOST|SOURCE|TARGET)\b(?:\s*\.\s*(\w+)|\s*\[\s*\\?['"]([^'"\\]+)\\?['"]\s*\])?""")
_FILTER = regex(r"\{\{[^{}]*\|\s*(?:eval|ref)\b(?!\.)")
#: A text that the filter is applied to; in JSON its quotes may have a backslash.
_EVALUATED = regex(r"""\\?(['"])((?:(?!\\?\1).)+)\\?\1\s*\|\s*(?:eval|ref)\b(?!\.)""")
_FILE = regex(r"[\w./-]+\.(?:ya?ml|j2)\b")
_WORD = regex(r"[\w-]+")
#: Folders of a role, or beside tasks, with what is rendered.
_FOLDERS = ("", "tasks", "templates", "handlers", "vars", "defaults", "meta")
#: Files longer than this are data.
_LONGEST = 1_000_000


def parts_named(texts: Iterable[str]) -> dict[str, frozenset[str] | None]:
    """Which members of SELF, HOST, SOURCE and TARGET texts name, by part.

    None stands for all: a template names the part as a whole, or a member by a name that is computed.
    """
    found: dict[str, frozenset[str] | None] = {}
    for text in texts:
        for match in _PARTS.finditer(text):
            part, dotted, quoted = match.groups()
            name = dotted or quoted
            if not name and not _in_template(text, match.start()):
                continue  # HOST is a likely name of other things
            known = found.get(part, frozenset())
            found[part] = None if known is None or not name or hasattr(dict, name) else known | {name}
    return found


def _in_template(text: str, position: int) -> bool:
    return any(
        text.rfind(start, 0, position) > text.rfind(end, 0, position) for start, end in (("{{", "}}"), ("{%", "%}"))
    )


def expressions_named(texts: Iterable[str]) -> list[str]:
    """The expressions that texts have evaluated by the filters `eval` and `ref`."""
    found = (match[2] for text in texts for match in _EVALUATED.finditer(text))
    return list(dict.fromkeys(found))


def check_filters(texts: Iterable[str], place: Place | None) -> None:
    """Refuse the filters `eval` and `ref` of what is computed: the model is not there where a play runs."""
    if any(_FILTER.search(_EVALUATED.sub("", text)) for text in texts):
        message = "the filters eval and ref of a play take a text in quotes: what they give is evaluated before it runs"
        raise InvalidInput(message, place, "evaluate what is computed in an input")


def texts_of(source: str, base: Path | None) -> list[str]:
    """The texts of a playbook, a task file or a role, and of the files and roles of the project that they name.

    Relative files are looked for beside it and in `base`; what is named by no absolute path is not the project's.
    """
    return [text for _path, text in files_of_play(source, base)]


def files_of_play(source: str, base: Path | None) -> list[tuple[Path, str]]:
    """A playbook, a task file or a role, and the files and roles of the project that they name, with their texts."""
    path = Path(source)
    return list(_files([path], base, set())) if path.is_absolute() else []


def play_texts(operation: Operation, target: str) -> list[str]:
    """The texts of what an operation runs, as far as they are known before its inputs are evaluated.

    `target` is empty where its input `playbook` gives the file.
    """
    if target:
        return texts_of(target, operation.base)
    playbook = operation.inputs.get("playbook")
    value = playbook.value if playbook is not None else None
    if isinstance(value, str) and operation.base is not None and "{{" not in value:
        return texts_of(str(operation.base / value), operation.base)
    return _quoted(value)


def _quoted(playbook: Any) -> list[str]:
    """The parts of an inline playbook that are left to Ansible."""
    if isinstance(playbook, Mapping):
        if "q" in playbook and len(playbook) == 1:
            return [json.dumps(playbook["q"], default=str)]
        return [text for item in playbook.values() for text in _quoted(item)]
    return [text for item in playbook for text in _quoted(item)] if isinstance(playbook, list) else []


def _files(paths: Iterable[Path], base: Path | None, seen: set[Path]) -> Iterator[tuple[Path, str]]:
    left = list(paths)
    while left:
        path = left.pop()
        if path in seen:
            continue
        seen.add(path)
        if path.is_dir():
            left += _files_of_role(path)
            continue
        text = _read(path)
        if text:
            yield path, text
            left += _named(text, path.parent, base)


def _files_of_role(folder: Path) -> list[Path]:
    return [file for name in _FOLDERS[1:] for file in sorted((folder / name).rglob("*")) if file.is_file()]


def _named(text: str, folder: Path, base: Path | None) -> Iterator[Path]:
    """Files and roles of the project that a text names."""
    starts = [start for start in dict.fromkeys((folder, base)) if start is not None]
    for name in set(_FILE.findall(text)):
        yield from (path for start in starts for kind in _FOLDERS if (path := start / kind / name).is_file())
    for roles in (start / "roles" for start in starts):
        if roles.is_dir():
            words = set(_WORD.findall(text))
            yield from (role for role in roles.iterdir() if role.name in words and role.is_dir())


def _read(path: Path) -> str:
    try:
        stat = path.stat()
    except OSError:
        return ""
    return _read_once(path, stat.st_mtime_ns, stat.st_size) if stat.st_size <= _LONGEST else ""


@lru_cache(maxsize=1024)
def _read_once(path: Path, _changed: int, _size: int) -> str:
    """A file's text; its time and size show whether it is still the same."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


#: The inputs that are no variables of a play, unless the operation declares them.
OPTION_INPUTS = frozenset({"inventory", "playbookArgs", "resultKeys"})
_INVENTORY = "inventory.yml"
#: What tasks return that templates see by the names that a command's result has.
_RETURNED = ("stdout", "stderr", "msg", "rc")


def option(task: Task, name: str) -> Any:
    """One of `OPTION_INPUTS`; None where it is missing, or a variable that the operation declares."""
    is_own = name in task.inputs and name not in task.operation.input_definitions
    return task.inputs[name] if is_own else None


def inventory_of(task: Task) -> str | None:
    """The path of the inventory that the play has in place of the job's; one that is written inline becomes a file."""
    given = option(task, "inventory")
    if not given:
        return None
    if isinstance(given, str) and "\n" not in given:
        return str(task.evaluate({"eval": {"abspath": [given, "src"]}}))
    if not isinstance(given, dict | str):
        raise InvalidInput("the input inventory must be a file or a map", task.operation.place)
    file = task.folder / _INVENTORY
    text = given if isinstance(given, str) else json.dumps(reveal(given), default=str)
    write_atomically(file, str(reveal(text)), mode=0o600)
    return str(file)


def keys_of(task: Task) -> tuple[str, ...]:
    """The keys of its tasks' results that templates of the operation's result see."""
    given = option(task, "resultKeys")
    names = [given] if isinstance(given, str) else given or []
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InvalidInput("the input resultKeys must be a list of names", task.operation.place)
    return (*_RETURNED, *map(str, names))


def options_of(task: Task) -> dict[str, Any]:
    """The options of `ansible-playbook` in the input `playbookArgs`, by the names that Ansible has for them."""
    given = option(task, "playbookArgs")
    words = given if isinstance(given, list | tuple) else [given] if given else []
    try:
        found, left = _parser().parse_known_args([word for one in words for word in _words(reveal(one))])
    except (ArgumentError, ValueError) as error:  # or a quote without its end
        raise InvalidInput(f"the input playbookArgs: {error}", task.operation.place) from None
    if left:
        message = f'the input playbookArgs has "{left[0]}", which a play in a job cannot have'
        known = ", ".join(action.option_strings[-1] for action in _parser()._actions)
        raise InvalidInput(message, task.operation.place, f"it takes {known}; others are options of the job")
    return {name: value for name, value in vars(found).items() if value is not None and name != "verbosity"}


def _words(argument: Any) -> Iterator[str]:
    """An argument as it stands in a list; one that holds an option and its value is taken apart."""
    text = str(argument)
    yield from shlex.split(text) if text.startswith("-") and " " in text else [text]


def _parser() -> ArgumentParser:
    parser = ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("-e", "--extra-vars", dest="extra_vars", action="append")
    parser.add_argument("-t", "--tags", action="append")
    parser.add_argument("--skip-tags", action="append")
    parser.add_argument("--start-at-task")
    parser.add_argument("-b", "--become", action="store_true", default=None)
    parser.add_argument("--become-method")
    parser.add_argument("--become-user")
    parser.add_argument("-u", "--user", dest="remote_user")
    parser.add_argument("-v", "--verbose", dest="verbosity", action="count")
    return parser
