from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_ensemble.configurators.results import as_values, returned, to_result
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Outcome
from ansible_ensemble.core.sensitive import SensitiveMap, is_sensitive
from ansible_ensemble.instances.status import NodeState, Status

OK = Outcome(ok=True, result={"id": 7})
FAILED = Outcome(ok=False, rc=1, error="exit code 1")


@pytest.mark.parametrize(
    "text,values",
    [
        ("", {}),
        ("hello", {}),
        ('{"port": 80}', {"port": 80}),
        ('text\n{"port": 80}\n', {"port": 80}),
        ('{"port": 80}\ntext', {}),
        ('{\n"a": {"b": 1}\n}\n', {"a": {"b": 1}}),
        ("{not json}", {}),
        ("[1, 2]", {}),
    ],
    ids=["nothing", "text", "json", "last line", "not the last line", "lines", "no json", "a list"],
)
def test_values_of_stdout(text: str, values: dict[str, Any]) -> None:
    assert as_values(text) == {"stdout": text.strip(), **values}


@pytest.mark.parametrize("depth", [101, 900, 100_000])
def test_values_that_are_nested_too_deep_are_refused(depth: int) -> None:
    with pytest.raises(InvalidInput, match="nested deeper than 100"):
        as_values('{"a": ' * depth + "1" + "}" * depth)


def test_values_go_to_outputs_and_declared_attributes(task: Any) -> None:
    one = task(outputs={"id": ["SELF", "id"]}, attributes=frozenset({"url", "id"}))
    values = {"id": 7, "url": "u", "other": 1, "attributes": {"free": 2}, "outputs": {"more": 3}}
    result = to_result(one, OK, values, modified=True)
    assert (result.success, result.modified) == (True, True)
    assert result.outputs == {"id": 7, "more": 3}
    assert result.attributes == {"url": "u", "free": 2}


def test_a_result_template_sees_the_outputs(task: Any) -> None:
    inputs = {
        "outputsTemplate": lambda _: {"more": 3},
        "resultTemplate": lambda variables: {"name": "SELF", "attributes": variables["outputs"]},
    }
    one = task(outputs={"id": [], "missing": []}, inputs=inputs)
    assert to_result(one, OK, {"id": 7, "other": 1}, modified=True).attributes == {"id": 7, "more": 3}


def test_outputs_that_are_read_elsewhere_are_kept_undeclared(task: Any) -> None:
    one = task(attributes=frozenset({"url"}), asked_outputs=frozenset({"url", "port"}))
    result = to_result(one, OK, {"url": "u", "port": 80, "other": 1}, modified=True)
    assert result.outputs == {"url": "u", "port": 80}
    assert result.attributes == {"url": "u"}


def test_status_is_taken_at_its_word(task: Any) -> None:
    assert to_result(task(), OK, {"status": "degraded"}, None).status is Status.DEGRADED
    assert to_result(task(), OK, {"status": 200}, None).status is None
    assert to_result(task(), OK, {"status": "fine"}, None).status is None


@pytest.mark.parametrize(
    "outcome,values,success,status",
    [
        (FAILED, {}, True, Status.ERROR),
        (FAILED, {"status": "absent"}, True, Status.ABSENT),
        (Outcome(ok=False, result={"msg": "no"}), {}, True, Status.ERROR),
        (Outcome(ok=False, rc=127), {}, False, None),
        (Outcome(ok=False, rc=-15), {}, False, None),
        (Outcome(ok=False, timed_out=True), {}, False, None),
        (Outcome(ok=False, unreachable=True), {}, False, None),
        (OK, {}, True, None),
    ],
)
@pytest.mark.parametrize("name", ["check", "discover"])
def test_check_that_ran_has_done_its_work(
    task: Any, name: str, *, outcome: Outcome, values: dict[str, Any], success: bool, status: Status | None
) -> None:
    result = to_result(task(name=name), outcome, values, None)
    assert (result.success, result.status) == (success, status)


def test_template_says_what_a_failed_check_means(task: Any) -> None:
    template = {"readyState": {"local": "absent"}}
    result = to_result(task(name="check", inputs={"resultTemplate": template}), FAILED, {}, None)
    assert (result.success, result.status) == (True, Status.ABSENT)
    done = {"success": False, "status": "unknown"}
    result = to_result(task(name="check", inputs={"done": done}), FAILED, {}, None)
    assert (result.success, result.status) == (False, Status.UNKNOWN)


def test_template_says_the_state_that_was_reached(task: Any) -> None:
    template = {"readyState": {"local": "ok", "state": "started"}}
    result = to_result(task(inputs={"resultTemplate": template}), OK, {}, None)
    assert (result.status, result.state) == (Status.OK, NodeState.STARTED)


def test_templates_see_what_the_tool_returned(task: Any) -> None:
    seen: dict[str, Any] = {}
    inputs = {"outputsTemplate": lambda variables: seen.update(variables) or {"made": variables["result"]["id"]}}
    outcome = Outcome(ok=False, rc=3, stdout="out", stderr="err", result={"id": 7})
    result = to_result(task(inputs=inputs), outcome, {"port": 80}, None)
    assert result.outputs == {"made": 7}
    assert seen == {
        "cmd": None,
        "returncode": 3,
        "error": None,
        "timeout": None,
        "port": 80,
        "result": {"id": 7, "cmd": None, "stdout": "out", "returncode": 3},
        "success": False,
        "stdout": "out",
        "stderr": "err",
    }


@pytest.mark.parametrize(
    "done,success,modified",
    [
        ({}, True, None),
        (None, True, None),
        ({"success": False}, False, None),
        ({"success": "false", "modified": "True"}, False, True),
        ({"modified": False}, True, False),
        ({"success": None}, True, None),
    ],
)
def test_done(task: Any, done: Any, success: bool, modified: bool | None) -> None:
    result = to_result(task(inputs={"done": done}), OK, {}, None)
    assert (result.success, result.modified) == (success, modified)


def test_done_gives_status_and_outputs(task: Any) -> None:
    result = to_result(
        task(inputs={"done": {"status": "degraded", "outputs": {"a": 1}}}), OK, {"outputs": {"b": 2}}, None
    )
    assert (result.status, result.outputs) == (Status.DEGRADED, {"a": 1, "b": 2})


ITEMS = {
    "own": ({"attributes": {"url": "u"}}, [], {"url": "u"}),
    "own with a status": ({"name": "SELF", "readyState": "degraded"}, [], {}),
    "own protected": ({"protected": True}, [{"name": "SELF", "protected": True}], {}),
    "new": (
        {"name": "db", "template": "Db", "parent": "SELF"},
        [{"name": "db", "template": "Db", "parent": "SELF"}],
        {},
    ),
    "nulls are left out": ({"name": "db", "template": None}, [{"name": "db"}], {}),
    "a status in a word": ({"name": "db", "readyState": "ok"}, [{"name": "db", "readyState": {"local": "ok"}}], {}),
    "list": ([{"name": "a"}, {"name": "b"}], [{"name": "a"}, {"name": "b"}], {}),
    "yaml": ("- name: a\n  attributes: {port: 80}\n", [{"name": "a", "attributes": {"port": 80}}], {}),
    "json": (json.dumps([{"name": "a"}]), [{"name": "a"}], {}),
    "nothing": (None, [], {}),
    "no text": ("  \n", [], {}),
    "no items": ([], [], {}),
}


@pytest.mark.parametrize("template,instances,attributes", ITEMS.values(), ids=ITEMS)
def test_result_template(task: Any, template: Any, instances: list[Any], attributes: dict[str, Any]) -> None:
    result = to_result(task(inputs={"resultTemplate": template}), OK, {}, modified=False)
    assert result.success, result.error
    assert result.instances == instances
    assert result.attributes == attributes


BAD = {
    "resultTemplate must give maps": {"resultTemplate": ["db"]},
    "resultTemplate must give maps, not 5": {"resultTemplate": [5]},
    'template must be text, not {"type": "T"}'.replace('"', "'"): {
        "resultTemplate": {"name": "x", "template": {"type": "T"}}
    },
    "declare a node template, and name it": {"resultTemplate": {"name": "x", "template": {"type": "T"}}},
    'unknown key "state"': {"resultTemplate": {"name": "x", "state": "started"}},
    'there is no "fine"': {"resultTemplate": {"name": "x", "readyState": {"local": "fine"}}},
    'there is no "up"': {"resultTemplate": {"name": "x", "readyState": {"state": "up"}}},
    'there is no "high"': {"resultTemplate": {"name": "x", "priority": "high"}},
    "attributes must be a map": {"resultTemplate": {"attributes": "a"}},
    "protected must be true or false": {"resultTemplate": {"name": "x", "protected": "yes"}},
    "done must give a map, not 'yes'": {"done": "yes"},
    'done: there is no status "fine"': {"done": {"status": "fine"}},
    "outputs of done must give a map": {"done": {"outputs": [1]}},
    "outputsTemplate must give a map": {"outputsTemplate": [1]},
    "resultTemplate:1": {"resultTemplate": "{a"},
}


@pytest.mark.parametrize("words", BAD)
def test_bad_template_fails_an_operation_that_has_run(task: Any, words: str) -> None:
    result = to_result(task(inputs=BAD[words]), OK, {}, modified=False)
    assert not result.success
    assert words in (result.error or "")
    assert result.modified is None, "it may have modified its instance"


def test_error_of_a_template_is_the_operations(task: Any) -> None:
    def fail(_: Any) -> None:
        raise InvalidInput("no such variable")

    outcome = Outcome(ok=True, changed=False)
    result = to_result(task(inputs={"resultTemplate": fail}), outcome, {}, modified=False)
    assert (result.success, result.modified, result.error) == (False, False, "no such variable")


def test_what_may_not_be_shown_is_sensitive() -> None:
    outcome = Outcome(ok=True, result={"censored": "no_log"}, hidden=SensitiveMap(token="abcdef", changed=True))
    values = returned(outcome)
    assert values == {"token": "abcdef", "changed": True}
    assert is_sensitive(values["token"])
    assert returned(OK) == {"id": 7}


def test_a_result_of_done_is_seen_by_the_template(task: Any) -> None:
    inputs = {
        "done": {"result": {"a": 1}, "success": False},
        "resultTemplate": lambda variables: {
            "name": ".self",
            "attributes": {"x": variables["a"], "ok": variables["success"]},
        },
    }
    result = to_result(task(inputs=inputs), OK, {}, None)
    assert result.attributes == {"x": 1, "ok": False}
    assert result.instances == []


def test_a_result_of_done_is_a_map(task: Any) -> None:
    result = to_result(task(inputs={"done": {"result": 5}}), OK, {}, None)
    assert not result.success
    assert "result of done must give a map, not 5" in (result.error or "")


def test_what_a_tool_returned_goes_before_what_the_job_knows(task: Any) -> None:
    template = {
        "resultTemplate": lambda variables: {"attributes": {"x": [variables["error"], variables["returncode"]]}}
    }
    assert to_result(task(inputs=template), FAILED, {"error": "mine"}, None).attributes == {"x": ["mine", 1]}


def test_a_play_that_hides_some_of_its_facts_returns_all() -> None:
    result = {"facts": {"open": "one"}, "stats": {"sum": 3, "key": "********"}, "tasks": [{"name": "a"}]}
    hidden = SensitiveMap(facts={"shut": "two two"}, stats={"sum": 3, "key": "abcdef"})
    found = returned(Outcome(ok=True, result=result, hidden=hidden))
    assert found == {**result, "facts": {"open": "one", "shut": "two two"}, "stats": {"sum": 3, "key": "abcdef"}}
    assert [name for one in ("facts", "stats") for name, value in found[one].items() if is_sensitive(value)] == [
        "shut",
        "key",
    ]


@pytest.mark.parametrize("name", ["attributes", "outputs"])
def test_values_of_a_sensitive_map_stay_sensitive(task: Any, name: str) -> None:
    found = getattr(to_result(task(), OK, {name: SensitiveMap(key="abcdef")}, modified=True), name)
    assert found == {"key": "abcdef"}
    assert is_sensitive(found["key"])
