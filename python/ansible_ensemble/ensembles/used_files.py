"""The files that operations run, copy and render, as digests: a saved plan was reviewed with these, and no others."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

from ansible_ensemble.configurators.dependencies import find_dependencies
from ansible_ensemble.configurators.implementation import resolve
from ansible_ensemble.configurators.locations import ansible_homes, collection_folders
from ansible_ensemble.configurators.module_names import module_file
from ansible_ensemble.configurators.module_spec import role_folder
from ansible_ensemble.configurators.named_files import collections_named, files_named
from ansible_ensemble.configurators.play_files import files_of_play
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.texts import named_texts
from ansible_ensemble.documents.digest import digest_path
from ansible_ensemble.language.entities import NodeTemplate, Operation

#: What Ansible finds by itself beside a playbook or in a project: it decides what any operation does.
_AROUND = (
    *("ansible.cfg", "group_vars", "host_vars", "library", "module_utils", "inventory", "inventories", "hosts"),
    *(f"{name}.{suffix}" for name in ("inventory", "hosts") for suffix in ("ini", "yml", "yaml")),
    *(f"{kind}_plugins" for kind in ("action", "become", "cache", "callback", "connection", "doc_fragments", "filter")),
    *(f"{kind}_plugins" for kind in ("inventory", "lookup", "strategy", "test", "vars")),
)
#: What says the version of Ansible, by its name among digests.
VERSION = PurePath("ansible/release.py")
#: Arguments that name what is read on the controller.
_SOURCES = frozenset({"definition", "file", "playbook", "script", "src", "template", "values_files", "vars_files"})
_FOLDERS = ("", "files", "templates")
_WORD = regex(r"[\w./~-]+")
_PROGRAMS = frozenset({".sh", ".py", ".pl", ".rb", ".js", ".yml", ".yaml", ".j2", ".tf"})
_LONGEST_NAME = 1024


def used_files(
    operation: Operation, template: NodeTemplate, inputs: Mapping[str, Any], root: Path, folder: Path
) -> Iterator[Path]:
    """The files and folders that an operation executes, copies or renders, as far as they are known before it runs.

    Args:
        operation: it.
        template: whose operation it is; its artifacts may be read.
        inputs: its values; one that cannot be evaluated yet is passed over.
        root: the project's folder.
        folder: the ensemble's folder.
    """
    base, sources = operation.base or folder, _SOURCES
    resolved = resolve(operation, root)
    target = Path(resolved.target or ".")
    collections = collection_folders(root)
    yield from collections_named(f"{resolved.target} {_raw(operation)}", collections)
    if target.is_absolute():
        yield target
        yield from _in_play(target, (base, root), collections)
    elif resolved.configurator == "module":
        yield from filter(None, [module_file(resolved.target, collections)])
    elif resolved.configurator == "command":
        yield from _programs(resolved.target, (base, root))
    elif (role := role_folder(resolved.target, collections)) is not None and resolved.target:
        yield role
    yield from find_dependencies(operation, root)
    for artifact in template.artifacts.values():
        yield from _found(artifact.file, (artifact.base or base,))
    with suppress(EnsembleError):
        if inputs.get("remote_src"):  # then `src` is on the host
            sources = sources - {"src"}
    for name in operation.inputs:
        with suppress(EnsembleError):
            for key, text in named_texts(inputs[name], name):
                if key not in sources:
                    yield from _programs(text, (base, root))
                    continue
                for path in _found(text, (base, root)):
                    yield path
                    yield from _in_play(path, (base, root), collections) if path.is_file() else ()


def _in_play(path: Path, bases: tuple[Path, ...], collections: Sequence[Path]) -> Iterator[Path]:
    """What is read with a playbook, task file, role or template: files, and collections."""
    for file, text in files_of_play(str(path), bases[0]):
        yield file
        yield from files_named(text, (file.parent, *bases))
        yield from collections_named(text, collections)


def _raw(operation: Operation) -> str:
    """What the inputs of an operation say, before they are evaluated."""
    return json.dumps([getattr(one, "value", None) for one in operation.inputs.values()], default=str)


def _found(name: str, bases: tuple[Path, ...]) -> Iterator[Path]:
    if name.strip("./") and len(name) < _LONGEST_NAME and "\0" not in name and "\n" not in name:
        # Each word of a command is looked for, so without a Path of each place; and a name may be too long for one.
        paths = (os.path.join(base, kind, name) for base in dict.fromkeys(bases) for kind in _FOLDERS)  # noqa: PTH118
        yield from (Path(path) for path in paths if os.path.exists(path))  # noqa: PTH110


def _programs(text: str, bases: tuple[Path, ...]) -> Iterator[Path]:
    """Files that words of a command name and that may be programs; others may be what it works on."""
    for word in set(_WORD.findall(text[: _LONGEST_NAME * 16])):
        for path in _found(word, bases):
            if path.is_file() and (path.suffix in _PROGRAMS or _is_program_in(path, bases)):
                yield path


def _is_program_in(path: Path, bases: Iterable[Path]) -> bool:
    return os.access(path, os.X_OK) and any(path.is_relative_to(base) for base in bases)


def surroundings(root: Path, folder: Path) -> Iterator[Path]:
    """What Ansible finds by itself in the project and beside the ensemble, and which version of it is installed."""
    yield from (home / VERSION.name for home in ansible_homes())
    for where in dict.fromkeys((root, folder)):
        yield from (path for name in _AROUND if (path := where / name).exists())


class FileDigests:
    """Digests of files and folders by their names in a project, among collections or in Ansible; each is read once.

    So a plan holds in another clone, and in another environment of the same versions.

    Args:
        root: the project's folder.
    """

    def __init__(self, root: Path) -> None:
        collections = (folder.parent for folder in collection_folders(root))
        self._bases = tuple(dict.fromkeys((root, *collections, *(home.parent for home in ansible_homes()))))
        self.found: dict[str, str] = {}

    def add(self, paths: Iterable[Path]) -> None:
        """Take the digests of these."""
        for path in paths:
            name = self._name(path)
            if name not in self.found:
                self.found[name] = self.digest(name)

    def digest(self, name: str) -> str:
        """The digest of what has this name by now; empty where nothing is there that can be read to its end."""
        path = next((path for base in self._bases if (path := base / name).exists()), Path(name))
        try:
            return digest_path(path)[:16] if os.path.isfile(path) or path.is_dir() else ""  # noqa: PTH113
        except EnsembleError:
            return ""

    def _name(self, path: Path) -> str:
        path = Path(os.path.normpath(path))
        base = next((base for base in self._bases if path.is_relative_to(base)), None)
        return path.relative_to(base).as_posix() if base is not None else str(path)
