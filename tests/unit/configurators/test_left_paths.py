"""What the last of several writers left is recorded, and compared by checks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.module import ModuleConfigurator
from ansible_ensemble.configurators.play import PlayConfigurator
from ansible_ensemble.configurators.protocol import Basis, Note
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


BOTH = {"/current/a": "/srv/a", "/old/b": "/srv/b"}


def seen(path: str, real: str) -> Outcome:
    return Outcome(ok=True, changed=True, result={"stdout": f"{path}\n{path}\n1 2\n//{real}"})


@pytest.mark.parametrize(
    ("known", "found", "noted"),
    [
        ({}, {"/current/a": "/srv/a"}, {"/current/a": "/srv/a"}),
        ({}, {"/current/a": "/current/a"}, None),
        ({"/current/a": "/srv/a"}, {"/current/a": "/srv/a"}, None),
        ({"/current/a": "/srv/a"}, {"/current/a": "/current/a"}, {}),
        (
            {"/old/b": "/srv/b"},
            {"/current/a": "/srv/a", "/old/b": "/srv/b"},
            {"/current/a": "/srv/a", "/old/b": "/srv/b"},
        ),
    ],
    ids=["a link", "no link", "the same link", "a link no more", "another link"],
)
def test_where_links_lead_what_tasks_write_is_noted(
    task: Callable[..., FakeTask], tmp_path: Path, known: dict[str, str], found: dict[str, str], noted: Any
) -> None:
    (tmp_path / "some.yml").write_text("[]")
    made = task({"primary": "some.yml"}, name="configure", followed=("/current/a",), made={"leads": known})
    looks = [seen(path, real) for path, real in found.items()]
    answers = [Outcome(ok=True, changed=True), *looks, *([None] if noted is not None else [])]
    configurator = PlayConfigurator("tasks", str(tmp_path / "some.yml"))
    _result, orders = carry_out(configurator, made, *answers)
    assert [one.made["leads"] for one in orders if isinstance(one, Note)] == ([noted] if noted is not None else [])


def test_links_are_not_followed_where_nothing_is_made(task: Callable[..., FakeTask], tmp_path: Path) -> None:
    (tmp_path / "some.yml").write_text("[]")
    configurator = PlayConfigurator("tasks", str(tmp_path / "some.yml"))
    for given, outcome in (({"check": True}, Outcome(ok=True, changed=True)), ({}, Outcome(ok=False, error="no"))):
        made = task({"primary": "some.yml"}, name="configure", followed=("/current/a",), **given)
        assert len(carry_out(configurator, made, outcome)[1]) == 1
