from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from ansible_ensemble.configurators.protocol import Basis, Result
from ansible_ensemble.core.actions import Reason
from ansible_ensemble.core.orders import Outcome
from ansible_ensemble.core.sensitive import REDACTED, Redactor, mark_sensitive
from ansible_ensemble.engine.entry_builders import (
    bounded,
    finished_entry,
    has_changed,
    job_started_entry,
    started_entry,
)
from ansible_ensemble.engine.journal_entries import StartingPoint
from ansible_ensemble.engine.settle import Settled, settle
from ansible_ensemble.ensembles.implementation import own_digests
from ansible_ensemble.ensembles.secret_codec import SecretCodec
from ansible_ensemble.planning.plan import Plan

CONFIGURE = "app:Standard.configure"


def test_an_operation_starts(job) -> None:
    task = job().task(CONFIGURE)
    entry = started_entry(task, 1, 12.5, {})
    assert (entry.key, entry.task, entry.operation) == (CONFIGURE, task.id, "Standard.configure")
    assert (entry.reason, entry.relationship, entry.patches) == (Reason.ADD, None, ())


def test_where_an_operation_runs_is_known_when_it_starts(job) -> None:
    made = job()
    made.instance("machine", attributes={"public_address": "192.0.2.1"})
    made.instance("app", host="machine")
    task = made.task(CONFIGURE)
    made.renderer.configurator(task)
    assert started_entry(task, 1, 12.5, {}).host == "machine"


def test_what_an_operation_read_and_what_it_is_made_of(job) -> None:
    task = job().task(CONFIGURE)
    assert task.inputs["port"] == 80
    entry = finished_entry(task, Result(True), Settled(), since=0, codec=SecretCodec())
    assert set(entry.reads) == {".implementation", ".inputs", ".keywords", "::app::port"}
    assert entry.inputs == {"port": 80}


def test_what_it_wrote_itself_does_not_count_as_read(job) -> None:
    task = job().task(CONFIGURE)
    assert task.inputs["port"] == 80
    entry = finished_entry(task, Result(True), Settled(wrote=["::app::port"]), since=0, codec=SecretCodec())
    assert "::app::port" not in entry.reads
    assert entry.wrote == ("::app::port",)


def test_who_approved_is_told_without_secrets() -> None:
    redactor = Redactor()
    redactor.add("s3cret")
    plan = Plan("deploy", "ensemble.yaml")
    entry = job_started_entry(plan, "A6BKKsK50000", {}, StartingPoint(), redactor, approved_by="ann s3cret")
    assert entry.approved_by == f"ann {REDACTED}"


def test_no_secret_gets_into_the_journal(job) -> None:
    made = job()
    task = made.task(CONFIGURE)
    made.ensemble.redactor.add("s3cret")
    outcome = Outcome(
        True, stdout="it is s3cret", stderr="s3cret!", result={"deep": ["s3cret"]}, diff=[{"after": "s3cret\n"}]
    )
    task.planned.implementation = "echo s3cret"
    assert started_entry(task, 1, 12.5, {}).implementation == f"echo {REDACTED}"
    result = Result(
        False,
        error="s3cret is wrong",
        outputs={"one": "s3cret"},
        attributes={"token": mark_sensitive("t0ken")},
        messages=["see s3cret"],
        outcome=outcome,
    )
    entry = finished_entry(
        task, result, settle(task, result, made.instances, made.ensemble.redactor), since=0, codec=SecretCodec()
    )
    assert "s3cret" not in repr(entry)
    assert "t0ken" not in repr(entry)
    assert entry.patches[0]["attributes"] == {"token": REDACTED}


@pytest.mark.parametrize(
    ("key", "result", "settled", "changed"),
    [
        (CONFIGURE, Result(True), Settled(), False),
        (CONFIGURE, Result(True, modified=True), Settled(), True),
        (CONFIGURE, Result(True, outcome=Outcome(True, changed=True)), Settled(), True),
        (CONFIGURE, Result(True, outcome=Outcome(True, changed=None)), Settled(), True),
        (CONFIGURE, Result(False, outcome=Outcome(False, changed=None)), Settled(), True),
        (CONFIGURE, Result(True, modified=False, outcome=Outcome(True, changed=None)), Settled(), False),
        (CONFIGURE, Result(True, modified=False, outcome=Outcome(True, changed=True)), Settled(), False),
        (CONFIGURE, Result(True, outcome=Outcome(True, changed=False)), Settled(), False),
        (CONFIGURE, Result(True), Settled(wrote=["::app::url"]), False),
        (CONFIGURE, Result(True, modified=False), Settled(wrote=["::app::url"], altered=True), True),
        (CONFIGURE, Result(True, basis=Basis.NOT_RUN), Settled(), None),
        (CONFIGURE, Result(True, modified=False, basis=Basis.NOT_RUN), Settled(), False),
        ("app:Install.check", Result(True, basis=Basis.NOT_RUN), Settled(), False),
        ("app:Install.check", Result(True, modified=True), Settled(wrote=["::app::url"], altered=True), False),
        ("app:Install.check", Result(True), Settled(drift=[{"name": "url"}]), False),
    ],
)
def test_what_counts_as_a_change(job, key: str, result: Result, settled: Settled, changed: bool | None) -> None:
    made = job()
    if key.endswith("check"):
        made.instance("app", status="ok", created="A0")
    task = made.task(key, "check" if key.endswith("check") else "deploy")
    assert has_changed(task, result, settled) is changed


def test_long_texts_lose_their_middle() -> None:
    text = "a" * 15_000 + "b" * 15_000
    (short,) = bounded({"deep": [text]})["deep"]
    assert short.startswith("a" * 10_000 + "\n")
    assert short.endswith("\n" + "b" * 10_000)
    assert "10000 characters cut" in short


@pytest.mark.parametrize("value", ["a" * 20_000, 3, None, [1, {"x": "y"}]], ids=lambda value: type(value).__name__)
def test_the_rest_stays(value: Any) -> None:
    assert bounded(value) == value


def test_what_an_operation_is_made_of_is_that_of_its_rendering(job) -> None:
    made = job()
    script = made.ensemble.folder / "configure.sh"
    script.write_text("echo one\n")
    task = made.task(CONFIGURE)
    rendered = own_digests(replace(task.operation), task.root)
    script.write_text("echo two\n")
    entry = finished_entry(task, Result(True), Settled(), since=0, codec=SecretCodec())
    assert {ref: entry.reads[ref] for ref in rendered} == rendered


@pytest.mark.parametrize("lane", ["fast", "remote", "stock"])
def test_modules_are_taken_at_their_word(job, lane: str) -> None:
    """What they returned is kept as an attribute, which is a new one at the first time."""
    task = job().task(CONFIGURE)
    for said in (False, True):
        result = Result(True, outcome=Outcome(True, changed=said, lane=lane))
        assert has_changed(task, result, Settled(altered=True)) is said
