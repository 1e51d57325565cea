"""Whether there is a module of an FQCN, found by a look at the folders that Ansible takes modules from.

Ansible itself would report it when it runs, after others have changed; its import takes longer than most plans.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.locations import BUILTIN, ansible_homes, builtin_modules
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import closest, nearest
from ansible_ensemble.documents.yaml import read_yaml

_LEGACY = "ansible.legacy."
_DOTS = 2  #: of an FQCN, at least
#: Where a collection keeps what a task may name.
_KINDS = ("modules", "action")


def module_fault(name: str, collections: Iterable[Path]) -> tuple[str, str | None] | None:
    """What is wrong with the name of a module, and a hint; None if there is such a module, or that is unknown.

    Folders with collections by namespace are searched in their order. A short name is that of a module in a folder
    `library`, or wrong.
    """
    if name.startswith(_LEGACY) or name.isidentifier():
        return None  # one of a folder `library`
    if name.count(".") < _DOTS:
        return f"there is no module {name}", nearest(name, builtin_modules())
    if name.startswith(BUILTIN):
        homes = ansible_homes()
        folders = [home / part for home in homes for part in ("modules", "plugins/action")]
        routing = [home / "config" / "ansible_builtin_runtime.yml" for home in homes]
        collection, module = "ansible.builtin", name.removeprefix(BUILTIN)
    else:
        namespace, short, module = name.split(".", 2)
        collection = f"{namespace}.{short}"
        found = next((home for base in collections if (home := base / namespace / short).is_dir()), None)
        if found is None:
            install = f"install it with `ansible-galaxy collection install {collection}`"
            return f"the collection {collection} of the module {name} is not installed", install
        folders, routing = [found / "plugins" / kind for kind in _KINDS], [found / "meta" / "runtime.yml"]
    if any(_holds(folder, module) for folder in folders) or module in _routed(routing):
        return None
    near = closest(module, {*_names(folders), *_routed(routing)})
    return f"there is no module {name}", f"did you mean {collection}.{near}?" if near else None


def _holds(folder: Path, module: str) -> bool:
    path = folder / module.replace(".", "/")
    return any(path.parent.glob(f"{path.name}.*")) if path.parent.is_dir() else False


def _names(folders: Iterable[Path]) -> set[str]:
    return {
        ".".join(file.relative_to(folder).with_suffix("").parts)
        for folder in folders
        for file in folder.rglob("*.*")
        if not file.name.startswith("_") and "__pycache__" not in file.parts
    }


def _routed(files: Iterable[Path]) -> set[str]:
    """Names that a collection redirects: they are elsewhere, or were renamed."""
    names: set[str] = set()
    for file in files:
        try:
            data: Any = read_yaml(file).data
        except InvalidInput:
            continue
        for kind in _KINDS:
            try:
                names.update(data["plugin_routing"][kind])
            except (KeyError, TypeError):
                continue
    return names
