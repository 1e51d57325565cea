"""Records that somebody damaged or forged: each command says in one message what is wrong, or works."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.jobs.conftest import Run

pytestmark = pytest.mark.matrix

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {size: {type: integer, default: 1}}
  node_templates:
    one:
      properties: {a: {get_input: size}}
      interfaces: {Standard: {operations: {create: echo hi, delete: echo bye}}}
    two: {requirements: [dependency: one], interfaces: {Standard: {operations: {create: echo hi}}}}
"""
ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
TIMES_NINE = ", ".join(
    f"&{name} [{', '.join([inner] * 9)}]" for name, inner in zip("abcdefgh", ["x", *(f"*{one}" for one in "abcdefg")])
)
VALUES = [
    *("[]", "{}", "null", "true", "-1", "9" * 5000, "1e999", ".inf", '"\\ud800"', "[1, {a: b}]", '{"a": [1]}', "''"),
    *("!vault x", "!!python/object:os.system x", "&x [*x]", "2026-99-99", '"\\0"', "../../../etc/passwd"),
    *("[" * 3000 + "]" * 3000, "[" * 90 + "]" * 90, "{a: " * 200 + "1" + "}" * 200, f"[{TIMES_NINE}]"),
]
YAML_VALUE = re.compile(r"(?<=: )\S.*$", re.MULTILINE)
JSON_VALUE = re.compile(r'(?<=":)(?<=.)\s*(?:"(?:[^"\\]|\\.)*"|[\w.]+|\[\]|\{\})')
CELL = re.compile(r"[^\t\n]+")
LOOKING = (("status",), ("plan",), ("history",), ("history", "one"), ("show", "JOB"))
RECORDS = {
    "ensemble.yaml": (YAML_VALUE, (*LOOKING, ("deploy", "-a"))),
    "changes/*.yaml": (YAML_VALUE, LOOKING),
    "jobs/*.yaml": (YAML_VALUE, LOOKING),
    "jobs/*.jsonl": (JSON_VALUE, LOOKING),
    "jobs.tsv": (CELL, (*LOOKING, ("deploy", "-a"))),
    "plan.json": (JSON_VALUE, (("show", "plan.json"), ("deploy", "plan.json", "-a"))),
}


@pytest.mark.parametrize("record", RECORDS)
def test_any_record(command: Callable[..., Run], tmp_path: Path, record: str) -> None:
    base, folder = tmp_path / "base", tmp_path / "project"
    base.mkdir()
    (base / "service.yaml").write_text(SERVICE)
    (base / "ensemble.yaml").write_text(ENSEMBLE)
    assert command("deploy", "-a", cwd=base).code == 0
    assert command("plan", "--input", "size=3", "--out", "plan.json", cwd=base).code == 0
    job = (base / "jobs.tsv").read_text().splitlines()[-1].partition("\t")[0]
    pattern, calls = RECORDS[record]
    (source,) = base.glob(record)
    text = source.read_text()
    places, chosen = list(pattern.finditer(text)), random.Random(record)
    for _turn in range(100):
        place, value = chosen.choice(places), chosen.choice(VALUES)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder, symlinks=True)
        (folder / source.relative_to(base)).write_text(text[: place.start()] + value + text[place.end() :])
        words = [job if word == "JOB" else word for word in chosen.choice(calls)]
        done = command(*words, cwd=folder)
        told = f"{words}, {place[0]!r} is {value[:80]}: {done.output[-2000:]}"
        assert done.code in (0, 1, 3), told
        assert "Traceback" not in done.output, told
        assert done.output.count("Error:") == bool(done.code), told
