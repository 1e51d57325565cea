"""Filters and tests on results; what they are given is documented."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from tests.unit.plugins.test_documentation import collection, load

__all__ = ["collection"]

PLUGINS = [
    *(("filter", name) for name in ("ensemble_outputs", "ensemble_instance", "ensemble_operations")),
    *(("test", name) for name in ("ensemble_ok", "ensemble_drifted")),
]
OPERATIONS = [
    {"instance": "app", "host": "web1", "status": "ok", "changed": True},
    {"instance": "app", "host": "web1", "status": "error", "changed": None},
    {"instance": "db", "host": "localhost", "status": "ok", "changed": False},
]
DRIFT = [{"instance": "app", "changes": [{"name": "url"}]}, {"instance": "db", "changes": []}]
JOB = {"job": {"success": True}, "outputs": {"url": "http://a"}, "operations": OPERATIONS, "drift": DRIFT}
INFO = {"status": "degraded", "instances": [{"name": "app", "status": "ok"}], "drift": {"instances": DRIFT}}


def plugin(repository: Path, kind: str, name: str) -> Any:
    module = load(repository / "plugins" / kind / f"{name}.py")
    found = module.FilterModule().filters() if kind == "filter" else module.TestModule().tests()
    assert set(found) == {name}
    return found[name]


@pytest.mark.parametrize(
    ("name", "value", "arguments", "expected"),
    [
        ("ensemble_outputs", JOB, {}, {"url": "http://a"}),
        ("ensemble_outputs", JOB, {"name": "url"}, "http://a"),
        ("ensemble_instance", INFO, {"name": "app"}, {"name": "app", "status": "ok"}),
        ("ensemble_operations", JOB, {}, OPERATIONS),
        ("ensemble_operations", JOB, {"instance": "db"}, OPERATIONS[2:]),
        ("ensemble_operations", JOB, {"host": "web1", "status": "ok"}, OPERATIONS[:1]),
        ("ensemble_operations", JOB, {"changed": True}, OPERATIONS[:1]),
        ("ensemble_operations", JOB, {"changed": False}, OPERATIONS[1:]),
    ],
)
def test_a_filter(repository: Path, name: str, value: Any, arguments: dict[str, Any], expected: Any) -> None:
    assert plugin(repository, "filter", name)(value, **arguments) == expected


@pytest.mark.parametrize(
    ("name", "value", "arguments", "expected"),
    [
        ("ensemble_ok", "ok", {}, True),
        ("ensemble_ok", "degraded", {}, False),
        ("ensemble_ok", JOB, {}, True),
        ("ensemble_ok", {"job": {"success": False}}, {}, False),
        ("ensemble_ok", {**JOB, "failed": True}, {}, False),
        ("ensemble_ok", INFO, {}, False),
        ("ensemble_ok", INFO["instances"][0], {}, True),
        ("ensemble_ok", OPERATIONS[1], {}, False),
        ("ensemble_drifted", JOB, {}, True),
        ("ensemble_drifted", INFO, {"instance": "app"}, True),
        ("ensemble_drifted", INFO, {"instance": "db"}, False),
        ("ensemble_drifted", {"drift": None}, {}, False),
    ],
)
def test_a_test(repository: Path, name: str, value: Any, arguments: dict[str, Any], expected: bool) -> None:
    assert plugin(repository, "test", name)(value, **arguments) is expected


@pytest.mark.parametrize(
    ("one", "value", "arguments", "message"),
    [
        (("filter", "ensemble_outputs"), {}, {}, "there is no outputs in this value: give ensemble_job"),
        (("filter", "ensemble_outputs"), "x", {}, "there is no outputs"),
        (("filter", "ensemble_outputs"), JOB, {"name": "uri"}, r"there is no output uri \(did you mean url"),
        (("filter", "ensemble_instance"), INFO, {"name": "x"}, "there is no instance x$"),
        (("test", "ensemble_ok"), 7, {}, "there is no status"),
        (("test", "ensemble_drifted"), {"drift_": 1}, {}, "there is no drift"),
    ],
)
def test_what_is_no_such_result_is_named(
    repository: Path, one: tuple[str, str], value: Any, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(AnsibleFilterError, match=message):
        plugin(repository, *one)(value, **arguments)


@pytest.mark.parametrize(("kind", "name"), PLUGINS)
def test_what_it_is_given_is_documented(repository: Path, kind: str, name: str) -> None:
    options = yaml.safe_load(load(repository / "plugins" / kind / f"{name}.py").DOCUMENTATION)["options"]
    parameters = list(inspect.signature(plugin(repository, kind, name)).parameters)[1:]
    assert list(options) == ["_input", *parameters]
    assert {path.stem for path in (repository / "plugins" / kind).glob("*.py")} == {
        one for other, one in PLUGINS if other == kind
    }
