"""Expressions of Unfurl have the values that Unfurl 1.2 gave them, or those that docs/coming-from.md tells of."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import Sensitive, reveal
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.language.functions import functions
from tests.unit.expressions.unfurl.unchosen import unchosen

FOLDER = Path(__file__).with_name("unfurl")
#: Expressions of the instance `app` with what Unfurl made of each, and what they are here where that is not the same.
CASES: list[dict[str, Any]] = read_yaml(FOLDER / "expressions.yaml").data
UNFURL = os.environ.get("UNFURL_COMMAND", "")
needs_unfurl = pytest.mark.skipif(not UNFURL, reason="UNFURL_COMMAND names no command of Unfurl 1.2")


@pytest.fixture(scope="module", params=["unfurl/v1alpha1"])
def scope(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scope]:
    """The instance `app` of the ensemble, with the `apiVersion` of the parameter."""
    folder = tmp_path_factory.mktemp("unfurl")
    text = (FOLDER / "ensemble.yaml").read_text()
    (folder / "ensemble.yaml").write_text(text.replace("unfurl/v1alpha1", request.param))
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
    assert sum("here" in case for case in CASES) <= 0.02 * len(CASES)


#: What Unfurl prints of its own objects, or refuses, is no value.
NO_VALUE = regex(r"(?i)result(s|\()|nodeinstance|\bstatus\.|nodestate\.|REFUSED")
#: Another seed makes other expressions.
SEED = int(os.environ.get("UNCHOSEN_SEED", "2"))


def answers(expressions: list[Any], folder: Path) -> list[Any]:
    """What Unfurl makes of expressions."""
    (folder / "ensemble.yaml").write_text((FOLDER / "ensemble.yaml").read_text())
    asked, answered = folder / "asked.json", folder / "answered.json"
    asked.write_text(json.dumps(expressions))
    settings = {"UNFURL_HOME": "", "UNFURL_NORUNTIME": "1", "HOME": str(folder), "EX_WORD": "env-word"}
    python = Path(UNFURL).with_name("python")
    words = [python, FOLDER / "answers.py", asked, answered]
    subprocess.run(words, cwd=folder, env={**os.environ, **settings}, check=True, capture_output=True)
    found: list[Any] = json.loads(answered.read_text())
    return found


@needs_unfurl
def test_unfurl_itself_gives_these_values(tmp_path: Path) -> None:
    found = zip(CASES, answers([case["of"] for case in CASES], tmp_path), strict=True)
    assert [(case["of"], answer) for case, answer in found if answer != case["unfurl"]] == []


@needs_unfurl
def test_expressions_that_nobody_chose_are_what_unfurl_makes_of_them(scope: Scope, tmp_path: Path) -> None:
    asked = unchosen(SEED, 500)
    pairs = zip(asked, answers(asked, tmp_path), strict=True)
    valued = [(one, answer) for one, answer in pairs if not NO_VALUE.search(str(answer))]
    differ = [(one, answer, value) for one, answer in valued if (value := evaluated(scope, one)) != answer]
    assert len(valued) > 350
    assert len(differ) <= 0.03 * len(valued), differ


@needs_unfurl
def test_each_function_and_filter_of_unfurl_is_there(scope: Scope, tmp_path: Path) -> None:
    text = (
        "import json, unfurl.localenv, unfurl.tosca_plugins.functions\n"
        "from unfurl.eval import RefContext\nfrom unfurl.filter_plugins.ref import FilterModule\n"
        "print(json.dumps([list(RefContext._Funcs), list(FilterModule().filters())]))\n"
    )
    settings = {"UNFURL_HOME": "", "UNFURL_NORUNTIME": "1", "HOME": str(tmp_path)}
    words = [Path(UNFURL).with_name("python"), "-c", text]
    shown = subprocess.run(words, env={**os.environ, **settings}, check=True, capture_output=True, text=True).stdout
    names, filters = json.loads(shown.splitlines()[-1])
    assert len(names) > 30
    assert set(names) - set(functions()) == set()
    assert [name for name in filters if "No filter" in str(evaluated(scope, f"{{{{ 'x' | {name} }}}}"))] == []


def evaluated(scope: Scope, expression: Any) -> Any:
    try:
        return plain(scope.evaluate(expression))
    except EnsembleError as error:
        return f"refused: {error}"


NOT_OF_UNFURL: list[tuple[Any, Any]] = [
    ({"eval": "items[n=b]::size"}, 2),
    ({"eval": "items[!n]::size"}, None),
    ({"eval": "::*::.name"}, ["server", "app", "db"]),
    ({"eval": "::*[kind=sql]::.name"}, "db"),
    ({"eval": "names::*"}, ["one", "two", "three"]),
    ({"eval": "::inputs::size"}, 3),
    ({"eval": "labels", "foreach": "$key"}, ["tier", "zone"]),
    ({"concat": ["a", 1, True]}, "a1true"),
    ({"concat": ["a", "b"], "sep": "-"}, "a-b"),
    ({"get_nodes_of_type": "App"}, ["app"]),
    ({"eval": {"urljoin": ["http", "example.com", 80, "/a", "q=1"]}}, "http://example.com/a?q=1"),
]


@pytest.mark.parametrize("scope", ["tosca-ensemble/v1"], indirect=True)
@pytest.mark.parametrize(("expression", "value"), NOT_OF_UNFURL, ids=str)
def test_an_ensemble_of_its_own_keeps_to_the_documentation(scope: Scope, expression: Any, value: Any) -> None:
    assert plain(scope.evaluate(expression)) == value
