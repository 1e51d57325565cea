"""What the last of several writers left is recorded, and compared by checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_ensemble.configurators.module import ModuleConfigurator
from ansible_ensemble.configurators.protocol import Basis
from ansible_ensemble.core.orders import Outcome
from ansible_ensemble.core.written_path import WrittenPath
from ansible_ensemble.instances.status import Status

from .conftest import FakeTask, carry_out

FILE = {"exists": True, "isreg": True, "mode": "0600", "pw_name": "web", "gr_name": "web", "checksum": "abc"}
LEFT = {"kind": "a file", "mode": "0600", "owner": "web", "group": "web", "digest": "abc"}
CHECKED = {"primary": "ansible.builtin.lineinfile", "check_mode": True}
LINE = {"path": "/srv/a", "line": "a"}
PATHS = (WrittenPath("/srv/a"),)


def stat(**more: Any) -> Outcome:
    return Outcome(ok=True, changed=False, result={"stat": {**FILE, **more}})


def test_what_is_left_is_recorded(task: Callable[..., FakeTask]) -> None:
    made = task("ansible.builtin.lineinfile", inputs=LINE, name="configure", paths=PATHS)
    done = Outcome(ok=True, changed=True)
    result, (_call, looked) = carry_out(ModuleConfigurator("ansible.builtin.lineinfile"), made, done, stat())
    assert result.attributes["written"] == {"/srv/a": LEFT}
    assert (looked.module, looked.args["path"], looked.check) == ("ansible.builtin.stat", "/srv/a", False)


def test_nothing_is_recorded_of_what_failed(task: Callable[..., FakeTask]) -> None:
    made = task("ansible.builtin.lineinfile", inputs=LINE, name="configure", paths=PATHS)
    result, orders = carry_out(ModuleConfigurator("ansible.builtin.lineinfile"), made, Outcome(ok=False, error="no"))
    assert not result.success and len(orders) == 1
    assert "written" not in result.attributes


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({}, None),
        ({"checksum": "abd"}, "its content"),
        ({"mode": "0644", "pw_name": "root"}, "mode 0600 -> 0644, owner web -> root"),
        ({"exists": False}, "a file -> nothing"),
        ({"isreg": False, "isdir": True}, "a file -> a folder"),
    ],
    ids=["the same", "content", "rights", "gone", "a folder"],
)
def test_a_check_compares(task: Callable[..., FakeTask], found: dict[str, Any], told: str | None) -> None:
    made = task(CHECKED, inputs=LINE, name="check", paths=PATHS, written={"/srv/a": LEFT})
    dry = Outcome(ok=True, changed=False)
    result, _orders = carry_out(ModuleConfigurator("ansible.builtin.lineinfile"), made, dry, stat(**found))
    assert result.status == (Status.DRIFTED if told else None)
    assert result.error == (f"not as it was left: /srv/a ({told})" if told else None)
    assert "written" not in result.attributes, "what was left stays recorded"


def test_one_that_is_overwritten_is_not_run(task: Callable[..., FakeTask]) -> None:
    made = task(CHECKED, inputs=LINE, name="check", paths=PATHS, overwritten=("/srv/b",), written={"/srv/a": LEFT})
    result, (looked,) = carry_out(ModuleConfigurator("ansible.builtin.lineinfile"), made, stat())
    assert looked.module == "ansible.builtin.stat"
    assert (result.success, result.basis, result.error) == (True, Basis.REAL, None)
    made.written = {}
    result, _orders = carry_out(ModuleConfigurator("ansible.builtin.lineinfile"), made, stat())
    assert result.basis is Basis.NOT_RUN, "nothing is known to compare with"
