"""Whether there is a module of an FQCN, found by a look at the folders that Ansible takes modules from.

Ansible itself would tell when it runs, after others have been changed; its import takes longer than most plans.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import closest
from ansible_ensemble.documents.yaml import read_yaml

_BUILTIN = "ansible.builtin."
_DOTS = 2  #: of an FQCN, at least
#: Where a collection keeps what a task may name.
_KINDS = ("modules", "action")


def module_fault(name: str, collections: Iterable[Path]) -> tuple[str, str | None] | None:
    """What is wrong with the name of a module, and a hint; None if there is such a module, or nobody can tell.

    A collection that is not found is left to Ansible, which may know of more folders.

    Args:
        name: the FQCN; a short name is left to Ansible.
        collections: folders with collections by namespace, in the order in which they are searched.
    """
    if name.count(".") < _DOTS:
        return None  # the short name of one in a folder `library`, say
    if name.startswith(_BUILTIN):
        spec = find_spec("ansible")
        homes = [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec is not None else []
        folders = [home / part for home in homes for part in ("modules", "plugins/action")]
        routing = [home / "config" / "ansible_builtin_runtime.yml" for home in homes]
        collection, module = "ansible.builtin", name.removeprefix(_BUILTIN)
    else:
        namespace, short, module = name.split(".", 2)
        collection = f"{namespace}.{short}"
        found = next((home for base in collections if (home := base / namespace / short).is_dir()), None)
        folders = [found / "plugins" / kind for kind in _KINDS] if found is not None else []
        routing = [found / "meta" / "runtime.yml"] if found is not None else []
    if not folders or any(_holds(folder, module) for folder in folders) or module in _routed(routing):
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
