"""What a job refuses for the sake of the files, validate refuses, and the other way round, in the same words."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput, InvalidInputs
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.engine.render import check_renders
from ansible_ensemble.ensembles.change_detector import ChangeDetector
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.validate import validate_path
from ansible_ensemble.planning.planner import make_survey
from ansible_ensemble.views.reads import Deferred

HERE = Path(__file__).parent
TESTS = HERE.parents[1]
CASES: dict[str, dict[str, str]] = read_yaml(HERE / "agreement.yaml").data

#: What a job is refused for and its files are not to blame for: what was not given, and what is there or is not.
NOT_OF_THE_FILES = (
    "no value is given for the input",
    "has no value",
    "nothing fits the selected",
    "a precondition of",
    "but there is an instance of that name already",
    "the template fails",
    "(nothing is deployed there)",
    "the file '../fixtures/helmrepo' leads out of the project",  # made by a template: known when it is rendered
)


def refusals(run: Callable[[], object]) -> set[str]:
    try:
        run()
    except InvalidInputs as error:
        return set(map(str, error.errors))
    except Deferred:
        return set()
    except InvalidInput as error:
        return {str(error)}
    return set()


def told_by_validate(path: Path) -> set[str]:
    return {error["text"] for error in validate_path(str(path), JobOptions())["errors"]}


def told_by_jobs(path: Path) -> set[str]:
    """What jobs of the workflows, of each operation by itself, and the outputs are refused for."""
    read: list[Ensemble] = []
    found = refusals(lambda: read.append(read_ensemble(locate(path), JobOptions(inventory=None))))
    for ensemble in read:
        for workflow in ("deploy", *ensemble.topology.workflows):
            found |= planned(ensemble, workflow)
        found |= refusals(partial(render_all, ensemble))
        for name in ensemble.topology.outputs:
            found |= output(ensemble, name)
    return found


def planned(ensemble: Ensemble, workflow: str) -> set[str]:
    return refusals(lambda: plan_workflow(ensemble, workflow, JobOptions(inventory=None)))


def render_all(ensemble: Ensemble) -> None:
    """Render every operation as a job does, with all that surrounds the ensemble."""
    options = JobOptions(inventory=None)
    plan = make_survey(ensemble.topology, ensemble.instances, options, ChangeDetector(ensemble))
    check_renders(ensemble, plan, options)


def output(ensemble: Ensemble, name: str) -> set[str]:
    return refusals(lambda: ensemble.evaluator.output_value(name, ensemble.evaluator.untracked()))


def disagreements(path: Path) -> list[str]:
    validate, jobs = told_by_validate(path), told_by_jobs(path)
    beside = f"{path.with_name('ensemble.yaml')}:" if path.name != "ensemble.yaml" else None
    jobs = {text for text in jobs if not (beside and text.startswith(beside))}
    missed = {text for text in jobs - validate if not any(words in text for words in NOT_OF_THE_FILES)}
    found = [f"{path.name}: a job alone says {text}" for text in sorted(missed)]
    if validate and not jobs:
        found += [f"{path.name}: validate alone says {text}" for text in sorted(validate)]
    return found


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_all_have_one_verdict_with_the_same_words(case: dict[str, str], tmp_path: Path) -> None:
    for name, text in case.items():
        if name != "words":
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
    path = tmp_path / next(name for name in case if name.endswith(("service.yaml", "ensemble.yaml")))
    told = told_by_validate(path)
    assert any(case["words"] in text for text in told) if "words" in case else not told, told
    assert disagreements(path) == []


def templates(folder: Path) -> Iterator[Path]:
    """Service templates and ensembles."""
    for file in sorted(folder.rglob("*.y*ml")):
        if re.search(r"tosca_definitions_version|^kind: *Ensemble\b", file.read_text(errors="replace"), re.MULTILINE):
            yield file


def test_on_the_probes(tmp_path: Path, probes: Path) -> None:
    shutil.copytree(probes, tmp_path / "probes")
    assert [line for file in templates(tmp_path) for line in disagreements(file)] == []


def test_on_the_cases_of_the_rules(tmp_path: Path) -> None:
    shutil.copytree(TESTS / "rules", tmp_path / "rules")
    for case in (tmp_path / "rules").glob("*/*/"):
        shutil.copy(TESTS / "rules" / "types.yaml", case)
    assert [line for file in templates(tmp_path) for line in disagreements(file)] == []


def test_on_the_examples(tmp_path: Path, repository: Path) -> None:
    shutil.copytree(repository / "examples", tmp_path / "examples")
    assert [line for file in templates(tmp_path) for line in disagreements(file)] == []


@pytest.mark.parametrize("part", ["corpus", "repro"])
def test_on_third_party_topologies(tmp_path: Path, corpus_folder: Path, part: str) -> None:
    folder = corpus_folder.parent / part
    if not folder.is_dir():
        pytest.skip("the folder of third-party test files is not here")
    shutil.copytree(folder, tmp_path / part, symlinks=True)
    assert [line for file in templates(tmp_path) for line in disagreements(file)] == []


META = "TOSCA-Meta-File-Version: 1.1\nCSAR-Version: 1.1\nCreated-By: me\nEntry-Definitions: {entry}\n"
#: Layouts of an archive: its files; the words of its refusal, packed and as a folder, none where it is valid.
LAYOUTS: dict[str, tuple[dict[str, str], tuple[str, str] | None]] = {
    "the entry at the root": ({"TOSCA-Metadata/TOSCA.meta": META.format(entry="service.yaml")}, None),
    "no file of metadata": ({}, ("needs template_name", "name the file that is meant: service.yaml")),
    "no such entry": ({"TOSCA-Metadata/TOSCA.meta": META.format(entry="other.yaml")}, ("has no file other.yaml",) * 2),
    "several files": (
        {"b.yaml": "[]\n"},
        ("several YAML files at its root: b.yaml, service.yaml", "name the file that is meant: service.yaml"),
    ),
    "no version": ({"TOSCA-Metadata/TOSCA.meta": "Created-By: me\n"}, ("has no TOSCA-Meta-File-Version",) * 2),
}
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template: {node_templates: {a: {type: tosca.nodes.Root}}}
"""


@pytest.mark.parametrize(("files", "words"), LAYOUTS.values(), ids=LAYOUTS)
def test_an_archive_and_its_folder_have_one_verdict(
    tmp_path: Path, files: dict[str, str], words: tuple[str, str] | None
) -> None:
    folder, packed = tmp_path / "folder", tmp_path / "packed.csar"
    write_archive({"service.yaml": SERVICE, **files}, folder, packed)
    for path, said in zip((packed, folder), words or (None, None), strict=True):
        told = told_by_validate(path)
        jobs = told_by_jobs(path)
        assert (told == set(), jobs == set()) == (said is None, said is None), (told, jobs)
        assert said is None or said in "".join(told)
        assert said is None or said in "".join(jobs)


def write_archive(files: dict[str, str], folder: Path, packed: Path) -> None:
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
            archive.writestr(name, text)


TYPES = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types: {T: {derived_from: tosca.nodes.Root, interfaces: {Standard: {operations: {create: ../scripts/c.sh}}}}}
"""
MAIN = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [%s]
topology_template: {node_templates: {t: {type: T}}}
"""


@pytest.mark.parametrize("imported", ["types.yaml", "/defs/types.yaml", "../defs/types.yaml"])
def test_an_archive_with_its_entry_in_a_folder_is_one_ensemble(tmp_path: Path, imported: str) -> None:
    folder, packed = tmp_path / "folder", tmp_path / "packed.csar"
    meta = META.format(entry="defs/main.yaml")
    files = {"TOSCA-Metadata/TOSCA.meta": meta, "defs/main.yaml": MAIN % imported, "defs/types.yaml": TYPES}
    write_archive({**files, "scripts/c.sh": "true\n"}, folder, packed)
    for path in (packed, folder, folder / "defs" / "main.yaml"):
        assert (told_by_validate(path), told_by_jobs(path)) == (set(), set())
    assert locate(packed).ensemble == tmp_path / "packed" / "ensemble.yaml"
    assert locate(folder).template == locate(folder / "defs" / "main.yaml").template == folder / "defs" / "main.yaml"
    assert locate(folder / "defs" / "main.yaml").ensemble == folder / "ensemble.yaml"
    assert locate(folder).ensemble == folder / "ensemble.yaml"
    assert locate(folder / "defs" / "types.yaml").ensemble == folder / "defs" / "ensemble.yaml"


def test_no_message_names_a_temporary_folder(tmp_path: Path) -> None:
    packed = tmp_path / "packed.csar"
    meta = META.format(entry="defs/main.yaml")
    text = MAIN % "../../types.yaml, missing.yaml, /etc/passwd"
    write_archive({"TOSCA-Metadata/TOSCA.meta": meta, "defs/main.yaml": text}, tmp_path / "folder", packed)
    found = validate_path(str(packed), JobOptions())
    assert [error["file"] for error in found["errors"]] == [f"{packed}/defs/main.yaml"] * 3
    assert "ansible-ensemble-" not in str(found)


def test_an_archive_is_not_taken_for_what_lies_beside_it(tmp_path: Path) -> None:
    packed = tmp_path / "packed.csar"
    files = {"service.yaml": SERVICE + "metadata: {template_name: a, template_version: 1.0}\n"}
    write_archive(files, tmp_path / "packed", packed)
    assert locate(packed).ensemble == tmp_path / "packed" / "ensemble.yaml"
    (tmp_path / "packed" / "service.yaml").write_text(files["service.yaml"].replace("a:", "b:"))
    with pytest.raises(InvalidInput, match=r"packed .* holds something else: service.yaml is not the same there"):
        locate(packed)


def test_validate_asks_for_no_input_and_checks_those_that_are_given(tmp_path: Path) -> None:
    file = tmp_path / "service.yaml"
    file.write_text(INPUTS)
    assert told_by_validate(file) == set()
    assert "no value is given for the input" in "".join(told_by_jobs(file))
    assert validate_path(str(file), JobOptions())["missing_inputs"] == ["port"]
    assert validate_path(str(file), JobOptions(inputs={"port": "80"}))["missing_inputs"] == []
    found = validate_path(str(file), JobOptions(inputs={"port": "many"}))
    assert "'many'" in found["errors"][0]["text"]


INPUTS = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties: {port: {type: integer}}
    interfaces: {Standard: {operations: {create: {implementation: "echo $port", inputs: {port: {type: integer}}}}}}
topology_template:
  inputs: {port: {type: integer}}
  node_templates:
    app:
      type: App
      properties: {port: {get_input: port}}
      interfaces: {Standard: {operations: {create: {inputs: {port: {get_input: port}}}}}}
  outputs: {port: {value: {get_property: [app, port]}}}
  workflows:
    again:
      inputs: {word: {type: string}}
      steps:
        one:
          target: app
          activities: [{call_operation: {operation: Standard.create, inputs: {port: {get_input: word}}}}]
"""


def test_validate_runs_nothing_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORD", "from the environment")
    file = tmp_path / "service.yaml"
    file.write_text(REACHING)
    assert told_by_validate(file) == set()
    assert sorted(tmp_path.iterdir()) == [file]


REACHING = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    app:
      type: tosca.nodes.Root
      interfaces:
        Standard:
          operations:
            create:
              implementation: echo $a
              inputs:
                a: {eval: {file: made, contents: made}}
            configure: {implementation: echo $b, inputs: {b: "{{ lookup('pipe', 'touch made') }}"}}
            start: {implementation: echo $c, inputs: {c: {get_env: NO_SUCH_VARIABLE}}}
            stop: {implementation: {className: terraform}, inputs: {main: "resource {}"}}
            delete: {implementation: echo $d, inputs: {d: {eval: {secret: nobody}}}}
  outputs:
    env: {value: {get_env: NO_SUCH_VARIABLE}}
    local: {value: {eval: {local: nothing}}}
    external: {value: {eval: {external: nothing}}}
"""


def test_a_wrong_ensemble_beside_a_file_is_no_fault_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "types.yaml").write_text(TYPES)
    (tmp_path / "ensemble.yaml").write_text("apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspce: {}\n")
    found = validate_path(str(tmp_path / "types.yaml"), JobOptions())
    assert found["errors"] == []
    assert "ensemble.yaml:3:1: unknown key 'spce'" in "".join(found["warnings"])
    assert "unknown key 'spce'" in "".join(told_by_jobs(tmp_path / "types.yaml"))
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["ensemble.yaml", "types.yaml"]


def test_a_folder_without_an_ensemble_names_the_file_that_may_be_meant(tmp_path: Path) -> None:
    (tmp_path / "motd.yaml").write_text("resources: {motd: {module: ansible.builtin.ping}}\n")
    (tmp_path / "hosts.yaml").write_text("web: {hosts: {web1: }}\n")
    with pytest.raises(InvalidInput, match=r"no ensemble\.yaml \(name the file that is meant: motd\.yaml\)"):
        locate(tmp_path)


#: Files of a folder without an ensemble; what it means, or what its refusal says.
FOLDERS = {
    "the usual name": ({"service-template.yaml": SERVICE, "types.yaml": TYPES}, "service-template.yaml"),
    "the usual name, empty": ({"service-template.yaml": "# soon\n"}, "service-template.yaml"),
    "another name": ({"web.yaml": SERVICE}, InvalidInput("(name the file that is meant: web.yaml)")),
    "a link": ({"service-template.yaml": "-> ../outside"}, InvalidInput("leads out of the project")),
    "several": (
        {"web.yaml": SERVICE, "service-template.yaml": SERVICE},
        InvalidInput("(name the file that is meant: service-template.yaml or web.yaml)"),
    ),
    "an archive that was unpacked": (
        {"web.csar": META.format(entry="web.yaml"), "web/ensemble.yaml": "kind: Ensemble\n"},
        InvalidInput("(name the file that is meant: web.csar)"),
    ),
    "in a project": ({"unfurl.yaml": "{}\n", "service-template.yaml": SERVICE}, "service-template.yaml"),
    "an archive without metadata": (
        {"web.yaml": SERVICE + "metadata: {template_name: a, template_version: 1.0}\n"},
        "web.yaml",
    ),
    "a folder in its place": ({"ensemble.yaml/ensemble.yaml": "x"}, InvalidInput("ensemble.yaml is a folder (name")),
    "nothing of the kind": ({"hosts.yaml": "web: {}\n"}, InvalidInput("`ansible-ensemble init` makes one")),
}


@pytest.mark.parametrize(("files", "meant"), FOLDERS.values(), ids=FOLDERS)
def test_a_folder_without_an_ensemble(tmp_path: Path, files: dict[str, str], meant: str | InvalidInput) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        if name.endswith(".csar"):
            write_archive(
                {"TOSCA-Metadata/TOSCA.meta": text, "web.yaml": SERVICE}, tmp_path / "packed", tmp_path / name
            )
        elif text.startswith("-> "):
            (tmp_path / name).symlink_to(text.removeprefix("-> "))
        else:
            (tmp_path / name).write_text(text)
    if isinstance(meant, str):
        assert locate(tmp_path).template == tmp_path / meant
        return
    with pytest.raises(InvalidInput, match=re.escape(meant.message)):
        locate(tmp_path)
