"""The collections of a project, in its folder `collections`: operations may add some while a job runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import reload
from pathlib import Path

_PACKAGE = "ansible_collections"


class ProjectCollections:
    """Has Ansible find the collections of a project before all others, as it does those beside a playbook.

    Args:
        root: the project's folder; None has none.
    """

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._seen: list[tuple[str, int]] | None = None

    def renew(self) -> bool:
        """Have Ansible look there anew if a collection has come or gone since; whether that is so."""
        seen = list(self._stamps())
        if self._root is None or seen == (self._seen or []):
            return False
        self._seen = seen
        _look_in(self._root)
        return True

    def _stamps(self) -> Iterator[tuple[str, int]]:
        """The folders that hold collections by namespace, and when they changed."""
        home = self._root / "collections" / _PACKAGE if self._root is not None else None
        if home is None or not home.is_dir():
            return
        for folder in (home, *sorted(home.iterdir())):
            if folder.is_dir():
                yield folder.name, folder.stat().st_mtime_ns


def _look_in(root: Path) -> None:
    """Have this process import collections from a project as well."""
    from ansible.utils.collection_loader import AnsibleCollectionConfig

    known = [str(Path(path).parent) for path in AnsibleCollectionConfig.playbook_paths]
    AnsibleCollectionConfig.playbook_paths = [*dict.fromkeys([str(root), *known])]
    for name, package in list(sys.modules.items()):
        # a namespace keeps the folders that it had when it was imported
        if name.startswith(f"{_PACKAGE}.") and name.count(".") == 1 and name != f"{_PACKAGE}.ansible":
            reload(package)
