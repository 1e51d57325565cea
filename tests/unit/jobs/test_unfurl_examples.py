"""Examples of Unfurl's documentation and tests get as far as the ledger says; progress is a change of the ledger."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.python_template import read_python_template
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.validate import validate_path
from tests.matrix import sampled

LEDGER: dict[str, dict[str, str]] = read_yaml(Path(__file__).with_name("unfurl_examples.yaml")).data
converted = pytest.mark.skipif(importlib.util.find_spec("tosca") is None, reason="the package tosca is not installed")
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


#: What Unfurl's documentation says that each of its examples in Python begins with.
BEFORE = """\
import unfurl
import tosca
from tosca import Attribute, Eval, Property, operation, GB, MB, TopologyInputs
"""
CAPABILITY = "class capabilities_postgresdb(tosca.capabilities.EndpointDatabase):\n    pass\n"
#: What examples that are no whole of their own name, and pages show elsewhere: text, or another example.
NAMED = {
    "inputs.py": ["class MyVM(tosca.nodes.Root):\n    image_name: str\n"],
    "node-types-2.py": ["node-types-1.py", "unfurl.congifurators = unfurl.configurators\n"],
    "tosca-type-example.py": [CAPABILITY],
    "tosca-node-template.py": [
        CAPABILITY,
        "tosca-type-example.py",
        "class PostgresDB(tosca.nodes.Root):\n    name: str\n",
    ],
}
#: Examples with types of a repository in the network, and its name.
REMOTE = {
    "quickstart_deployment_blueprints.py": "std",
    "quickstart_service_template.py": "std",
    "tosca-outline.py": "tosca_community_contributions",
}


@pytest.mark.matrix
@converted
def test_each_documented_example_in_python_is_read(examples: Path, tmp_path: Path) -> None:
    docs = examples / "docs"
    (tmp_path / "my_shared_types.py").write_text("import tosca\n")
    refused, whole = {}, []
    for example in sorted(docs.glob("*.py")):
        before = [(docs / one).read_text() if one.endswith(".py") else one for one in NAMED.get(example.name, ())]
        file = tmp_path / example.name
        file.write_text("\n".join([BEFORE, *before, example.read_text()]))
        try:
            read_python_template(file, trusted=True)
        except EnsembleError as error:
            refused[example.name] = str(error)
        else:
            whole += [] if before else [example.name]
    assert refused.keys() == REMOTE.keys(), refused
    assert all(REMOTE[name] in said for name, said in refused.items()), refused
    assert len(whole) == 28


@converted
def test_inputs_in_python_are_those_of_the_same_example_in_yaml(examples: Path) -> None:
    """Operations, interfaces and their bases have the same inputs; the documentation says which counts."""
    for name in ("tosca_inputs.py", "tosca_inputs.yaml"):
        (examples / "docs" / "ensemble.yaml").unlink(missing_ok=True)
        ensemble = read_ensemble(locate(examples / "docs" / name), JobOptions(inventory=None))
        create = ensemble.topology.node_templates["example"].interfaces["Standard"].operations["create"]
        inputs = {key: one.value for key, one in create.inputs.items()}
        assert inputs == {"foo": "base:create", "bar": "derived:create"}, name
