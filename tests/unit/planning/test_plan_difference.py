"""Where two plans' documents differ."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_ensemble.planning.plan import plan_document_text
from ansible_ensemble.planning.plan_difference import plan_difference

SAVED: dict[str, Any] = {
    "ensemble": "/one/project/web/ensemble.yaml",
    "operations": [{"key": "web:Standard.create", "implementation": "/one/project/web/make.sh", "waits_for": []}],
    "warnings": [],
    "job": "",
}
OPERATION = SAVED["operations"][0]


@pytest.mark.parametrize(
    "now",
    [
        SAVED,
        SAVED | {"warnings": ["another job runs"], "job": "A6BKKsK50000", "base": {}, "options": {"jobs": 2}},
        SAVED | {"ensemble": "/other/one/web/ensemble.yaml", "operations": [
            OPERATION | {"implementation": "/other/one/web/make.sh"}
        ]},
    ],
    ids=["the same", "of the moment", "another folder"],
)  # fmt: skip
def test_no_difference(now: dict[str, Any]) -> None:
    assert plan_difference(SAVED, now) is None


@pytest.mark.parametrize(
    ("operations", "told"),
    [
        ([], "operations web:Standard.create is something in it, and nothing by now"),
        (
            [OPERATION, {"key": "db:Standard.create"}],
            "operations db:Standard.create is nothing in it, and something by",
        ),
        ([OPERATION | {"host": "web1"}], 'web:Standard.create host is nothing in it, and "web1" by now'),
        ([OPERATION | {"waits_for": ["db"]}], 'web:Standard.create waits_for 0 is nothing in it, and "db" by now'),
        ([OPERATION | {"pause": 1.5}], "pause is nothing in it, and 1.5 by now"),
        ([OPERATION | {"host": "x" * 100}], f'by now: "{"x" * 59}…'),
    ],
)
def test_the_first_difference_is_named(operations: list[Any], told: str) -> None:
    found = plan_difference(SAVED, SAVED | {"operations": operations})
    assert found is not None
    assert told.removeprefix("by now: ") in found


def test_nan_is_as_it_was() -> None:
    plan = SAVED | {"operations": [OPERATION | {"inputs": {"ratio": float("nan")}}]}
    saved, now = (json.loads(plan_document_text(plan)) for _time in range(2))
    assert plan_difference(saved, now) is None


def test_what_a_dry_run_predicted_is_no_difference() -> None:
    assert plan_difference(SAVED | {"operations": [OPERATION | {"prediction": {"changed": True}}]}, SAVED) is None


@pytest.mark.parametrize(
    ("text", "elsewhere"),
    [
        ("/r/a", "/r/b"),
        ("/r/a/make.sh", "/r/b/make.sh"),
        ("cp /r/a/x '/r/a' && cd /r/a", "cp /r/b/x '/r/b' && cd /r/b"),
        ("PATH=/r/a:/bin", "PATH=/r/b:/bin"),
        ("file:///r/a/x is in /r/a.", "file:///r/b/x is in /r/b."),
        ("/r/abc.txt", "/r/abc.txt"),
        ("/r/a.txt", "/r/a.txt"),
        ("/r/a-b", "/r/a-b"),
        ("/r/a~", "/r/a~"),
        ("/r/ä/x /r/aä", "/r/ä/x /r/aä"),
        ("/srv/r/a/x", "/srv/r/a/x"),
        ("./r/a", "./r/a"),
    ],
)
def test_only_what_lies_in_the_folder_is_elsewhere_in_another(text: str, elsewhere: str) -> None:
    saved, now = (
        {"ensemble": f"{folder}/ensemble.yaml", "operations": [{"key": "web", "dest": dest}]}
        for folder, dest in (("/r/a", text), ("/r/b", elsewhere))
    )
    assert plan_difference(saved, now) is None
