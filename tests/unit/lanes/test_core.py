"""What is looked at before an internal of ansible-core is used."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_ensemble.core.orders import ModuleCall
from ansible_ensemble.lanes import core, core_fast, core_plays


def test_this_core_is_known() -> None:
    assert core.task_shape() in ("ambient", "explicit")
    assert core_fast.known_shape()
    assert core_plays.known_strategy()


def test_another_task_executor_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    class TaskExecutor:
        def __init__(self, host: Any, something_else: Any) -> None: ...

    monkeypatch.setattr("ansible.executor.task_executor.TaskExecutor", TaskExecutor)
    assert core.task_shape() is None
    assert not core_plays.known_strategy()


def test_another_execute_module_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    from ansible.plugins.action import ActionBase

    def other(self: Any, module: str) -> None: ...

    monkeypatch.setattr(ActionBase, "_execute_module", other)
    assert not core_fast.known_shape()
    assert not core_fast.FastLane(None, frozenset()).install()  # type: ignore[arg-type]
    assert ActionBase._execute_module is other


@pytest.mark.parametrize(
    ("module", "needs"),
    [
        ("ansible.builtin.include_role", True),
        ("include_tasks", True),
        ("ansible.legacy.meta", True),
        ("ansible.builtin.set_fact", False),
        ("my.own.include_role", False),
    ],
)
def test_needs_play(module: str, needs: bool) -> None:
    assert core.needs_play(module) is needs


def test_task_data() -> None:
    from ansible.template import is_trusted_as_template

    keywords = {"until": "x is done", "environment": {"A": "{{ b }}"}, "failed_when": ["a", False]}
    data = core.task_data(ModuleCall("a.b.c", {"x": "{{ y }}"}, keywords=keywords, check=True))
    assert (data["check_mode"], data["diff"], data["a.b.c"]) == (True, False, {"x": "{{ y }}"})
    assert is_trusted_as_template(data["until"])
    assert is_trusted_as_template(data["failed_when"][0])
    assert not is_trusted_as_template(data["environment"]["A"])
    assert not is_trusted_as_template(data["a.b.c"]["x"])
    assert "check_mode" not in core.task_data(ModuleCall("a.b.c"), modes=False)


NEW = "from ansible.module_utils.basic import AnsibleModule\nAnsibleModule(argument_spec={})\n"


@pytest.mark.parametrize(
    ("source", "suits"),
    [
        (NEW, True),
        ("#!/usr/bin/python\n" + NEW, True),
        ("from ..module_utils.own import AnsibleThing\nfrom ansible.module_utils.basic import *\n", False),
        ("#!/usr/bin/python3\n" + NEW, False),
        ("#!/usr/bin/python -tt\n" + NEW, False),
        ("#!/usr/bin/env python\n" + NEW, False),
        (NEW + "respawn_module('x')\n", False),
        ("# WANT_JSON\nAnsibleModule()\n", False),
        ("print('{}')\n", False),
    ],
)
def test_suitable_modules(tmp_path: Path, source: str, suits: bool) -> None:
    path = tmp_path / "thing.py"
    path.write_text(source)
    found = SimpleNamespace(
        resolved=True,
        plugin_resolved_path=str(path),
        plugin_resolved_name="ansible_collections.some.where.plugins.modules.thing",
    )
    module = core_fast.suitable(found, frozenset())
    assert (module is not None) is suits
    assert core_fast.suitable(found, frozenset({"some.where.thing"})) is None


def test_unsuitable_finds() -> None:
    nothing = SimpleNamespace(resolved=False, plugin_resolved_path=None, plugin_resolved_name=None)
    binary = SimpleNamespace(resolved=True, plugin_resolved_path="/x/tool", plugin_resolved_name="a.b.tool")
    assert core_fast.suitable(nothing, frozenset()) is None
    assert core_fast.suitable(binary, frozenset()) is None


@pytest.mark.parametrize(
    ("resolved", "path", "names"),
    [
        ("ansible_collections.a.b.plugins.modules.c", "/c.py", ("a.b.c", "ansible_collections.a.b.plugins.modules.c")),
        (
            "ansible_collections.a.b.plugins.modules.d.c",
            "/c.py",
            ("a.b.d.c", "ansible_collections.a.b.plugins.modules.d.c"),
        ),
        ("a.b.c", "/c.py", ("a.b.c", "ansible_collections.a.b.plugins.modules.c")),
        ("c", "/library/c.py", ("c", None)),
        ("ansible.legacy.c", "/library/c.py", ("ansible.legacy.c", None)),
        ("ansible_collections.a.b.plugins.action.c", "/c.py", ("ansible_collections.a.b.plugins.action.c", None)),
    ],
)
def test_python_names(resolved: str, path: str, names: tuple[str, str | None]) -> None:
    assert core_fast.python_name(resolved, path) == names


def test_python_name_of_a_module_of_core() -> None:
    import ansible.modules.ping

    found = core_fast.python_name("ansible.legacy.ping", str(ansible.modules.ping.__file__))
    assert found == ("ansible.builtin.ping", "ansible.modules.ping")


def test_plain_displays() -> None:
    from ansible.module_utils._internal._messages import Event, WarningSummary

    warning = core.plain_display("_warning", (WarningSummary(event=Event(msg="careful")),), {})
    assert warning[0] == "display"
    assert warning[1] == ["[WARNING]: careful\n"] or warning[1] == ["[WARNING]: careful"]
    assert core.plain_display("_verbose_display", ("x",), {"host": None, "caplevel": 2}) == (
        "verbose",
        ["x"],
        {"host": None, "caplevel": 2},
    )
    assert core.plain_display("display", (Path("/a"),), {}) == ("display", ["/a"], {})


@pytest.mark.parametrize(
    ("shown", "real", "hidden"),
    [
        ({"a": 1}, {"a": 1}, False),
        ({"censored": "x"}, {"a": 1}, True),
        ({"a": "<redacted>"}, {"a": "secret"}, True),
        ({"results": [{"a": 1}]}, {"results": [{"a": 1, "failed": False}]}, False),
        ({"results": [{"censored": "x"}]}, {"results": [{"a": 1}]}, True),
        ({"a": float("nan")}, {"a": float("nan")}, False),
        ({"a": [{"b": float("nan")}]}, {"a": [{"b": float("nan")}]}, False),
        ({"a": float("nan")}, {"a": 1.0}, True),
        ({"a": [1, "x"]}, {"a": [1, "s3cret"]}, True),
        ({"a": [1]}, {"a": [1, 2]}, True),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, True),
    ],
)
def test_is_hidden(shown: dict[str, Any], real: dict[str, Any], hidden: bool) -> None:
    assert core.is_hidden(shown, real) is hidden


@pytest.mark.parametrize(
    ("result", "no_log", "shown", "hidden"),
    [
        ({"failed": False, "a": 1, "_ansible_verbose_always": True}, False, {"failed": False, "a": 1}, None),
        ({"changed": True, "a": 1}, True, {"changed": True}, {"changed": True, "a": 1}),
        ({"results": [{"a": 1, "_ansible_no_log": True}]}, False, None, {"results": [{"a": 1}]}),
    ],
)
def test_a_result_as_callbacks_see_it_and_as_it_is(
    result: dict[str, Any], no_log: bool, shown: dict[str, Any] | None, hidden: dict[str, Any] | None
) -> None:
    from ansible.playbook.task import Task

    if core.task_shape() != "mapping":
        pytest.skip("this core has other results")
    task = Task.load({"ansible.builtin.ping": {}, "no_log": no_log, **({"loop": [1]} if "results" in result else {})})
    found = core._plain_mapping(None, task, result)
    assert found.hidden == hidden
    assert shown is None or {key: found.shown.get(key) for key in shown} == shown


def test_errors_in_words() -> None:
    from ansible.errors import AnsibleError

    assert core.describe(AnsibleError("plain")) == "plain"
    try:
        raise ValueError("odd")
    except ValueError as error:
        assert core.describe(error).startswith("ValueError: odd (at ")
