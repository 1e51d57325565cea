"""Filters and queries as the server has them, and secrets that nobody gets who did not ask."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.machines import facts
from ansible_ensemble.provision.objects import Machine, Task, Template
from tests.unit.provision.desired.conftest import Ask, ask, serving

__all__ = ["ask", "serving"]  # fixtures


@pytest.mark.parametrize(
    ("kind", "given", "query"),
    [
        (Machine, {"filters": {"Runnable": True, "Name": ["a", "b"], "CurrentTask": 3}},
         {"Runnable": "true", "Name": "In(a,b)", "CurrentTask": "3", "sort": "Name"}),
        (Machine, {"name": "a", "limit": 2, "sort": "Name", "reverse": True},
         {"Name": "Eq(a)", "limit": "2", "sort": "Name", "reverse": "true"}),
        (Template, {"name": "a.sh", "reverse": False}, {"ID": "Eq(a.sh)", "sort": "ID"}),
        (Task, {"name": "a"}, {"Name": "Eq(a)", "sort": "Name"}),
    ],
)  # fmt: skip
def test_what_is_asked_for_is_a_query(kind: Any, given: dict[str, Any], query: dict[str, str]) -> None:
    assert facts.query(kind, given) == query


def test_machines_and_params_of_all_sources(ask: Ask, serving: Any) -> None:
    params = {"size": 1, "secret/key": "hush"}
    serving.machine("owner", Profiles=["rack"], Params=params)
    asked = {"Name": "owner"}
    (own,) = ask(lambda client: facts.machines(client, asked, aggregate=False, secure=False))
    (every,) = ask(lambda client: facts.machines(client, asked, aggregate=True, secure=True))
    assert (own["params"], own["machine"]["Params"]) == ({"size": 1}, {})
    assert every["params"] == {**params, "color": "red"}
    (shown,) = ask(lambda client: facts.objects(client, Machine, asked, True))
    assert shown["Params"] == {"size": 1, "secret/key": "(hidden)", "color": "red"}


def test_values_of_params(ask: Ask, serving: Any) -> None:
    serving.machine("other", Profiles=["rack"], Params={"secret/key": "hush"})

    def values(*names: str, **said: bool) -> Any:
        words = {"aggregate": True, "secure": False, **said}
        return ask(lambda client: facts.params(client, "other", list(names), **words))

    assert values("color", "size") == {"color": "red"}
    assert values("color", aggregate=False) == {}
    assert values("secret/key", secure=True) == {"secret/key": "hush"}
    with pytest.raises(EnsembleError, match="param secret/key of machine other is secure"):
        values("secret/key")


def test_jobs_the_latest_first_with_the_ends_of_their_logs(ask: Ask, serving: Any) -> None:
    machine = serving.machine("busy", Stage="begin")
    job = serving("POST", "/jobs", {"Machine": machine["Uuid"]}).json
    asked = {"machine": "busy", "state": ["created", "running"], "limit": 5, "log": True, "log_lines": 1}
    (found,) = ask(lambda client: facts.jobs(client, asked))
    assert (found["Uuid"], found["Task"]) == (job["Uuid"], "prepare")
    assert len(found["Log"]) == 1
    assert "Token" not in found
    assert ask(lambda client: facts.jobs(client, {**asked, "state": ["failed"]})) == []
