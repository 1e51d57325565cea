"""Every key that a reader accepts is acted on, is for people alone, or is a warning: none is dropped in silence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import ansible_ensemble
from ansible_ensemble.configurators.keywords import JOB_KEYS
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.language.keys import IMPLEMENTATION_KEYS, KEYS, UNHEEDED
from ansible_ensemble.language.playbook_keywords import PLAY_KEYS, TASK_KEYS

TABLE = read_yaml(Path(__file__).with_name("keys.yaml")).data
HOME = Path(ansible_ensemble.__file__).parent
#: What acts on the keys of an implementation that are the job's or the reader's.
IMPLEMENTATION = {
    **dict.fromkeys(
        ("primary", "dependencies", "operation_host", "timeout", "className", "configurator"), "interfaces"
    ),
    **dict.fromkeys(("inputs", "outputs"), "interfaces"),
}
JOBS = {
    "retries": "planning/sequence.py",
    "delay": "planning/sequence.py",
    "backoff": "planning/sequence.py",
    "serial": "engine/slots.py",
    "idempotent": "planning/deploy.py",
    "fast": "configurators/module.py",
    "check_mode": "configurators/play.py",
    "preConditions": "engine/task.py",
}


@pytest.mark.parametrize("construct", KEYS)
def test_each_key_of_a_construct_acts(construct: str) -> None:
    rows = TABLE[construct]
    assert set(rows) == set(KEYS[construct])
    for key, acts in rows.items():
        if acts == "warning":
            assert key in UNHEEDED[construct]
        elif acts != "description":
            assert f'"{key}"' in (HOME / acts).read_text(), f"{acts} does not mention {key}"
    assert {key for key, acts in rows.items() if acts == "warning"} == set(UNHEEDED.get(construct, ()))


def test_each_key_of_an_implementation_acts() -> None:
    assert set(IMPLEMENTATION) >= IMPLEMENTATION_KEYS
    for key, module in IMPLEMENTATION.items():
        assert f'"{key}"' in (HOME / "language" / f"{module}.py").read_text()
    by_play = (HOME / "configurators/play.py").read_text()
    for key in JOB_KEYS.union(TASK_KEYS, PLAY_KEYS) - set(IMPLEMENTATION) - {"description", "metadata"}:
        text = (HOME / JOBS[key]).read_text() if key in JOBS else by_play
        assert f'"{key}"' in text, key


def test_what_nothing_acts_on_is_a_warning(load: Callable[..., Topology]) -> None:
    topology = load("""
topology_template:
  root: n
  node_templates: {n: {type: Root, artifacts: {a: {type: File, file: a.txt, permissions: '0600'}}}}
""")
    assert [text.partition(": ")[2] for text in topology.warnings] == [
        "`root` of a topology template is ignored",
        "`permissions` of an artifact is ignored",
    ]
