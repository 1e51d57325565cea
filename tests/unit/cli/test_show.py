"""`ansible-ensemble show --watch`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_ensemble.cli import live
from ansible_ensemble.cli.commands import show
from ansible_ensemble.engine.journal_entries import JobStarted
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.projects.lock import locked
from ansible_ensemble.records.journals import create_journal, job_of_journal
from ansible_ensemble.records.saved_plans import keep_plan
from tests.bench.services import tosca


def test_who_watches_before_a_job_has_begun_sees_its_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tosca(tmp_path, "independent", 2, '{className: Cmd, primary: "true"}')
    service = str(tmp_path / "service.yaml")
    ensemble = read_ensemble(locate(service), JobOptions())
    saved = keep_plan(plan_workflow(ensemble, "deploy", JobOptions()).to_text(), ensemble.planned, locked=True)
    journal = create_journal(ensemble.folder, "A6BPE13S0000", ensemble.base)
    started = JobStarted(
        job="A6BPE13S0000",
        workflow="deploy",
        ensemble="",
        options={},
        base={},
        summary={},
        total=2,
        time=0.0,
        plan_digest=saved.digest,
    )
    seen: list[tuple[dict[str, Any], object]] = []

    def begin(_seconds: float) -> None:
        journal.append(started.to_json())
        journal.commit()

    @contextmanager
    def view(_console: object, plan: dict[str, Any], path: Path, **told: Any) -> Iterator[None]:
        seen.append((plan, told["remaining"]))
        path.unlink()  # it has ended
        yield

    monkeypatch.setattr(show, "time", SimpleNamespace(sleep=begin, monotonic=lambda: 0.0))
    monkeypatch.setattr(live, "live_lines", view)
    arguments: Any = SimpleNamespace(ensemble=service, change_id=job_of_journal(journal.path), verbose=0)
    session: Any = SimpleNamespace(console=SimpleNamespace(is_terminal=True))
    with locked(ensemble.path, "deploy"):
        show._watch(arguments, session, {})
    journal.close()
    ((plan, remaining),) = seen
    assert len(plan["operations"]) == 2
    assert remaining is not None, "the time to go is told"
