"""How long operations usually take, by `jobs.tsv`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible_ensemble.changes.operations import RecordedOperations
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.jobs.prepared_job import usual_seconds

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Page: {derived_from: tosca.nodes.Root, interfaces: {Standard: {create: echo c, configure: echo d, start: echo s}}}
topology_template:
  node_templates:
    one: {type: Page}
    two: {type: Page}
    new: {type: Page}
    other: {type: tosca.nodes.Root, interfaces: {Standard: {configure: echo d}}}
"""
TASK = "A6BKKsK5{:04}\ttarget=::{}\toperation={}\tdigestValue=x\tseconds={}\n"
#: What ran, the oldest first.
RAN = [("one", "create", 2), ("two", "create", 3), ("one", "create", 5), ("one", "configure", 7), ("gone", "start", 9)]


def test_each_takes_as_long_as_the_last_time_or_as_its_like(job: Callable[..., Any], tmp_path: Path) -> None:
    ensemble = job(SERVICE).ensemble
    history = tmp_path / "jobs.tsv"
    history.write_text("".join(TASK.format(number, *ran) for number, ran in enumerate(RAN, 1)))
    ensemble.operations = RecordedOperations(history)
    for name in ("one", "two"):
        ensemble.instances.add(Instance(name, name))
    plan = plan_workflow(ensemble, "deploy", JobOptions(force=True))
    history.unlink()
    assert usual_seconds(plan, ensemble) == {
        "one:Standard.create": 5.0,
        "one:Standard.configure": 7.0,
        "two:Standard.create": 3.0,
        "two:Standard.configure": 7.0,
        "new:Standard.create": 4.0,
        "new:Standard.configure": 7.0,
    }
