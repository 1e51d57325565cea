"""Which content is tasks, and which is plays."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.machines.ansible_service import kind_of

TASK, PLAY = {"name": "x", "debug": {}}, {"hosts": "all", "tasks": []}


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ([TASK], "tasks"),
        ([TASK, {"include_role": {"name": "x"}}], "tasks"),
        ([PLAY], "playbook"),
        ([PLAY, {"ansible.builtin.import_playbook": "x.yml"}], "playbook"),
    ],
)
def test_a_list_is_tasks_or_plays(content: Any, kind: str) -> None:
    assert kind_of(content, "x.yml") == kind


@pytest.mark.parametrize("content", [None, [], {}, "text", [TASK, "text"], [None]])
def test_what_is_neither_is_refused(content: Any) -> None:
    with pytest.raises(InvalidInput, match=r"x\.yml is neither a list of tasks nor one of plays"):
        kind_of(content, "x.yml")


def test_a_mixture_is_refused() -> None:
    with pytest.raises(InvalidInput, match="mixes plays and tasks"):
        kind_of([TASK, PLAY], "x.yml")
