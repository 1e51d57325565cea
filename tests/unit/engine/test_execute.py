"""A plan that is carried out by workers who only take note."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections import Counter
from itertools import count
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.orders import ModuleCall, Outcome
from ansible_ensemble.engine.execute import JobExecution, JobOutcome
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.engine.render import Renderer
from ansible_ensemble.records.job_journal import read_job_journal
from ansible_ensemble.records.journals import create_journal, open_journals

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Thing:
    derived_from: tosca.nodes.Root
topology_template:
  node_templates:
"""
JOB = "A6BKKsK50000"
HOSTS = ("web1", "web2", "localhost")
INVENTORY = ["web1,web2"]


def service(serial: str = "timeout: 9") -> str:
    """Three things on each host."""
    lines = []
    for host in HOSTS:
        for number in range(3):
            primary = f"{{primary: ansible.builtin.ping, operation_host: {host}, {serial}}}"
            operation = f"{{Standard: {{operations: {{create: {{implementation: {primary}}}}}}}}}"
            lines.append(f"    {host}-{number}: {{type: Thing, interfaces: {operation}}}")
    return SERVICE + "\n".join(lines) + "\n"


class Workers:
    """Carries out nothing, and keeps count of what runs side by side."""

    def __init__(self) -> None:
        self.now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()

    async def run(self, order: ModuleCall, tell: object) -> Outcome:
        del tell
        for name in (order.host.name, "all"):
            self.now[name] += 1
            self.most[name] = max(self.most[name], self.now[name])
        await asyncio.sleep(0.01)
        for name in (order.host.name, "all"):
            self.now[name] -= 1
        return Outcome(ok=True, changed=True, result={"found": order.host.name})

    async def close(self) -> None:
        pass


class Watch:
    """Tells that the lock is lost, once an operation runs."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers

    async def lost(self) -> str:
        while not self.workers.now["all"]:
            await asyncio.sleep(0)
        return "bob has it"


class Upload:
    """Uploads the journal so many times, then no more."""

    def __init__(self, times: int) -> None:
        self.times = times

    def begin(self) -> None:
        self.failed = asyncio.get_running_loop().create_future()

    def has_lost_lock(self) -> bool:
        return False

    async def uploaded(self) -> bool:
        self.times -= 1
        if self.times < 0 and not self.failed.done():
            self.failed.set_result("it is unreachable")
        await asyncio.sleep(0)
        return self.times >= 0


def carry_out(
    made: Any, *, lose_lock: bool = False, uploads: int | None = None
) -> tuple[JobOutcome, Workers, list[dict[str, Any]]]:
    """The outcome of a deploy, the workers, and the events of the journal."""
    workers = Workers()
    journal = create_journal(made.ensemble.folder, JOB, {})

    async def run() -> JobOutcome:
        plan = plan_workflow(made.ensemble, "deploy", made.options)
        renderer = Renderer(made.ensemble, made.options, frozenset(HOSTS))
        return await JobExecution(
            made.ensemble,
            plan,
            made.options,
            job=JOB,
            journal=journal,
            workers=workers,
            renderer=renderer,
            watch=Watch(workers) if lose_lock else None,
            upload=Upload(uploads) if uploads is not None else None,
        ).run()

    outcome = asyncio.run(run())
    journal.close()
    return outcome, workers, [json.loads(line) for line in journal.path.read_text().splitlines()]


@pytest.mark.parametrize(
    ("serial", "per_host", "most", "slots"),
    [
        ("timeout: 9", 0, {"web1": 3, "web2": 3, "localhost": 3, "all": 9}, set()),
        ("timeout: 9", 2, {"web1": 2, "web2": 2, "localhost": 3, "all": 7}, {"on web1", "on web2"}),
        ("serial: host", 0, {"web1": 1, "web2": 1, "localhost": 1, "all": 3}, {f"in host {host}" for host in HOSTS}),
        ("serial: [db]", 2, {"web1": 1, "web2": 1, "localhost": 1, "all": 1}, {"in db"}),
    ],
)
def test_slots_are_limited_by_what_is_known_once_an_operation_is_rendered(job, serial, per_host, most, slots) -> None:
    outcome, workers, told = carry_out(job(service(serial), inventory=INVENTORY, jobs=9, jobs_per_host=per_host))
    assert (outcome.ok, outcome.counts) == (True, {"succeeded": 9})
    assert workers.most == most
    waited = {event["for"][0] for event in told if event["event"] == "waiting"}
    assert waited == {f"a slot {slot}" for slot in slots}
    attempts = Counter(event["key"] for event in told if event["event"] == "started")
    assert set(attempts.values()) == {1}


def test_a_serial_that_is_no_name_is_refused_before_the_job(job) -> None:
    with pytest.raises(InvalidInput, match=r"the serial of Standard.create is {'a': 'b'}"):
        carry_out(job(service("serial: {a: b}"), inventory=INVENTORY, jobs=9))


def test_a_job_that_loses_its_lock_begins_nothing_more_and_lets_end_what_runs(job) -> None:
    outcome, _, told = carry_out(job(service(), inventory=INVENTORY, jobs=2), lose_lock=True)
    assert outcome.lost_lock
    assert (outcome.ok, outcome.stopped, outcome.signal) == (False, "bob has it", None)
    assert outcome.counts == {"succeeded": 2, "cancelled": 7}
    [stopping] = [event for event in told if event["event"] == "stopping"]
    assert (stopping["reason"], len(stopping["running"])) == ("bob has it", 2)
    assert told[-1]["stopped"] == "bob has it"


@pytest.mark.filterwarnings("error")
def test_a_lock_need_not_be_watched_where_there_is_nothing_to_do(job) -> None:
    outcome, _, _ = carry_out(job(SERVICE.replace("topology_template:\n  node_templates:\n", "")), lose_lock=True)
    gc.collect()  # what was never awaited says so when it goes
    assert (outcome.ok, outcome.lost_lock, outcome.counts) == (True, False, {})


def test_what_is_not_known_elsewhere_does_not_begin(job) -> None:
    outcome, workers, told = carry_out(job(service(), inventory=INVENTORY, jobs=1), uploads=2)
    assert not outcome.lost_lock
    assert (outcome.ok, outcome.stopped) == (False, "it is unreachable")
    assert workers.most["all"] == 1
    assert [event["event"] for event in told].count("started") == 3
    ended = [event for event in told if event["event"] == "finished"]
    assert [event["ok"] for event in ended] == [True, True, False]
    assert ended[-1]["error"] == "it did not begin, as the state could not be told of it"
    assert outcome.counts == {"succeeded": 2, "failed": 1, "cancelled": 6}


def test_durations_are_those_of_a_clock_that_nobody_sets(job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", count(time.time(), -3600).__next__)  # an hour back at each look
    outcome, _, told = carry_out(job(service(), inventory=INVENTORY, jobs=4))
    assert outcome.ok
    times = [event["time"] for event in told if "time" in event]
    assert times == sorted(times, reverse=True)
    assert all(0 <= event["seconds"] < 30 for event in told if event["event"] in ("finished", "job-finished"))


DELEGATING = (
    SERVICE.replace("simple_yaml_1_3", "simple_unfurl_1_0_0")
    + """\
    thing:
      type: Thing
      interfaces:
        Standard:
          operations:
            create:
              implementation: {className: unfurl.configurators.DelegateConfigurator}
              inputs: {operation: Standard.configure}
            configure: {implementation: {primary: ansible.builtin.ping, operation_host: web1}}
"""
)


def test_a_part_of_an_operation_that_cannot_go_on_has_ended(job, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(self: Workers, order: ModuleCall, tell: object) -> Outcome:
        raise EnsembleError("there is no way to web1")

    monkeypatch.setattr(Workers, "run", refuse)
    made = job(DELEGATING, inventory=INVENTORY)
    outcome, _, told = carry_out(made)
    assert outcome.counts == {"failed": 1, "blocked": 1}
    assert [event["error"] for event in told if event["event"] == "finished"] == ["there is no way to web1"] * 2
    assert not read_job_journal(open_journals(made.ensemble.folder)[0]).interrupted


async def lose(self: Workers, order: ModuleCall, tell: object) -> Outcome:
    return Outcome(ok=False, cancelled=True, error="its worker is gone")


def test_what_may_have_run_is_not_tried_again(job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workers, "run", lose)
    outcome, _, told = carry_out(job(service("retries: 2, delay: 0"), inventory=INVENTORY))
    assert outcome.counts == {"interrupted": 9}
    assert [event["event"] for event in told].count("started") == 9


def test_an_operation_of_which_a_part_may_have_run_is_not_tried_again(job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workers, "run", lose)
    primary = "className: unfurl.configurators.DelegateConfigurator"
    outcome, _, told = carry_out(
        job(DELEGATING.replace(primary, f"{primary}, retries: 2, delay: 0"), inventory=INVENTORY)
    )
    assert outcome.counts == {"interrupted": 1, "blocked": 1}
    assert [event["error"] for event in told if event["event"] == "finished"] == ["its worker is gone"] * 2


def test_operations_that_end_at_once_set_parts_of_one_attribute(job) -> None:
    lines = ["    base: {type: tosca.nodes.Compute}"]
    for number in range(4):
        primary = f"{{primary: ansible.builtin.ping, operation_host: {HOSTS[0]}}}"
        create = f"{{create: {{implementation: {primary}, outputs: {{found: [HOST, info, p{number}]}}}}}}"
        lines.append(f"    part{number}: {{type: tosca.nodes.SoftwareComponent, requirements: [host: base],")
        lines.append(f"      interfaces: {{Standard: {{operations: {create}}}}}}}")
    made = job(SERVICE + "\n".join(lines) + "\n", inventory=INVENTORY, jobs=9)
    outcome, workers, _ = carry_out(made)
    assert (outcome.ok, workers.most["all"]) == (True, 4)
    assert made.instances.by_name["base"].attributes["info"] == {f"p{number}": HOSTS[0] for number in range(4)}
