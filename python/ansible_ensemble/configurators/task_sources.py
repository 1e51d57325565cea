"""What tasks take from the controller: files that they copy, templates that they render, variables that they read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from ansible_ensemble.configurators.argument_rules import FREE
from ansible_ensemble.configurators.sent_files import template_faults
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.documents.places import place_of

#: Modules by their short names -> the argument that names a file, and the folder in which Ansible looks for it first.
_SOURCES = {
    "copy": ("src", "files"),
    "unarchive": ("src", "files"),
    "template": ("src", "templates"),
    "script": ("cmd", "files"),
    "include_vars": ("file", "vars"),
}
_OF_WORDS = frozenset({"script", "include_vars"})


def source_faults(
    module: str, args: Mapping[str, Any], file: Path, bases: Sequence[Path], place: Place | None
) -> Iterator[InvalidInput]:
    """What is wrong with the file of the controller that a task always takes; nothing where it takes none.

    One that another task may make, for it has the name too, is left to Ansible.

    Args:
        module: its short name.
        args: as written.
        file: where the task stands.
        bases: folders that may have it, or a folder of its kind with it.
        place: of the task.
    """
    argument, kind = _SOURCES.get(module, ("", ""))
    if module == "include_vars" and "dir" in args:
        argument = "dir"
    name = args.get(argument, args.get(FREE) if module in _OF_WORDS else None)
    if not isinstance(name, str) or not name.strip() or args.get("remote_src") or "{" in name or ":" in name:
        return
    if module in _OF_WORDS and argument != "dir":
        name = name.split()[0]
        if "=" in name:
            return
    if name.startswith(("/", "~")):
        return
    candidates = [folder / name for base in bases for folder in (base / kind, base)]
    found = next((path for path in candidates if os.path.exists(path)), None)  # noqa: PTH110 - any name
    where = place_of(args, argument) or place
    if found is None and file.read_text(errors="replace").count(PurePath(name).name) == 1:
        beside = {one.name for base in bases if (base / kind).is_dir() for one in (base / kind).iterdir()}
        hint = nearest(name, beside) or f"it is looked for in {kind}/ of the role, and beside the tasks"
        what = "folder" if argument == "dir" else "file"
        yield InvalidInput(f"there is no {what} {name} for {module}", where, hint)
    if found is not None and module == "template" and found.is_file():
        yield from template_faults(found, bases, args)
