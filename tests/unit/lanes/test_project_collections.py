"""Collections of a project, which turn up while a job runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ansible_ensemble.lanes.project_collections import ProjectCollections

#: In a process of its own, as it changes what that imports.
SCRIPT = """\
import importlib, sys
from pathlib import Path
from ansible.plugins.loader import init_plugin_loader
from ansible_ensemble.lanes.project_collections import ProjectCollections

first, root = map(Path, sys.argv[1:])
init_plugin_loader([str(first)])
importlib.import_module("ansible_collections.acme.old")
collections = ProjectCollections(root)
print(collections.renew())
(root / "collections/ansible_collections/acme/tools").mkdir(parents=True)
print(collections.renew(), collections.renew())
print(importlib.import_module("ansible_collections.acme.tools").__path__[0])
"""


def test_one_of_a_namespace_that_was_imported_is_found(tmp_path: Path) -> None:
    (tmp_path / "first/ansible_collections/acme/old").mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, tmp_path / "first", tmp_path], capture_output=True, text=True, check=False
    )
    found = tmp_path / "collections/ansible_collections/acme/tools"
    assert done.stdout.splitlines() == ["False", "True False", str(found)], done.stderr


def test_without_a_project_there_are_none() -> None:
    assert not ProjectCollections(None).renew()
