from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.configurators.module_spec import ModuleSpec, Option
from ansible_ensemble.configurators.teardown import TABLE, Way, leaves, removal_of, way_of

STATES = ModuleSpec({"state": Option(choices=("present", "absent")), "name": Option()})
PLAIN = ModuleSpec({"name": Option()})


@pytest.mark.parametrize(
    ("module", "spec", "args", "kept", "more"),
    [
        ("copy", PLAIN, {"dest": "/a", "src": "x"}, {"dest": "path"}, {"state": "absent"}),
        ("ansible.builtin.git", PLAIN, {"dest": "/a", "repo": "x"}, {"dest": "path"}, {"state": "absent"}),
        ("file", STATES, {"path": "/a", "state": "directory", "recurse": True}, {"path": "path"}, {"state": "absent"}),
        (
            "lineinfile",
            STATES,
            {"path": "/a", "line": "b", "regexp": "c", "insertafter": "EOF"},
            {"path": "path", "line": "line"},
            {"state": "absent"},
        ),
        (
            "lineinfile",
            STATES,
            {"path": "/a", "regexp": "c"},
            {"path": "path", "regexp": "regexp"},
            {"state": "absent"},
        ),
        ("service", PLAIN, {"name": "x", "enabled": True}, {"name": "name"}, {}),
        ("apt", STATES, {"name": ["x"], "update_cache": True}, {"name": "name"}, {"state": "absent"}),
        ("replace", PLAIN, {"path": "/a", "regexp": "b", "backup": True}, {"path": "path"}, {"state": "absent"}),
    ],
)
def test_what_takes_it_away(module: str, spec: ModuleSpec, args: Any, kept: Any, more: Any) -> None:
    found = removal_of(module, spec, args)
    assert not isinstance(found, str)
    assert (found.kept, found.more) == (kept, more)


@pytest.mark.parametrize(
    ("module", "spec", "args", "why"),
    [
        ("file", STATES, {"path": "/a", "state": "absent"}, "it takes something away"),
        ("command", PLAIN, {"cmd": "x"}, "its module has no state absent"),
        ("replace", PLAIN, {"path": "/a"}, "replace keeps nothing of what it replaces: its backup is not asked for"),
        (
            "lineinfile",
            STATES,
            {"path": "/a", "line": "b", "backrefs": True},
            "the line that it makes of a match is not",
        ),
    ],
)
def test_what_nothing_takes_away(module: str, spec: ModuleSpec, args: Any, why: str) -> None:
    found = removal_of(module, spec, args)
    assert isinstance(found, str) and found.startswith(why)


@pytest.mark.parametrize(
    ("module", "args", "can_delete", "told"),
    [
        ("copy", {"dest": "/a"}, True, ""),
        ("debug", {}, False, ""),
        ("command", {"cmd": "x"}, False, "what command does stays: nothing takes it away"),
        ("file", {"path": "/a", "state": "absent"}, False, "what it takes away is not restored"),
        ("lineinfile", {"regexp": "a", "line": "b"}, True, "a line that it replaces is not restored"),
        ("lineinfile", {"regexp": "a", "line": "b", "backup": True}, True, ""),
        ("apt", {"name": "nginx"}, True, "what came with them; their configuration"),
        ("user", {"name": "ada"}, True, "its home, without remove"),
        ("user", {"name": "ada", "remove": True}, True, ""),
        ("cron", {"name": "job"}, True, "the crontab, without a job"),
    ],
)
def test_a_plan_says_what_will_stay(module: str, args: Any, can_delete: bool, told: str) -> None:
    found = leaves(module, args, can_delete=can_delete)
    assert found.startswith(told) and bool(found) == bool(told)


def test_modules_are_known_by_short_and_full_names() -> None:
    assert way_of("template", {}) is way_of("ansible.builtin.template", {}) is Way.FILES
    assert way_of("ansible.builtin.user", {}) is Way.STATE
    assert all("." in name for name in TABLE)
