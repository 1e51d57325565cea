"""What an operation's implementation is: a command, a script, a module, tasks, a role, a playbook, a configurator."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ansible_ensemble.core.ansible_settings import may_be_set, setting
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.topology.entities import Operation

#: The configurator of modules.
MODULE = "module"

_FQCN = re.compile(r"[a-zA-Z_]\w*(\.[a-zA-Z_]\w*){2,}")
_DOTTED = re.compile(r"[a-zA-Z_]\w*(\.[a-zA-Z_]\w*)+")
_ROLE_NAME = re.compile(r"[\w-]+([./][\w-]+)*")
_PLAYS = re.compile(r"(hosts|import_playbook|ansible\.builtin\.import_playbook)\s*:")
_LONGEST_NAME = 255  #: of a file
_SCRIPT_SUFFIXES = {".sh", ".bash", ".py", ".pl", ".rb"}
_YAML_SUFFIXES = {".yml", ".yaml"}
_TERRAFORM = ("*.tf", "*.tf.json")
_BUILTIN = "ansible.builtin."  #: a collection without roles

#: Where Ansible looks for roles and collections if no setting says otherwise.
_ROLES_PATH = ("~/.ansible/roles", "/usr/share/ansible/roles", "/etc/ansible/roles")
_COLLECTIONS_PATH = ("~/.ansible/collections", "/usr/share/ansible/collections")

#: Names of configurators as Unfurl's files give them -> ours.
_ALIASES = {
    "Cmd": "command",
    "Shell": "command",
    "Ansible": "playbook",
    "Template": "template",
    "Delegate": "delegate",
    "Terraform": "terraform",
    "unfurl.configurators.shell.ShellConfigurator": "command",
    "unfurl.configurators.ansible.AnsibleConfigurator": "playbook",
    "unfurl.configurators.TemplateConfigurator": "template",
    "unfurl.configurators.DelegateConfigurator": "delegate",
    "unfurl.configurators.terraform.TerraformConfigurator": "terraform",
}

#: Artifact types that say what their file is.
_BY_ARTIFACT_TYPE = {
    "tosca.artifacts.Implementation.Bash": "script",
    "tosca.artifacts.Implementation.Python": "script",
    "unfurl.artifacts.AnsiblePlaybook": "playbook",
    "unfurl.artifacts.ShellExecutable": "script",
}


@dataclass(frozen=True, slots=True)
class Resolved:
    """Which configurator carries out an operation, and with what.

    Attributes:
        configurator: its name.
        target: what runs: a command's text, an absolute path, an FQCN, a role's name; empty if inputs say it.
        member: of a Python file, the class in it.
    """

    configurator: str
    target: str = ""
    member: str = ""

    @property
    def subject(self) -> str:
        """What the configurator is made with: the target, and after a `#` the member of it."""
        return f"{self.target}#{self.member}" if self.member else self.target


@lru_cache(maxsize=4096)
def resolve(operation: Operation, root: Path) -> Resolved:
    """Find out what an operation's implementation is; once for each operation, which all nodes of a type share.

    In this order: a configurator named by `className` (a Python class where it is `file.py#Class` or
    `package.module.Class`); the type of an artifact; a file that exists (a playbook is a list of plays, else it holds
    tasks; other files are scripts); a folder with a Terraform module; a configurator's name; a role where such a one is
    found; a module's FQCN; else a shell command.

    Args:
        operation: it must have an implementation.
        root: the project's root, where files and roles are looked for after the declaring file's folder.

    Raises:
        InvalidInput: there is nothing to run, or the file of a Python class is not there.
    """
    implementation = operation.implementation
    assert implementation is not None
    primary = (implementation.artifact.file if implementation.artifact else implementation.primary) or ""
    if implementation.class_name:
        return _named(implementation.class_name, primary, operation, root)
    if not primary.strip():
        raise InvalidInput(f"operation {operation.full_name} has nothing to run", operation.place)
    if "\n" in primary:
        return Resolved("command", primary)
    file = _find_file(primary, operation, root)
    if implementation.artifact is not None and implementation.artifact.type in _BY_ARTIFACT_TYPE and file:
        return Resolved(_BY_ARTIFACT_TYPE[implementation.artifact.type], str(file))
    if file is not None:
        return Resolved(_kind_of_file(file), str(file))
    if module := _find_module(primary, operation, root):
        return Resolved("terraform", str(module))
    if primary in _ALIASES:
        return Resolved(_ALIASES[primary])
    if role := _find_role(primary, operation, root):
        return Resolved("role", role)
    if _FQCN.fullmatch(primary):
        return Resolved(MODULE, primary)
    return Resolved("command", primary)


def _named(name: str, primary: str, operation: Operation, root: Path) -> Resolved:
    """The configurator that `className` asks for."""
    if name in _ALIASES:
        name = _ALIASES[name]
    elif "#" in name:
        file, _, member = name.partition("#")
        found = _find_file(file, operation, root)
        if found is None:
            raise InvalidInput(
                f"{operation.full_name} needs the file {file}, which is not there",
                operation.place,
                "its path starts at the folder of the file that declares the operation, or at the project's",
            )
        return Resolved("python", str(found), member)
    elif _DOTTED.fullmatch(name):
        return Resolved("python", name)
    target = _find_file(primary, operation, root) if primary else None
    if primary and name == "terraform":
        target = _find_module(primary, operation, root)
    return Resolved(name, str(target) if target else primary)


def _find_file(primary: str, operation: Operation, root: Path) -> Path | None:
    return _find(primary, operation, root, Path.is_file)


def _find_module(primary: str, operation: Operation, root: Path) -> Path | None:
    """The folder of a Terraform module: one with files of its language."""

    def is_module(path: Path) -> bool:
        return path.is_dir() and any(file for pattern in _TERRAFORM for file in path.glob(pattern))

    return _find(primary, operation, root, is_module)


def _find(primary: str, operation: Operation, root: Path, fits: Callable[[Path], bool]) -> Path | None:
    artifact = operation.implementation.artifact if operation.implementation else None
    for base in (artifact.base if artifact else None, operation.base, root):
        if base is not None:
            path = base / primary
            try:
                if fits(path):
                    return path.resolve()
            except (OSError, ValueError):  # a command longer than a file name may be, or with a null in it
                return None
    return None


def _kind_of_file(file: Path) -> str:
    if file.suffix in _YAML_SUFFIXES:
        return "playbook" if is_playbook(file) else "tasks"
    return "script"


def is_playbook(file: Path) -> bool:
    """Whether a YAML file is a playbook: its first list item is a play, or imports a playbook."""
    column = None
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            item = re.match(r"( *- +)(?=[^\s#])", line)
            if item and column is not None and len(item[1]) <= column:
                return False  # the second item begins
            if item and column is None:
                column = len(item[1])
            if column is not None and not line[:column].strip(" -") and _PLAYS.match(line, column):
                return True
    return False


def _find_role(name: str, operation: Operation, root: Path) -> str | None:
    """The role's absolute path, or its FQCN for a collection's role."""
    if name.startswith(_BUILTIN):
        return None
    if _FQCN.fullmatch(name):
        namespace, collection, role = name.split(".", 2)
        for folder in collection_folders(root):
            if (folder / namespace / collection / "roles" / role).is_dir():
                return name
        return None
    if len(name) > _LONGEST_NAME or not _ROLE_NAME.fullmatch(name):
        return None
    for base in (operation.base, root):
        if base is not None and (base / "roles" / name).is_dir():
            return str((base / "roles" / name).resolve())
        if base is not None and "/" in name and (base / name / "tasks").is_dir():
            return str((base / name).resolve())
    for folder in _roles_path():
        path = folder / name
        if path.is_dir():
            return str(path)
    return None


def _roles_path() -> Iterator[Path]:
    if may_be_set("roles_path", ("ANSIBLE_ROLES_PATH", "ANSIBLE_HOME")):
        yield from map(Path, setting("DEFAULT_ROLES_PATH"))
    else:
        yield from (Path(folder).expanduser() for folder in _ROLES_PATH)


def collection_folders(root: Path) -> Iterator[Path]:
    """Folders that hold collections by namespace, in the order in which Ansible searches them."""
    yield root / "collections" / "ansible_collections"
    configured = _COLLECTIONS_PATH
    if may_be_set("collections_path", ("ANSIBLE_COLLECTIONS_PATH", "ANSIBLE_HOME")):
        configured = setting("COLLECTIONS_PATHS")
    for folder in (*configured, *sys.path):
        yield Path(folder).expanduser() / "ansible_collections"
