"""What the text of a task file, template or expression names: files of the project, and collections."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_WORD = re.compile(r"[\w./~+-]+")
#: A module, filter, test, lookup or role of a collection.
_OF_COLLECTION = re.compile(r"\b([a-z_]\w*)\.([a-z_]\w*)\.[a-z_]\w*")
#: What is written like collections and is a part of Ansible.
_OF_ANSIBLE = {("ansible", "builtin"), ("ansible", "legacy")}
#: Where Ansible looks for a name, beside a file. In the first ones a word without a dot or slash is one of the text.
_FOLDERS = ("", "tasks", "vars", "files", "templates")
_OF_FILES = frozenset({"files", "templates"})
#: What is in a collection that is not installed but developed, and makes a difference to who uses it.
_OF_DEVELOPED = ("plugins", "roles", "playbooks")


def files_named(text: str, folders: Iterable[Path]) -> Iterator[Path]:
    """Files that a text names by a word: relative to one of the folders, or to where Ansible looks below it."""
    words: dict[str, set[str]] = {}
    for word in set(_WORD.findall(text)):
        name = os.path.normpath(word.rstrip("."))
        words.setdefault(name.split(os.sep, 1)[0], set()).add(name)
    for folder in dict.fromkeys(folders):
        for kind in _FOLDERS:
            place = folder / kind
            for first in words.keys() & {*_entries(place), os.pardir}:
                for name in words[first]:
                    if (kind in _OF_FILES or "." in name or os.sep in name) and (path := place / name).is_file():
                        yield path


def collections_named(text: str, folders: Iterable[Path]) -> Iterator[Path]:
    """What says which version of the collections that a text names is there, or what is in one without a version.

    Args:
        text: it.
        folders: those that hold collections by namespace, in the order in which Ansible searches them.
    """
    folders = list(folders)
    for namespace, name in set(_OF_COLLECTION.findall(text)) - _OF_ANSIBLE:
        home = next((home for base in folders if (home := base / namespace / name).is_dir()), None)
        if home is not None:
            version = home / "MANIFEST.json"
            yield from [version] if version.is_file() else filter(Path.is_dir, (home / kind for kind in _OF_DEVELOPED))


def _entries(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208
    except OSError:
        return []
