"""How the package is come by from the collection."""

from __future__ import annotations

import subprocess
import sys

LOADED = """
import atexit, gc, sys
atexit.register(lambda: print(gc.get_freeze_count() > 0))  # the first to register is the last to be called
from ansible.plugins.loader import action_loader, init_plugin_loader
init_plugin_loader()
assert action_loader.get("tosca.ensemble.record", class_only=True) is not None
print("ansible_ensemble.jobs.ansible" in sys.modules, gc.get_freeze_count() > 0)
"""


def test_the_process_that_loads_an_action_hands_the_package_on_and_ends_at_once() -> None:
    found = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert found.stdout == "True True\nTrue\n"
