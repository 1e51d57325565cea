"""Third-party topologies that may lie beside the project: the valid ones validate and plan, the others are refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.validate import validate_path

LEDGER: dict[str, dict[str, str | None]] = read_yaml(Path(__file__).parents[1] / "topology" / "ledger.yaml").data
VALID = [(part, name) for part in ("corpus", "probes") for name, why in LEDGER[part].items() if why is None]
REFUSED = [(part, name) for part in ("corpus", "probes") for name, why in LEDGER[part].items() if why is not None]
#: What has to be given to a job of a topology.
INPUTS: dict[str, dict[str, Any]] = {
    "oasis-tutorial-1.3/inputs-and-outputs.yaml": {"ram": "1 GB"},
    "tosca-parser-samples/functions/test_get_property_with_host.yaml": {"db_root_pwd": "a"},
    "tosca-parser-samples/tosca_single_instance_wordpress.yaml": {"db_root_pwd": "a"},
}
#: What a job of a valid one is refused for, all the same.
LACKING = {"oasis-tutorial-1.3/interfaces.yaml": "the file /opt/scripts/"}  # scripts of the machine itself


@pytest.fixture(scope="module")
def collections(corpus_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy in which scripts can be put that the collections lack."""
    folder = tmp_path_factory.mktemp("collections")
    for name in ("corpus", "probes"):
        if not (corpus_folder.parent / name).is_dir():
            pytest.skip(f"the folder {name} of third-party test files is not here")
        shutil.copytree(corpus_folder.parent / name, folder / name)
    return folder


def template(collections: Path, part: str, name: str) -> Path:
    """A file of the ledger; a probe may say in its name that it is invalid."""
    if part == "corpus" or name.startswith("types"):
        return collections / part / name
    return next((collections / part).glob(f"{name[:3]}*"))


def write_scripts(path: Path, options: JobOptions, within: Path) -> None:
    """Write the scripts that a service template names and the collection leaves out."""
    for error in validate_path(str(path), options)["errors"]:
        file = Path(str(error["hint"]).removeprefix("looked for "))
        if "of the operation" in error["message"] and file.is_relative_to(within):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")


@pytest.mark.parametrize(("part", "name"), VALID)
def test_a_valid_one_validates_and_plans(collections: Path, part: str, name: str) -> None:
    path, options = template(collections, part, name), JobOptions(inventory=None, inputs=INPUTS.get(name, {}))
    write_scripts(path, options, collections)
    errors = validate_path(str(path), options)["errors"]
    if name in LACKING:
        assert errors
        assert all(LACKING[name] in error["message"] for error in errors)
        return
    assert errors == []
    ensemble = read_ensemble(locate(path), options)
    planned = plan_workflow(ensemble, "deploy", options)
    assert bool(planned.operations) == bool(ensemble.topology.node_templates)


@pytest.mark.parametrize(("part", "name"), REFUSED)
def test_an_invalid_one_is_refused_with_its_place(collections: Path, part: str, name: str) -> None:
    errors = validate_path(str(template(collections, part, name)), JobOptions())["errors"]
    assert errors
    assert all(error["file"] and error["line"] for error in errors)
