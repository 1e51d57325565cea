"""Which files another operation of a topology may make before they are needed: these are not missing yet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ansible_ensemble.configurators.implementation import MODULE, resolve
from ansible_ensemble.configurators.play_files import texts_of
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.texts import named_texts
from ansible_ensemble.language.entities import Operation, Topology

#: The argument of a module that names what it reads.
_READS = "src"
#: Modules that install programs.
_INSTALLS = frozenset(
    {"apk", "apt", "cargo", "command", "dnf", "dnf5", "gem", "get_url", "git", "homebrew", "npm", "package", "pacman"}
    | {"pip", "pipx", "script", "shell", "snap", "unarchive", "yum", "zypper"}
)
_TEXT = 1_000_000  #: bytes of a script that is looked at


def may_be_made(topology: Topology, paths: Sequence[Path], root: Path, *, but: Operation) -> bool:
    """Whether an operation other than this one names the file that may be at one of some paths, and may write it.

    A module writes the absolute path that it is given. What commands, scripts, roles, tasks and playbooks that mention
    a file by its name do with it, nobody knows.
    """
    wanted = {str(path) for path in paths}
    name = paths[0].name
    for template in topology.node_templates.values():
        own = [entity.interfaces for entity in (template, *template.requirements)]
        operations = [one for part in own for interface in part.values() for one in interface.operations.values()]
        if any(one is but or one.place == but.place for one in operations):
            continue
        properties = {key: one.value for key, one in template.properties.items()}
        for key, text in named_texts(properties):
            if _may_write(key, text, name, wanted):
                return True
        for one in operations:
            if one.implementation is not None and _mentions(one, name, wanted, root):
                return True
    return False


def may_be_installed(topology: Topology, root: Path) -> bool:
    """Whether an operation runs a module that installs programs, whose packages may have other names."""
    operations = (
        one
        for template in topology.node_templates.values()
        for interface in template.interfaces.values()
        for one in interface.operations.values()
    )
    for one in operations:
        try:
            found = resolve(one, root) if one.implementation is not None else None
        except InvalidInput:
            continue
        if found is not None and found.configurator == MODULE and found.target.rpartition(".")[2] in _INSTALLS:
            return True
    return False


def _mentions(operation: Operation, name: str, wanted: set[str], root: Path) -> bool:
    inputs = {key: one.value for key, one in operation.inputs.items()}
    if any(_may_write(key, text, name, wanted) for key, text in named_texts(inputs)):
        return True
    try:
        resolved = resolve(operation, root)
    except InvalidInput:
        return False
    if resolved.configurator == MODULE:
        return False
    if resolved.configurator in ("tasks", "role", "playbook"):
        return any(name in text for text in texts_of(resolved.target, operation.base))
    file = Path(resolved.target) if resolved.target.startswith("/") and "\n" not in resolved.target else None
    if file is not None and file.is_file():
        return file.stat().st_size > _TEXT or name in file.read_text(errors="replace")
    return name in resolved.target


def _may_write(key: str, text: str, name: str, wanted: set[str]) -> bool:
    if key == _READS or name not in text:
        return False
    return text in wanted or not text.startswith("/") or any(sign in text for sign in " {")
