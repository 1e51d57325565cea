"""The files of a project that a module copies or renders: change one, and what was made of it is out of date."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.locations import BUILTIN

_TEMPLATE = f"{BUILTIN}template"
#: Modules that take `src` from the controller -> the folder in which Ansible looks for it first.
_FOLDERS = {f"{BUILTIN}copy": "files", _TEMPLATE: "templates", f"{BUILTIN}unarchive": "files"}


def sent_file(module: str, args: Mapping[str, Any], base: Path) -> Path | None:
    """The file or folder that a module by its FQCN takes from the controller; None if it takes none that is there."""
    source = args.get("src")
    if module not in _FOLDERS or not isinstance(source, str) or not source or args.get("remote_src"):
        return None
    found = (folder / source for folder in (base / _FOLDERS[module], base))
    return next((path for path in found if path.exists()), None)


class _Any(dict[str, Any]):
    """Filters or tests of any name: those that Ansible and collections have are not looked up."""

    def get(self, _name: str, _default: Any = None) -> Any:
        """A stand-in."""
        return str


def names_in_template(module: str, file: Path) -> frozenset[str]:
    """The variables that a file names which a module renders; none of one that is copied as it is, or no template."""
    if module != _TEMPLATE or not file.is_file():
        return frozenset()
    return _names_in(file, file.stat().st_mtime_ns)


@functools.lru_cache(maxsize=1024)
def _names_in(file: Path, _changed: int) -> frozenset[str]:
    from jinja2 import Environment, TemplateError, meta

    environment = Environment()
    environment.filters = environment.tests = _Any()
    try:
        return frozenset(meta.find_undeclared_variables(environment.parse(file.read_text(encoding="utf-8"))))
    except (TemplateError, OSError, ValueError):
        return frozenset()  # it fails, or has a syntax of its own
