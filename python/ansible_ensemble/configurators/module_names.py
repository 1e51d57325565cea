"""Where a module of an FQCN is, or that there is none, found by a look at the folders that Ansible takes modules from.

Ansible itself would report it when it runs, after others have changed; its import takes longer than most plans.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ansible_ensemble.configurators.locations import (
    BUILTIN,
    ansible_homes,
    builtin_modules,
    collection_folders,
    is_fqcn,
)
from ansible_ensemble.core.ansible_settings import may_be_set
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import closest, nearest, nearest_or_known
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.topology.tools import comes

_LEGACY = "ansible.legacy."
#: Where a collection keeps what a task may name.
_KINDS = ("modules", "action")
#: How a module's file, or the one with its documentation beside it, ends.
_SUFFIXES = (".py", ".yml", ".yaml")
_REDIRECTS = 5  #: from one name to another, at most


class Home(NamedTuple):
    """Where modules of a collection are.

    Attributes:
        collection: its name.
        module: the module's name in it.
        plugins: folders that hold `modules`, by the kind of plugin.
        routing: files that say which modules have moved.
    """

    collection: str
    module: str
    plugins: list[dict[str, Path]]
    routing: list[Path]

    @property
    def folders(self) -> list[Path]:
        """The folders of what a task may name."""
        return [folders[kind] for folders in self.plugins for kind in _KINDS]


def home_of(name: str, collections: Iterable[Path]) -> Home | None:
    """Where the module of an FQCN would be; None if its collection is not there.

    Folders with collections by namespace are searched in their order.
    """
    if name.startswith(BUILTIN):
        homes = ansible_homes()
        plugins = [{"modules": home / "modules", "action": home / "plugins/action"} for home in homes]
        routing = [home / "config" / "ansible_builtin_runtime.yml" for home in homes]
        return Home("ansible.builtin", name.removeprefix(BUILTIN), plugins, routing)
    namespace, short, module = name.split(".", 2)
    found = next((home for base in collections if (home := base / namespace / short).is_dir()), None)
    if found is None:
        return None
    plugins = [{kind: found / "plugins" / kind for kind in _KINDS}]
    return Home(f"{namespace}.{short}", module, plugins, [found / "meta" / "runtime.yml"])


def module_fault(name: str, collections: Iterable[Path], tools: Iterable[str] = ()) -> tuple[str, str | None] | None:
    """What is wrong with the name of a module, and a hint; None if there is such a module, or that is unknown.

    A short name is that of a module in a folder `library`, or wrong. `tools` are installed before, collections among
    them.
    """
    if name.startswith(_LEGACY) or name.isidentifier():
        return None  # one of a folder `library`
    if not is_fqcn(name):
        return f"there is no module {name}", nearest(name, builtin_modules())
    for at, home in _followed(name, collections):
        if home is None:
            return None if comes(at, tools) else _not_installed(at, f"module {name}")
        if any(_holds(folder, home.module) for folder in home.folders):
            return None
        known = _routed(home.routing)
        if home.module not in known:
            near = closest(home.module, {*_names(home.folders), *known})
            return f"there is no module {name}", f"did you mean {home.collection}.{near}?" if near else None
        said = known[home.module]
        if isinstance(said, Mapping) and (tombstone := said.get("tombstone")) is not None:
            why = tombstone.get("warning_text") if isinstance(tombstone, Mapping) else None
            return f"the module {name} was removed", str(why) if why else None
    return None


def _followed(name: str, collections: Iterable[Path]) -> Iterator[tuple[str, Home | None]]:
    """The FQCN of a module, and those that it is redirected to, each with where the module would be by it."""
    collections = list(collections)
    for _turn in range(_REDIRECTS):
        if not is_fqcn(name):
            return
        home = home_of(name, collections)
        yield name, home
        name = _redirect(_routed(home.routing).get(home.module)) if home is not None else ""


def _redirect(said: Any) -> str:
    """The name that a module has now; empty if it has none."""
    return str(said.get("redirect") or "") if isinstance(said, Mapping) else ""


def collection_modules(collection: str, collections: Iterable[Path]) -> list[str]:
    """The FQCNs of the modules of a collection."""
    name = f"{collection}.any"
    home = home_of(name, collections) if is_fqcn(name) else None
    if home is None or "." in home.module:
        raise InvalidInput(f"the collection {collection} is not installed", hint=_install(collection))
    return sorted(f"{collection}.{name}" for name in _names(folders["modules"] for folders in home.plugins))


def role_fault(name: str, collections: Iterable[Path], tools: Iterable[str] = ()) -> tuple[str, str | None] | None:
    """That the collection of a role's FQCN is not installed, and a hint; None if it is, or is among the tools."""
    return None if is_installed(name, collections) or comes(name, tools) else _not_installed(name, f"role {name}")


def _not_installed(name: str, what: str) -> tuple[str, str | None]:
    collection = ".".join(name.split(".")[:2])
    return f"the collection {collection} of the {what} is not installed", _install(collection)


def is_installed(name: str, collections: Iterable[Path]) -> bool:
    """Whether the collection of an FQCN is there."""
    return name.startswith((BUILTIN, _LEGACY)) or home_of(name, collections) is not None


@lru_cache(maxsize=64)
def builtin_routes(*kinds: str, file: Path | None = None) -> frozenset[str]:
    """Names of plugins that Ansible redirects to collections, or that it had once; of a collection by its `file`."""
    files = (
        [file] if file is not None else [home / "config" / "ansible_builtin_runtime.yml" for home in ansible_homes()]
    )
    return frozenset(_routed(files, kinds))


def _install(collection: str) -> str:
    return f"install it with `ansible-galaxy collection install {collection}`"


def module_file(name: str, collections: Iterable[Path]) -> Path | None:
    """The file of a module by its FQCN, wherever it has moved to: its source, or its documentation; None if unknown."""
    for _name, home in _followed(name, collections):
        if home is None:
            return None
        for folders in home.plugins:
            path = folders["modules"] / home.module.replace(".", "/")
            for suffix in _SUFFIXES:
                if (file := path.with_name(path.name + suffix)).is_file():
                    return file
    return None


def routes_of(name: str, collections: Iterable[Path]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What collections say of the name of a module: that it is deprecated, was removed, or has moved, and of where to.

    Each FQCN comes with Ansible's own keys: `deprecation`, `tombstone`, `redirect`.
    """
    for at, home in _followed(name, collections):
        said = _routed(home.routing).get(home.module) if home is not None else None
        if not isinstance(said, Mapping):
            return
        yield at, said


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


def _routed(files: Iterable[Path], kinds: Iterable[str] = _KINDS) -> dict[str, Any]:
    """Names that a collection redirects: they are elsewhere, or were renamed."""
    kinds = tuple(kinds)
    names: dict[str, Any] = {}
    for file in files:
        with suppress(OSError):
            state = file.stat()
            routing = _routing(file, (state.st_ino, state.st_mtime_ns, state.st_size))
            for kind in reversed(kinds):
                said = routing.get(kind)
                names.update(said if isinstance(said, Mapping) else {})
    return names


@lru_cache(maxsize=64)  # that of Ansible is large, and asked for the name of each module
def _routing(file: Path, _state: tuple[int, ...]) -> Mapping[str, Any]:
    """What a collection says of its plugins in a file, in one of its states; empty where it says nothing."""
    try:
        data: Any = read_yaml(file).data
    except InvalidInput:
        return {}
    routing = data.get("plugin_routing") if isinstance(data, Mapping) else None
    return routing if isinstance(routing, Mapping) else {}


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
        collections = collection_folders(root)
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
