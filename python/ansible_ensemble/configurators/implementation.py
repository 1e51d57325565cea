"""What an operation's implementation is: a command, a script, a module, tasks, a role, a playbook, a configurator."""

from __future__ import annotations

import re
import shutil
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from ansible_ensemble.configurators.locations import (
    BUILTIN,
    builtin_modules,
    file_names,
    find_ansible_module,
    find_file,
    find_module,
    find_role,
    is_fqcn,
    is_in_library,
    role_names,
)
from ansible_ensemble.configurators.module_names import builtin_routes
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.paths import is_folder
from ansible_ensemble.language.artifacts import SUFFIXES
from ansible_ensemble.language.entities import Operation

#: The configurator of modules.
MODULE = "module"

_DOTTED = regex(r"[a-zA-Z_]\w*(\.[a-zA-Z_]\w*)+")
_SHELL_SIGN = regex(r"""[\s|&;<>$`(){}\[\]*?!'"\\~#=]""")
_PLAYS = regex(r"(hosts|import_playbook|ansible\.builtin\.import_playbook)\s*:")
_YAML_SUFFIXES = {".yml", ".yaml"}
_FILES = ("script", "tasks", "playbook")  #: configurators whose target is a file
_PATHS = "its path starts at the folder of the file that declares the operation, or at the project's"
_SHOWN = 60  #: characters of a text in a message

#: Names of configurators as Unfurl's files give them -> ours.
_ALIASES = {
    "Cmd": "command",
    "Shell": "command",
    "Ansible": "playbook",
    "Template": "template",
    "Delegate": "delegate",
    "Terraform": "terraform",
    "unfurl.configurators.CmdConfigurator": "command",
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


class Resolved(Struct, frozen=True):
    """Which configurator executes an operation, and with what.

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
    found; a module's FQCN or short name; a shell command, which has a blank or a sign of the shell's, or in Unfurl's
    dialect is a word that is neither a path nor a file's name, whether this host has such a program or not. Files and
    roles are looked for in the declaring file's folder, then in the project's root.
    """
    implementation = operation.implementation
    assert implementation is not None
    primary = (implementation.artifact.file if implementation.artifact else implementation.primary) or ""
    if implementation.class_name:
        return _named(implementation.class_name, primary, operation, root)
    if not primary.strip():
        raise InvalidInput(f"{operation.title} has nothing to run", operation.place)
    if "\n" in primary:
        return Resolved("command", primary)
    file = find_file(primary, operation, root)
    if implementation.artifact is not None and implementation.artifact.type in _BY_ARTIFACT_TYPE and file:
        return Resolved(_BY_ARTIFACT_TYPE[implementation.artifact.type], str(file))
    if file is not None:
        return Resolved(_kind_of_file(file), str(file))
    if folder := find_module(primary, operation, root):
        return Resolved("terraform", str(folder))
    if primary in _ALIASES:
        return Resolved(_ALIASES[primary])
    if role := find_role(primary, operation, root):
        return Resolved("role", role)
    if module := primary if is_fqcn(primary) else find_ansible_module(primary, operation, root):
        return Resolved(MODULE, module)
    is_program = implementation.may_be_program and "/" not in primary and Path(primary).suffix not in SUFFIXES
    if _SHELL_SIGN.search(primary) or "shell" in operation.inputs or is_program:
        return Resolved("command", primary)
    raise _nothing_of(primary, operation, root)


def _module(primary: str, operation: Operation, root: Path) -> str:
    """The name of a module as it is known: the FQCN of one of Ansible's, also of one that a collection has now."""
    module = find_ansible_module(primary, operation, root) or primary
    if not module.isidentifier() or is_in_library(module, operation, root):
        return module
    if module in builtin_routes("modules", "action"):
        return BUILTIN + module
    message = f"there is no module {module} for {operation.title}"
    raise InvalidInput(message, operation.place, nearest(module, builtin_modules()))


def _named(name: str, primary: str, operation: Operation, root: Path) -> Resolved:
    if name in _ALIASES:
        name = _ALIASES[name]
    elif "#" in name:
        file, _separator, member = name.partition("#")
        found = find_file(file, operation, root)
        if found is None:
            raise _no_file(file, operation)
        return Resolved("python", str(found), member)
    elif _DOTTED.fullmatch(name):
        return Resolved("python", name)
    if name == MODULE:
        return Resolved(name, _module(primary, operation, root))
    if name == "role":
        role = find_role(primary, operation, root) or _role_folder(primary)
        if role is None and not is_fqcn(primary):  # a collection may be installed before it runs
            raise no_role(primary, operation, root)
        return Resolved(name, role or primary)
    if name == "terraform":
        folder = find_module(primary, operation, root) if primary else None
        if folder is None and primary and "main" not in operation.inputs:
            message = f"there is no Terraform module {primary} for {operation.title}"
            raise InvalidInput(message, operation.place, _PATHS)
        return Resolved(name, str(folder or primary))
    target = find_file(primary, operation, root) if primary else None
    if target is None and primary and name in _FILES:
        raise _no_file(primary, operation)
    return Resolved(name, str(target or primary))


def no_role(name: str, operation: Operation, root: Path) -> InvalidInput:
    """The error for a role that is not there."""
    message = f"there is no role {name} for {operation.title}"
    return InvalidInput(message, operation.place, nearest(name, role_names(operation, root)))


def _role_folder(path: str) -> str | None:
    """The folder of a role by its absolute path; a relative one starts at the file or project, not where one is."""
    folder = Path(path)
    return str(folder) if folder.is_absolute() and is_folder(folder) else None


def _no_file(file: str, operation: Operation) -> InvalidInput:
    message = f"the file {file} of {operation.title} does not exist"
    return InvalidInput(message, operation.place, _PATHS)


def _nothing_of(primary: str, operation: Operation, root: Path) -> InvalidInput:
    """The error for a word that names nothing: it would have to be a shell command, which is unlikely to be meant."""
    shown = primary if len(primary) <= _SHOWN else f"{primary[:_SHOWN]}..."
    as_command = f"a command is {{className: Cmd, primary: {shown}}}"
    if Path(primary).suffix in SUFFIXES:
        return _no_file(shown, operation)
    if "/" in primary:
        message = f"there is no file, role or Terraform module {shown} for {operation.title}"
        return InvalidInput(message, operation.place, f"{_PATHS}; {as_command}")
    known = {*role_names(operation, root), *builtin_modules(), *_ALIASES, *file_names(operation, root)}
    near = nearest(primary, known) if primary == shown and shutil.which(primary) is None else None
    message = f"there is no role, module, file or configurator {shown} for {operation.title}"
    return InvalidInput(message, operation.place, f"{near} {as_command}" if near else as_command)


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
