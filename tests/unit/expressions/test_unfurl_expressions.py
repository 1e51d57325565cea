"""Expressions of Unfurl have the values that Unfurl 1.2 gave them, or those that docs/coming-from.md tells of."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.sensitive import Sensitive, reveal
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.expressions.scope import Scope

FOLDER = Path(__file__).with_name("unfurl")
#: Expressions of the instance `app` with what Unfurl made of each, and what they are here where that is not the same.
CASES: list[dict[str, Any]] = read_yaml(FOLDER / "expressions.yaml").data


@pytest.fixture(scope="module")
def scope(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scope]:
    folder = tmp_path_factory.mktemp("unfurl")
    shutil.copy(FOLDER / "ensemble.yaml", folder)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("EX_WORD", "env-word")
        read = read_ensemble(locate(folder), JobOptions(inventory=None))
        yield read.evaluator.scope(read.instances.get("app"))


def plain(value: Any) -> Any:
    if isinstance(value, Sensitive):
        return f"sensitive {reveal(value)}"
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["of"]))
def test_an_expression_is_what_unfurl_made_of_it(scope: Scope, case: dict[str, Any]) -> None:
    assert plain(scope.evaluate(case["of"])) == case.get("here", case["unfurl"])


def test_what_differs_says_why() -> None:
    assert [case["of"] for case in CASES if ("here" in case) != bool(case.get("why"))] == []
