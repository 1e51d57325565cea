"""Where in an object a problem is."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.codec import from_plain
from ansible_ensemble.provision.rules.availability import lacks, problems
from ansible_ensemble.provision.rules.problem import Problem, placed
from ansible_ensemble.provision.rules.refusal import invalid
from ansible_ensemble.provision.templates.job_actions import problem_of_text
from tests.unit.provision.rules.world import shelf

CATALOG = shelf({"params": {"size": {"Schema": {"type": "object", "additionalProperties": {"type": "integer"}}}}})

CASES: list[tuple[str, dict[str, Any], tuple[Any, ...]]] = [
    ("tasks", {"Name": "1x"}, ("Name",)),
    ("templates", {"ID": "a/b"}, ("ID",)),
    ("templates", {"ID": "ab", "Contents": "{{"}, ("Contents",)),
    ("tasks", {"Name": "t1", "Prerequisites": ["gone"]}, ("Prerequisites", "gone")),
    ("tasks", {"Name": "t1", "Prerequisites": ["t1"]}, ("Prerequisites", "t1")),
    ("tasks", {"Name": "t1", "Templates": [{"Name": "a", "ID": "gone"}]}, ("Templates", 0, "ID")),
    ("tasks", {"Name": "t1", "Templates": [{"Name": "a", "Contents": "{{"}]}, ("Templates", 0, "Contents")),
    ("tasks", {"Name": "t1", "Templates": [{"Contents": "x"}]}, ("Templates", 0)),
    ("tasks", {"Name": "t1", "Templates": [{"Name": "a", "Link": "x", "Meta": {"OS": "dos"}}]},
     ("Templates", 0, "Meta", "OS")),
    ("stages", {"Name": "s1", "BootEnv": "gone"}, ("BootEnv",)),
    ("stages", {"Name": "s1", "Profiles": ["gone"]}, ("Profiles", "gone")),
    ("stages", {"Name": "s1", "Profiles": ["global", "global"]}, ("Profiles", 1)),
    ("stages", {"Name": "s1", "Tasks": ["stage:gone"]}, ("Tasks", "gone")),
    ("stages", {"Name": "s1", "Tasks": ["gone"]}, ("Tasks", "gone")),
    ("stages", {"Name": "s1", "Tasks": ["stage:"]}, ("Tasks", "stage:")),
    ("stages", {"Name": "s1", "Params": {"size": {"a": "b"}}}, ("Params", "size", "a")),
    ("bootenvs", {"Name": "b1", "BootParams": "{{"}, ("BootParams",)),
    ("workflows", {"Name": "w1", "Stages": ["gone"]}, ("Stages", "gone")),
    ("profiles", {"Name": "p1", "Profiles": ["p1"]}, ("Profiles",)),
    ("params", {"Name": "p1", "Schema": {"type": "txt"}}, ("Schema", "type")),
    ("params", {"Name": "p1", "Schema": {"type": "string", "default": 1}}, ("Schema", "default")),
]  # fmt: skip


@pytest.mark.parametrize(("prefix", "fields", "path"), CASES)
def test_a_problem_says_where_it_is(prefix: str, fields: dict[str, Any], path: tuple[Any, ...]) -> None:
    checked = from_plain(KINDS[prefix], fields)
    catalog = shelf()
    catalog.update(CATALOG)
    catalog.put(checked)
    found = [*problems(checked, catalog, problem_of_text), *lacks(checked, catalog)]
    assert path in [placed(message).path for message in found]


def test_a_plain_message_is_about_the_whole() -> None:
    assert placed("message").path == ()


def test_an_answer_has_plain_texts() -> None:
    error = invalid(Problem("message", "Name"), model="tasks", key="t1").error
    assert [type(one) for one in error.messages] == [str]
