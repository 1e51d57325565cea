"""Documents that the product wrote and somebody changed: each command says what is wrong, and never fails by a defect.

The structure is changed, not the bytes: a merge by git, a hand's edit or another version's file does that.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.jobs import commands, inspection
from ansible_ensemble.jobs.planned import make_plan
from ansible_ensemble.planning.plan import plan_document_text
from ansible_ensemble.records.journals import OPEN, RECORDED
from ansible_ensemble.records.saved_plans import load_plan
from ansible_ensemble.reports.graph import dot, graph_of, mermaid
from ansible_ensemble.reports.graph_svg import graph_svg
from ansible_ensemble.reports.history_text import history_text, job_record_text
from ansible_ensemble.reports.plan_html import plan_html
from ansible_ensemble.reports.plan_text import plan_text
from ansible_ensemble.reports.status_text import status_text
from tests.rules.test_recovery import line
from tests.rules.test_rules import HERE, Case

#: Changes of each document; each is the same in every run.
MUTANTS = 8
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml]
relationship_types:
  Wire:
    derived_from: tosca.relationships.DependsOn
    interfaces: {Configure: {operations: {add_source: echo a, remove_source: echo a}}}
topology_template:
  node_templates:
    app: {type: App, requirements: [{dependency: {node: db, relationship: {type: Wire}}}]}
    db: {type: Seen}
  outputs: {port: {value: {get_property: [app, port]}}}
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ensemble with a deployed job, one that was killed, and a saved plan."""
    case = Case(HERE / "deploy" / "new", tmp_path_factory.mktemp("mutated") / "case")
    (case.folder / "service.yaml").write_text(SERVICE)
    case.run({})
    plan = case.plan({"options": {"force": True}})[1]
    (case.folder / "plan.json").write_text(plan_document_text(plan.to_json()))
    log = next((case.folder / "jobs").glob(f"*{RECORDED}"))
    events = [json.loads(text) for text in log.read_bytes().splitlines()]
    for event in events:
        event.pop("process", None)
    shutil.copytree(case.folder, case.folder.with_name("killed"))
    killed = case.folder.with_name("killed")
    (killed / "ensemble.yaml").write_text("apiVersion: tosca-ensemble/v1\nkind: Ensemble\n" + SPEC)
    (killed / "jobs" / log.name).unlink()
    (killed / "events.json").write_text(json.dumps(events))
    (killed / "journal").write_text(log.name.removesuffix(RECORDED) + OPEN)
    return case.folder


SPEC = "spec: {service_template: service.yaml}\n"
OTHERS = [None, True, 5, -1, 1e300, "x", "", "A00000000000", [], {}, ["x"], {"x": None}, [[]], [{}], {"": {}}]


def nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each place in the data: its map or list, and its key."""
    for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(item, (dict, list)):
            yield from nodes(item)


def mutated(data: Any, chance: random.Random) -> Any:
    """The data with its structure changed at one to three places."""
    made = copy.deepcopy(data)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        owner, key = chance.choice(list(nodes(made)) or [({"x": 1}, "x")])
        match chance.randrange(4):
            case 0:
                del owner[key]
            case 1 if isinstance(owner, dict):
                owner[chance.choice(["x", "", "+x", str(key).upper()])] = owner.pop(key)
            case 2:
                other_owner, other = chance.choice(list(nodes(data)))
                owner[key] = copy.deepcopy(other_owner[other])
            case _:
                owner[key] = copy.deepcopy(chance.choice([*OTHERS, deep()]))
    return made


def deep() -> Any:
    value: Any = "x"
    for _ in range(200):
        value = [value]
    return value


def defects(folder: Path, seed: int) -> list[str]:
    """What fails by a defect when everything is asked that can be asked; what is wrong is to be told to the user."""
    ensemble, plan = str(folder), folder / "plan.json"
    asked: dict[str, Callable[[], Any]] = {
        "status": lambda: status_text(inspection.status(ensemble, {}), verbose=True),
        "plan": lambda: draw(make_plan(ensemble, "deploy", {}).document),
        "plan undeploy": lambda: draw(make_plan(ensemble, "undeploy", {}).document),
        "saved plan": lambda: draw(load_plan(plan)[0].to_json()),
        "history": lambda: told(ensemble),
        "recover": lambda: commands.recover(ensemble, {}),
        "status after recover": lambda: status_text(inspection.status(ensemble, {}), verbose=True),
    }
    found = []
    for name, ask in asked.items():
        try:
            ask()
        except EnsembleError as error:
            assert error.message
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            found.append(f"mutant {seed}, {name}: {type(error).__name__}: {error} ({frame.filename}:{frame.lineno})")
    shutil.rmtree(folder)
    return found


def draw(document: dict[str, Any]) -> None:
    for operations in (False, True):
        graph = graph_of(document, operations=operations)
        for drawn in (dot, mermaid, graph_svg):
            drawn(graph)
    plan_text(document)
    plan_html(document)


def told(ensemble: str) -> None:
    jobs = inspection.history(ensemble, {})
    history_text(jobs["jobs"])
    for job in jobs["jobs"]:
        job_record_text(inspection.show(ensemble, job["change_id"], {}))


def write_yaml(file: Path, data: Any) -> None:
    file.write_text(yaml.safe_dump(data, sort_keys=False))


@pytest.mark.parametrize("name", ["ensemble.yaml", "plan.json", "active/artifacts/templates.json", "changes", "jobs"])
def test_a_changed_document(original: Path, tmp_path: Path, name: str) -> None:
    found: list[str] = []
    for seed in range(MUTANTS):
        folder = tmp_path / str(seed)
        shutil.copytree(original, folder)
        file = folder / name
        file = next(file.glob("*.yaml")) if file.is_dir() else file
        if (name == "plan.json" and seed % 2) or name == "changes":
            (folder / "jobs.tsv").unlink()  # so that all is known from the records alone
            shutil.rmtree(folder / "jobs")
        if file.suffix == ".json":
            file.write_text(json.dumps(mutated(json.loads(file.read_text()), random.Random(seed))))
        else:
            write_yaml(file, mutated(yaml.safe_load(file.read_text()), random.Random(seed)))
        found += defects(folder, seed)
    assert not found, "\n".join(found)


def test_a_changed_list_of_jobs(original: Path, tmp_path: Path) -> None:
    found: list[str] = []
    for seed in range(MUTANTS):
        folder, chance = tmp_path / str(seed), random.Random(seed)
        shutil.copytree(original, folder)
        file = folder / "jobs.tsv"
        rows = [line.split("\t") for line in file.read_text().splitlines()]
        row = chance.choice(rows)
        row[chance.randrange(len(row))] = chance.choice(["", "x", "=", "digests=,,", "A9", "digestKeys=%", "seconds=x"])
        chance.shuffle(rows)
        file.write_text("\n".join("\t".join(row) for row in rows))
        found += defects(folder, seed)
    assert not found, "\n".join(found)


def test_a_changed_journal(original: Path, tmp_path: Path) -> None:
    killed = original.with_name("killed")
    events = json.loads((killed / "events.json").read_text())
    found: list[str] = []
    for seed in range(MUTANTS):
        folder = tmp_path / str(seed)
        shutil.copytree(killed, folder)
        changed = [event for event in mutated(events, random.Random(seed)) if isinstance(event, dict)]
        for number, event in enumerate(changed):
            event.pop("crc", None)
            event["seq"] = number
        ordered = [{"seq": event.pop("seq"), **event} for event in changed]
        (folder / "jobs" / (killed / "journal").read_text()).write_bytes(b"".join(map(line, ordered)))
        found += defects(folder, seed)
    assert not found, "\n".join(found)
