"""Jobs that are killed at each step, wherever their state lives: what is finished is known to the next, elsewhere."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.changes.job_record import OPEN
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.jobs import locking
from ansible_ensemble.jobs.commands import prepare_job
from ansible_ensemble.jobs.run import run_plan
from ansible_ensemble.state import files, git_remote
from ansible_ensemble.state.copy import StateCopy
from ansible_ensemble.state.document_store import DocumentStore
from ansible_ensemble.state.journal_upload import JournalUpload
from ansible_ensemble.state.version import marked
from tests.unit.state.conftest import Opener

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Noted:
    derived_from: tosca.nodes.Root
    interfaces:
      Standard:
        operations:
          create:
            implementation: >-
              echo begin $name >> {world}/log; test $name != n1 || test ! -e {world}/victim || kill -9 $(cat
              {world}/victim); echo end $name >> {world}/log
            inputs: {name: {get_attribute: [SELF, tosca_name]}}
topology_template:
  node_templates:
    n0: {type: Noted}
    n1: {type: Noted, requirements: [{dependency: n0}]}
    n2: {type: Noted, requirements: [{dependency: n1}]}
"""
ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
_SUBREAPER = 36


def die(*_arguments: Any, **_named: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def after(holder: Any, name: str) -> None:
    """Die when something is done."""
    done = getattr(holder, name)

    def wrapped(*arguments: Any, **named: Any) -> None:
        done(*arguments, **named)
        die()

    setattr(holder, name, wrapped)


def in_push(_world: Path) -> None:
    """Die in the middle of it: of a folder, when some files are written; else when nothing is there yet."""

    def finish(copy: StateCopy) -> None:
        after(files, "_write")
        git_remote.GitRemote.push = die  # type: ignore[method-assign]
        DocumentStore.write = die  # type: ignore[method-assign]
        copy.push()

    StateCopy.finish = finish  # type: ignore[method-assign,assignment]


def pushed(_world: Path) -> None:
    """Die when it is there, which is not noted here yet."""

    def finish(copy: StateCopy) -> None:
        after(copy._store, "write")
        copy.push()

    StateCopy.finish = finish  # type: ignore[method-assign,assignment]


def in_operation(world: Path) -> None:
    (world / "victim").write_text(str(os.getpid()))


#: How a job is made to be killed at a step, and how often the operations of n0, n1 and n2 begin until all is deployed.
STEPS: dict[str, tuple[Callable[[Path], Any], tuple[int, int, int]]] = {
    "with the lock": (lambda _world: setattr(StateCopy, "_synchronise", die), (1, 1, 1)),
    "with the journal": (lambda _world: setattr(JournalUpload, "uploaded", die), (1, 1, 1)),
    "in an operation": (in_operation, (1, 2, 1)),
    "before the push": (lambda _world: setattr(StateCopy, "finish", die), (1, 1, 1)),
    "in the push": (in_push, (1, 1, 1)),
    "after the push": (pushed, (1, 1, 1)),
    "before the unlock": (lambda _world: setattr(StateCopy, "release", die), (1, 1, 1)),
}
#: S3 keeps a document as servers of HTTP do: what it has of its own is the writing.
CASES = [*product(("path", "git", "http"), STEPS), *product(("s3",), ("in an operation", "in the push"))]


def make(folder: Path, world: Path, kind: str, values: Mapping[str, str]) -> Path:
    """A clone of the project, whose state lives elsewhere."""
    folder.mkdir()
    state = {kind: values[kind], **{name: value for name, value in values.items() if name != "folder" and value}}
    (folder / "service.yaml").write_text(SERVICE.replace("{world}", str(world)))
    (folder / "ensemble.yaml").write_text(ENSEMBLE)
    (folder / "ensemble-project.yaml").write_text(json.dumps({"environments": {"defaults": {"state": state}}}))
    return folder


def deploy(folder: Path) -> None:
    """What the command does, but for its playbook."""
    with prepare_job(str(folder), "deploy", {"jobs": 1}) as job:
        ensemble, options, held = job._ensemble, job._options, job._lock.local
        if not job._plan.empty:
            start = locking.journal_upload(ensemble.path, held, options)
            watch = locking.watch(ensemble.path, held, ensemble.environment)
            lanes: Any = None  # there are commands only
            run_plan(
                ensemble, job._plan, options, lambda: lanes, show=lambda _text: None, watch=watch, start_upload=start
            )
        report = job.finish()
        assert (report["job"]["success"], report["problems"]) == (True, []), report


def in_a_process(what: Callable[[], None]) -> int:
    """Do it in a process of its own, and wait for all that it started; returns its exit code, less than 0 if killed."""
    between = os.fork()
    if between:
        return os.waitstatus_to_exitcode(os.waitpid(between, 0)[1])
    code = 1
    with contextlib.suppress(BaseException):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
        worker = os.fork()
        if worker == 0:
            try:
                what()
                code = 0
            finally:
                os._exit(code)
        code = 0 if os.waitpid(worker, 0)[1] == 0 else 9
        while True:
            os.waitpid(-1, 0)
    os._exit(code)


@pytest.mark.parametrize(("location", "step"), CASES, indirect=["location"])
def test_what_is_finished_is_known_to_the_next_job_elsewhere(
    location: tuple[str, Mapping[str, str]],
    opened: Opener,
    step: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_TRUST", f"{tmp_path / 'one'}:{tmp_path / 'other'}")
    world = tmp_path / "world"
    world.mkdir()
    hit, expected = STEPS[step]

    def killed() -> None:
        hit(world)
        deploy(make(tmp_path / "one", world, *location))

    assert in_a_process(killed) == 9
    shutil.rmtree(tmp_path / "one")
    (world / "victim").unlink(missing_ok=True)
    other = make(tmp_path / "other", world, *location)
    assert in_a_process(lambda: deploy(other)) == 0

    began = [line.split()[1] for line in (world / "log").read_text().splitlines() if line.startswith("begin")]
    assert tuple(began.count(name) for name in ("n0", "n1", "n2")) == expected
    state = opened().read() or {}
    assert not [name for name in state if name.endswith(OPEN)]
    assert marked(state)[0] > 0
    instances = parse_yaml(state["ensemble.yaml"].content.decode(), tmp_path / "state").data["status"]["instances"]
    assert {name: instances[name]["readyState"]["local"] for name in instances} == dict.fromkeys(
        ("n0", "n1", "n2"), "ok"
    )
