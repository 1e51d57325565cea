"""Results of tasks become outcomes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_ensemble.core.orders import Outcome
from ansible_ensemble.core.sensitive import SensitiveMap
from ansible_ensemble.lanes import outcomes


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({}, {"ok": True, "changed": None, "rc": None, "error": None}),
        ({"changed": True, "rc": 0, "stdout": "a"}, {"ok": True, "changed": True, "rc": 0, "stdout": "a"}),
        ({"failed": True, "msg": "no"}, {"ok": False, "error": "no"}),
        ({"unreachable": True, "msg": "away"}, {"ok": False, "unreachable": True, "error": "away"}),
        ({"failed": True, "msg": "t", "timedout": {"period": 1}}, {"ok": False, "timed_out": True}),
        ({"rc": True}, {"rc": None}),
        ({"stdout": None, "stderr": 1}, {"stdout": "", "stderr": "1"}),
    ],
)
def test_outcome_of_task(result: dict[str, Any], expected: dict[str, Any]) -> None:
    outcome = outcomes.outcome_of_task(result, None, "fast")
    assert {key: getattr(outcome, key) for key in expected} == expected
    assert (outcome.result, outcome.hidden, outcome.lane) == (result, {}, "fast")


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ({}, "the task failed and gave no message"),
        ({"msg": "no"}, "no"),
        ({"reason": "the role 'web' was not found"}, "the role 'web' was not found"),
        ({"msg": "no", "stderr": "why\n"}, "no: why"),
        ({"msg": "no, why", "stderr": "why"}, "no, why"),
        ({"stderr": "why"}, "why"),
        ({"msg": "no", "rc": 1, "stdout": "one\ntwo\n"}, "no: one\ntwo"),
        ({"msg": "no", "rc": 1, "stdout": "\n".join("0123456789abc")}, "no: " + "\n".join("56789abc")),
        ({"msg": "no", "rc": 1, "stdout": "one", "stderr": "why"}, "no: why"),
        ({"msg": "no", "rc": 0, "stdout": "one"}, "no"),
        ({"module_stderr": "trace"}, "trace"),
        ({"msg": ["a", 1]}, "['a', 1]"),
        ({"msg": "Unknown error.", "message": "no vault"}, "Unknown error. no vault"),
        ({"msg": "All items", "results": [{"msg": "fine"}, {"failed": True, "msg": "bad"}]}, "bad"),
        ({"results": [{"failed": True, "msg": "bad", "ansible_loop_var": "one", "one": 3}]}, "(item=3) bad"),
        ({"msg": "All items", "results": [{"unreachable": True, "msg": "away"}]}, "away"),
        ({"msg": "text", "results": "no list"}, "text"),
        ({"censored": "hidden", "msg": "secret"}, "hidden"),
    ],
)
def test_error_of(result: dict[str, Any], error: str) -> None:
    assert outcomes.error_of(result) == error


LABELLED = {"ansible_loop_var": "item", "item": {"name": "a"}, "_ansible_item_label": "a"}
CENSORED = {"censored": "it is hidden", "failed": True}


@pytest.mark.parametrize(
    ("result", "failures"),
    [
        ({"msg": "bad", "rc": 0, "cmd": ["x"], "stdout": "", "changed": True}, [{"msg": "bad", "cmd": ["x"], "rc": 0}]),
        ({"module_stderr": "e", "module_stdout": "o"}, [{"stdout": "o", "stderr": "e"}]),
        (
            {"msg": "All", "results": [{"msg": "fine"}, {**LABELLED, "failed": True, "msg": "bad"}]},
            [{"item": "a", "msg": "bad"}],
        ),
        ({**CENSORED, "stdout": "s3cret"}, [{"msg": "it is hidden"}]),
        ({"results": [{**LABELLED, **CENSORED}]}, [{"msg": "it is hidden"}]),
    ],
)
def test_failures_of(result: dict[str, Any], failures: list[dict[str, Any]]) -> None:
    assert outcomes.failures_of(result) == failures


@pytest.mark.parametrize(
    ("result", "diffs"),
    [
        ({}, []),
        ({"diff": {"before": "a"}}, [{"before": "a"}]),
        ({"diff": [{"before": "a"}, {}, "text"]}, [{"before": "a"}]),
        ({"diff": None, "results": [{"diff": {"after": "b"}}]}, [{"after": "b"}]),
    ],
)
def test_diffs_of(result: dict[str, Any], diffs: list[Any]) -> None:
    assert outcomes.diffs_of(result) == diffs


def test_warnings_of() -> None:
    result = {"warnings": ["w"], "deprecations": [{"msg": "d"}, "e"], "results": [{"warnings": ["x"]}, "text"]}
    assert outcomes.warnings_of(result) == ["w", "d", "e", "x"]


def test_an_outcome_survives_the_journey() -> None:
    outcome = outcomes.outcome_of_task({"stdout": "a\udcff"}, {"stdout": "b"}, "stock")
    there = outcomes.from_message(json.loads(json.dumps(outcomes.to_message(outcome))))
    assert there == outcome
    assert isinstance(there.hidden, SensitiveMap)


def test_what_a_newer_executor_adds_is_left_out() -> None:
    assert outcomes.from_message({"ok": True, "color": "red"}) == Outcome(ok=True)


def test_a_large_result_is_cut_and_one_that_stays_large_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "LIMIT", 3_000_000)
    lines = {"stdout": "x" * 4_000_000, "stdout_lines": ["y"] * 30_000, "rc": 0, "changed": True}
    made = outcomes.from_message(outcomes.to_message(outcomes.outcome_of_task(lines, None, "fast")))
    assert (made.ok, made.changed, made.lane) == (True, True, "fast")
    assert " characters cut ...]" in made.stdout
    assert len(made.result["stdout"]) < 1_000_100
    assert len(made.result["stdout_lines"]) == 10_001
    many = {"changed": True, "found": {str(number): "z" * 1000 for number in range(4000)}}
    made = outcomes.from_message(outcomes.to_message(outcomes.outcome_of_task(many, None, "stock")))
    assert (made.ok, made.changed, made.result) == (False, True, {})
    assert made.error == "the result is larger than 3 MB: it is left out"


@pytest.mark.parametrize("field", ["result", "hidden"])
def test_what_is_nested_too_deep_is_a_failure_of_its_own(field: str) -> None:
    deep: dict[str, Any] = {}
    for _ in range(3000):
        deep = {"x": deep}
    message = outcomes.to_message(Outcome(ok=True, changed=True, rc=0, **{field: deep}))
    assert "nested deeper than 100" in message["error"]
    assert (message["ok"], message["changed"], message["rc"], message["result"]) == (False, True, 0, {})
