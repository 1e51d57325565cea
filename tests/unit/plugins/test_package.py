"""How the package is come by from the collection."""

from __future__ import annotations

import subprocess
import sys

LOADED = """
import sys
from ansible.plugins.loader import action_loader, init_plugin_loader
init_plugin_loader()
assert action_loader.get("tosca.ensemble.record", class_only=True) is not None
print("ansible_ensemble.jobs.ansible" in sys.modules)
"""


def test_workers_inherit_the_package_from_the_process_that_loads_an_action() -> None:
    found = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert found.stdout == "True\n"
