"""Where a file of a play is: which folders it finds files, roles and modules in, and what short names mean there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from ansible_ensemble.configurators.locations import (
    BUILTIN,
    builtin_modules,
    collection_folders,
    find_role,
    is_fqcn,
    is_in_library,
)
from ansible_ensemble.configurators.module_names import builtin_routes
from ansible_ensemble.configurators.module_spec import role_folder
from ansible_ensemble.core.ansible_settings import may_be_set
from ansible_ensemble.language.entities import Operation

_PREFIXES = ("ansible.builtin.", "ansible.legacy.")
#: Folders with modules, and with what runs in their place.
_OF_MODULES = ("library", "action_plugins")


class Around(Struct, frozen=True):
    """Where a file is: what short names mean there.

    Attributes:
        root: the project's folder.
        base: where the operation's files start.
        role: the folder of the role that it is of, if it is of one.
        collections: whether short names may be those of collections that are named elsewhere.
        above: the folders of the roles that need or include it, the nearest first; Ansible finds files there, too.
    """

    root: Path
    base: Path
    role: Path | None = None
    collections: bool = False
    above: tuple[Path, ...] = ()

    @property
    def roles(self) -> tuple[Path, ...]:
        """The folder of its role, and of those above."""
        return (self.role, *self.above) if self.role is not None else ()

    def folders(self, file: Path) -> list[Path]:
        """Folders that may hold plugins, and what tasks of a file take from the controller."""
        near, roles = file.parent, [folder for role in self.roles for folder in (role, role / "tasks")]
        return [*dict.fromkeys((*roles, near, near.parent, self.base, self.root))]

    def role_bases(self, file: Path) -> list[Path]:
        """Folders with roles that a file may name."""
        near = [self.role.parent] if self.role is not None else []
        return [*near, file.parent / "roles", self.base / "roles", self.root / "roles"]

    def role_folder(self, name: str, file: Path) -> Path | None:
        """The folder of a role that a file names; None if there is none."""
        found = next((one for base in self.role_bases(file) if (one := base / name).is_dir()), None)
        for folder in (found, file.parent / name, self.base / name):
            if folder is not None and folder.is_dir() and "{{" not in name:
                return folder.resolve()
        known = find_role(name, Operation("", "", base=file.parent), self.root)
        return role_folder(known, collection_folders(self.root)) if known else None

    def libraries(self, file: Path) -> Iterator[Path]:
        """Folders that may hold modules."""
        folders = (self.role, self.base, self.root, file.parent, file.parent.parent)
        yield from (folder / part for folder in folders if folder is not None for part in _OF_MODULES)

    def full_name(self, name: str, file: Path) -> str | None:
        """The FQCN of a module, or its name in a folder `library`; empty if nobody knows, None if there is none."""
        if is_fqcn(name):
            return f"{BUILTIN}{short_name(name)}" if name.startswith("ansible.legacy.") else name
        for folder in self.libraries(file):
            if folder.is_dir() and any(one.name.partition(".")[0] == name for one in folder.iterdir()):
                return name if folder.name == "library" else ""
        if name in builtin_modules() or name in builtin_routes("modules", "action"):
            return BUILTIN + name
        may_be = self.collections or self._is_of_role(name, file) or _is_elsewhere(name, self.root)
        return "" if may_be else None

    def _is_of_role(self, name: str, file: Path) -> bool:
        """Whether a role beside has a module: Ansible knows those of each role that the play has."""
        return any(any(base.glob(f"*/{part}/{name}.*")) for base in self.role_bases(file) for part in _OF_MODULES)


def short_name(name: str) -> str:
    """The name of a module or action of Ansible's own without its collection; that of another one as it is."""
    return next((name.removeprefix(one) for one in _PREFIXES if name.startswith(one)), name)


def _is_elsewhere(name: str, root: Path) -> bool:
    """Whether a module may be in a folder that Ansible's settings name."""
    is_set = may_be_set("action_plugins", ("ANSIBLE_ACTION_PLUGINS",))
    return is_set or is_in_library(name, Operation("", "", base=root), root)
