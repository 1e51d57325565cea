"""Command lines of opera over the folders of its examples and tests: each does here what opera 0.7 was seen to do."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.jobs.conftest import Run
from tests.integration.jobs.test_corpus import CASES

Opera = Callable[..., Run]

#: Inputs that a folder has for its service template, and what opera then had for outputs.
GIVEN = {"opera-it-cli": (["inputs.yaml", "inputs.json"], {"output_attr": 10, "output_prop": True})}


@pytest.fixture
def opera(command) -> Opera:
    """Run `opera ARGUMENTS` in a folder."""

    def run(folder: Path, *words: str) -> Run:
        done: Run = command("opera", *words, cwd=folder)
        assert done.code == 0, done.output
        return done

    return run


def statuses(opera: Opera, folder: Path) -> set[str]:
    return {one["status"] for one in json.loads(opera(folder, "info", "-f", "json").stdout)["instances"]}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_folder_through_its_life(opera: Opera, corpus, name: str) -> None:
    template, up, down, outputs = CASES[name]
    folder = corpus(name)
    assert "valid" in opera(folder, "validate", "-e", template).stdout
    deployed = opera(folder, "deploy", "-w", "2", "-r", template).stdout
    assert f"({len(up)} operation" in deployed if up else "Deploy complete!" in deployed
    found = json.loads(opera(folder, "outputs", "-f", "json").stdout)
    assert {key: found[key] for key in outputs} == outputs
    assert "absent" not in statuses(opera, folder)
    assert "No changes" in opera(folder, "diff", "-t", template).stdout
    assert "There was nothing to do" in opera(folder, "update", template).stdout
    undeployed = opera(folder, "undeploy", "--force", "-v").stdout
    assert f"({len(down)} operation" in undeployed if down else "Undeploy complete!" in undeployed
    assert statuses(opera, folder) == {"absent"}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_folder_as_an_archive(opera: Opera, corpus, tmp_path: Path, name: str) -> None:
    template, up, _down, _outputs = CASES[name]
    folder = corpus(name)
    opera(folder, "package", "-t", template, "-o", str(tmp_path / "service.csar"), "-f", "zip", ".")
    with zipfile.ZipFile(tmp_path / "service.csar") as archive:
        packed = {one for one in archive.namelist() if not one.startswith("TOSCA-Metadata/")}
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert packed == {one for one in files if not one.startswith("TOSCA-Metadata/")}
    assert "valid" in opera(tmp_path, "validate", "service.csar").stdout
    opera(tmp_path, "unpackage", "-d", "unpacked", "service.csar")
    assert {one: (tmp_path / "unpacked" / one).read_bytes() for one in packed} == {
        one: (folder / one).read_bytes() for one in packed
    }
    deployed = opera(tmp_path, "deploy", "service.csar").stdout
    assert f"({len(up)} operation" in deployed if up else "Deploy complete!" in deployed


@pytest.mark.parametrize(
    ("name", "inputs"), [(name, inputs) for name, (files, _outputs) in GIVEN.items() for inputs in files]
)
def test_inputs_are_given_by_a_file(opera: Opera, corpus, name: str, inputs: str) -> None:
    folder = corpus(name)
    opera(folder, "validate", "-i", inputs, CASES[name][0])
    opera(folder, "deploy", "-i", inputs, CASES[name][0])
    assert json.loads(opera(folder, "outputs", "--format", "json").stdout) == GIVEN[name][1]


def test_the_other_version_of_a_template(opera: Opera, corpus) -> None:
    """Opera deletes and creates again what changed; here that is changed in place, and ends in the same."""
    folder = corpus("opera-it-compare")
    opera(folder, "deploy", "-i", "inputs1.yaml", "service1.yaml")
    shown = json.loads(opera(folder, "diff", "-f", "json", "-i", "inputs2.yaml", "service2.yaml").stdout)
    assert {one["name"]: one["change"]["actions"] for one in shown["resource_changes"]} == {
        **{f"hello-{number}": ["update"] for number in (1, 2, 3, 6)},
        "hello-4": ["delete"],
        "hello-5": ["create"],
    }
    opera(folder, "update", "-w", "2", "-i", "inputs2.yaml", "service2.yaml")
    found = json.loads(opera(folder, "info", "-f", "json").stdout)["instances"]
    assert {one["name"] for one in found if one["status"] == "ok"} == {
        "my-workstation",
        *(f"hello-{number}" for number in (1, 2, 3, 5, 6)),
    }
    opera(folder, "undeploy")
    assert statuses(opera, folder) == {"absent"}


@pytest.mark.parametrize(
    ("words", "ran"),
    [
        (["-t", "radon.triggers.scaling.ScaleDown"], ["scaling_down.scale_down"]),
        (["-e", "scale_up_trigger"], ["scaling_up.scale_up"]),
        (["-e", "auto_scale_trigger"], ["autoscaling.retrieve_info", "autoscaling.autoscale"]),
    ],
    ids=str,
)
def test_a_trigger_is_notified(opera: Opera, corpus, words: list[str], ran: list[str]) -> None:
    folder = corpus("opera-policy-triggers")
    opera(folder, "deploy", "service.yaml")
    (folder / "notification.json").write_text('{"load": 3}')
    told = opera(folder, "notify", *words, "-n", "notification.json").stdout
    assert f"({len(ran)} operation" in told
    assert [one for one in ran if f"openstack_vm: {one} ok (" in told] == ran
