"""Whether there is a plugin of a name, found by a look at the folders that Ansible takes plugins from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ansible_ensemble.configurators.locations import BUILTIN, ansible_homes, collection_folders, is_fqcn
from ansible_ensemble.configurators.module_names import builtin_routes, is_installed
from ansible_ensemble.core.ansible_settings import may_be_set
from ansible_ensemble.core.hints import nearest_or_known

#: Keywords that name a plugin -> the kind of these, as their folder is named.
PLUGINS = {"become_method": "become", "connection": "connection", "strategy": "strategy"}
#: Names that Ansible gives a meaning without a plugin of that name.
_SPECIAL = {"connection": frozenset({"smart", "persistent", "paramiko"}), "become": frozenset({"enable"})}
_WORDS = {"become": "become method", "connection": "connection plugin", "strategy": "strategy"}


def plugin_fault(kind: str, name: str, root: Path, folders: Iterable[Path] = ()) -> tuple[str, str | None] | None:
    """What is wrong with the name of a plugin, and a hint; None if there is such a plugin, or nobody knows.

    Args:
        kind: `become`, `connection` or `strategy`.
        name: short, or an FQCN.
        root: the project's folder.
        folders: those beside what names it that may hold plugins of the kind.
    """
    short = name.removeprefix(BUILTIN).removeprefix("ansible.legacy.")
    message = f"there is no {_WORDS[kind]} {name}"
    if is_fqcn(short):
        collections = list(collection_folders(root))
        if not is_installed(short, collections):
            return None
        namespace, collection, plugin = short.split(".", 2)
        homes = [base / namespace / collection for base in collections]
        has_routes = any(plugin in builtin_routes(kind, file=home / "meta" / "runtime.yml") for home in homes)
        is_there = any((home / "plugins" / kind / f"{plugin}.py").is_file() for home in homes)
        return None if is_there or has_routes else (message, None)
    if may_be_set(f"{kind}_plugins", (f"ANSIBLE_{kind.upper()}_PLUGINS",)):
        return None
    own = {
        file.stem
        for folder in (*(home / "plugins" / kind for home in ansible_homes()), *folders)
        if folder.is_dir()
        for file in folder.glob("*.py")
    }
    known = {name for name in own if not name.startswith("_")}
    if short in known | _SPECIAL.get(kind, frozenset()) | builtin_routes(kind):
        return None
    return message, nearest_or_known(short, known)
