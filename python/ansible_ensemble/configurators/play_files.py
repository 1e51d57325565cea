"""What the files of a play say: which parts of the model they name, and which expressions they have evaluated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.regex import regex
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
    """Refuse the filters `eval` and `ref` of what is computed: the model is not there where a play runs.

    Raises:
        InvalidInput: there is one.
    """
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
