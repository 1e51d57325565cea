"""Examples of Unfurl's documentation and tests get as far as the ledger says; progress is a change of the ledger."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.validate import validate_path
from tests.matrix import sampled

LEDGER: dict[str, dict[str, str]] = read_yaml(Path(__file__).with_name("unfurl_examples.yaml")).data
EXAMPLES = {name: verdict for part in LEDGER.values() for name, verdict in part.items()}


@pytest.fixture(scope="module")
def examples(corpus_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the examples, for tests that only look."""
    folder = corpus_folder / "unfurl-examples"
    if not folder.is_dir():
        pytest.skip("the examples of Unfurl are not here")
    return shutil.copytree(folder, tmp_path_factory.mktemp("unfurl") / "examples")


@pytest.mark.parametrize(("name", "verdict"), sampled(EXAMPLES.items(), 3), ids=EXAMPLES)
def test_an_example_gets_as_far_as_the_ledger_says(examples: Path, name: str, verdict: str) -> None:
    options = JobOptions(inventory=None)
    told = {error["text"] for error in validate_path(str(examples / name), options)["errors"]}
    planned = refusal(examples / name, options)
    if verdict in ("plans", "deploys"):
        assert told == set()
        assert planned == ""
    else:
        assert verdict in planned
        assert name in LEDGER["elsewhere"] or any(verdict in text for text in told)


def refusal(path: Path, options: JobOptions) -> str:
    try:
        plan_workflow(read_ensemble(locate(path), options), "deploy", options)
    except EnsembleError as error:
        return str(error)
    return ""


def test_every_example_has_its_verdict(examples: Path) -> None:
    files = [file for suffix in ("*.yaml", "*.py") for file in examples.rglob(suffix)]
    assert {str(file.relative_to(examples)) for file in files} == EXAMPLES.keys()
