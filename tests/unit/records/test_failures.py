from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.records.report import failures
from tests.unit.engine.entries import finished

TASK = {"name": "web : Install", "path": "/p/main.yml:3", "host": "web1", "changed": False}
ITEMS = [{"item": "a", "msg": "bad"}, {"item": "b", "rc": 3}]


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ({}, []),
        (
            {"rc": 3, "stdout": "", "stderr": "no room", "timed_out": False, "result": {}},
            [{"rc": 3, "stderr": "no room"}],
        ),
        ({"rc": None, "result": {"msg": "bad", "changed": True}}, [{"msg": "bad"}]),
        ({"result": {"stats": {}, "tasks": ["of a module's own", {"status": "failed"}]}}, []),
        (
            {
                "result": {
                    "stats": {},
                    "facts": {},
                    "tasks": [
                        {**TASK, "status": "ok"},
                        {**TASK, "status": "rescued", "failures": [{"msg": "seen to"}]},
                        {**TASK, "status": "failed", "failures": ITEMS},
                    ],
                }
            },
            [{"task": "web : Install", "path": "/p/main.yml:3", "host": "web1", **item} for item in ITEMS],
        ),
    ],
)
def test_what_failed(result: dict[str, Any], found: list[dict[str, Any]]) -> None:
    assert failures(finished("a:create", ok=False, result=result)) == found
