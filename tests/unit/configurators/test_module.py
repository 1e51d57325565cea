from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.configurators.module import ModuleConfigurator
from ansible_ensemble.configurators.protocol import Basis, Progress
from ansible_ensemble.core.orders import Host, Outcome
from ansible_ensemble.core.sensitive import SensitiveMap, SensitiveStr, is_sensitive

from .conftest import carry_out


def test_inputs_are_arguments(task: Any) -> None:
    inputs = {"path": "/a", "mode": None, "secret": SensitiveStr("s"), "list": [SensitiveStr("t")], "done": {}}
    written = {"primary": "acme.tools.any", "become": True, "retries": 3, "vars": {"a": 1}, "fast": False}
    one = task(written, inputs=inputs, check=True, diff=True, host=Host("web1"), timeout=2.0)
    _, (call,) = carry_out(ModuleConfigurator("acme.tools.any"), one, Outcome(ok=True))
    assert call.module == "acme.tools.any"
    assert call.args == {"path": "/a", "secret": "s", "list": ["t"]}
    assert type(call.args["secret"]) is str
    assert call.keywords == {"become": True, "vars": {"a": 1}}, "retries without until are the job's"
    assert (call.check, call.diff, call.host, call.timeout, call.fast) == (True, True, Host("web1"), 2.0, False)
    assert call.base == str(one.base)


def test_what_debug_says_is_told(task: Any) -> None:
    said = Outcome(ok=True, changed=False, result={"msg": ["a", 1]})
    _, (_, told) = carry_out(ModuleConfigurator("ansible.builtin.debug"), task(), said, None)  # type: ignore[arg-type]
    assert told == Progress("['a', 1]")


def test_until_takes_retries_to_ansible(task: Any) -> None:
    one = task({"primary": "x", "until": "r.rc == 0", "retries": 3, "delay": 1})
    _, (call,) = carry_out(ModuleConfigurator("a.b.c"), one, Outcome(ok=True))
    assert call.keywords == {"until": "r.rc == 0", "retries": 3, "delay": 1}


RESULTS = {
    "its keys": ({"path": "/a", "other": 1}, {"path": "/a"}, {}),
    "declared attributes": ({"url": "u"}, {}, {"url": "u"}),
    "facts": ({"ansible_facts": {"path": "/f", "url": "f"}}, {"path": "/f"}, {"url": "f"}),
    "its keys go before facts": ({"path": "/a", "ansible_facts": {"path": "/f"}}, {"path": "/a"}, {}),
    "words of modules that are others of ours": (
        {"status": "error", "state": "directory", "attributes": {"url": "x"}, "outputs": {"path": "y"}},
        {},
        {},
    ),
}


@pytest.mark.parametrize("returned,outputs,attributes", RESULTS.values(), ids=RESULTS)
def test_result(task: Any, returned: dict[str, Any], outputs: dict[str, Any], attributes: dict[str, Any]) -> None:
    one = task(outputs={"path": ["SELF", "path"]}, attributes=frozenset({"url", "state"}))
    result, _ = carry_out(ModuleConfigurator("a.b.c"), one, Outcome(ok=True, changed=True, result=returned))
    assert (result.outputs, result.attributes, result.status) == (outputs, attributes, None)
    assert result.modified


def test_no_log_keeps_values_and_marks_them(task: Any) -> None:
    outcome = Outcome(ok=True, result={"censored": "yes"}, hidden=SensitiveMap(token="s3cret", changed=False))
    result, _ = carry_out(ModuleConfigurator("a.b.c"), task(outputs={"token": ["SELF", "token"]}), outcome)
    assert result.outputs == {"token": "s3cret"}
    assert is_sensitive(result.outputs)


@pytest.mark.parametrize("changed", [True, False, None])
def test_failure_says_whether_it_changed_something(task: Any, changed: bool | None) -> None:
    outcome = Outcome(ok=False, changed=changed, error="no")
    result, _ = carry_out(ModuleConfigurator("a.b.c"), task(), outcome)
    assert (result.success, result.modified, result.error) == (False, changed, "no")


@pytest.mark.parametrize("operation", ["check", "discover", "configure"])
def test_a_module_without_check_mode_has_not_looked(task: Any, operation: str) -> None:
    outcome = Outcome(ok=True, changed=False, result={"skipped": True, "msg": "it does not support check mode"})
    one = task({"primary": "a.b.c", "check_mode": True}, name=operation)
    result, _ = carry_out(ModuleConfigurator("a.b.c"), one, outcome)
    looks = operation != "configure"  # what only looks has not failed: it could not look
    assert (result.basis, result.success, result.status) == (Basis.NOT_RUN, looks, None)


def test_what_is_there_by_its_own_word_was_looked_at(task: Any) -> None:
    outcome = Outcome(ok=True, changed=False, result={"skipped": True, "msg": "skipped, since /opt/app exists"})
    check = task({"primary": "a.b.c", "check_mode": True}, name="check")
    result, _ = carry_out(ModuleConfigurator("a.b.c"), check, outcome)
    assert (result.basis, result.success, result.error) == (Basis.PREDICTED, True, None)


def test_it_can_always_be_tried_in_check_mode(task: Any) -> None:
    assert ModuleConfigurator("a.b.c").can_dry_run(task())
