"""A prepared job: the lock is held and the plan is made; the playbook executes it, and it is finished here."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from ansible_ensemble.changes.history import newest_job
from ansible_ensemble.changes.job_record import JOBS, OPEN, job_file_name
from ansible_ensemble.core.changeid import new_job_id
from ansible_ensemble.core.clock import now
from ansible_ensemble.core.errors import EnsembleError, Locked
from ansible_ensemble.engine.entry_builders import job_finished_entry, job_started_entry
from ansible_ensemble.engine.outcome import Endings, exit_code
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.job_inputs import recorded_options, remove_secret_inputs, save_secret_inputs
from ansible_ensemble.ensembles.location import Location
from ansible_ensemble.ensembles.options import OPTIONS, JobOptions
from ansible_ensemble.ensembles.read import read_again
from ansible_ensemble.jobs import locking
from ansible_ensemble.jobs.expression import value_of
from ansible_ensemble.jobs.locking import JobLock
from ansible_ensemble.planning.plan import Plan, plan_document_text
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.lfs_lock import check_global
from ansible_ensemble.projects.process import Presence, Process, presence
from ansible_ensemble.records.adoption import adoption
from ansible_ensemble.records.job_journal import read_job_journal
from ansible_ensemble.records.journals import create_journal, job_log
from ansible_ensemble.records.outputs import finish_outputs
from ansible_ensemble.records.record import commit_job, record_journal
from ansible_ensemble.records.report import job_report
from ansible_ensemble.records.repositories import starting_point
from ansible_ensemble.records.saved_plans import drop_plans, keep_plan


def usual_seconds(plan: Plan, ensemble: Ensemble) -> dict[str, float]:
    """Seconds that the operations of a plan usually take, by key; those of which nothing is known are left out.

    An operation takes as long as the last time that it succeeded; a new one as long as the same operation of other
    instances of the type.
    """
    recorded = ensemble.operations
    by_type: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for instance in ensemble.instances:
        for name, operation in recorded.of(instance.name).items():
            if operation.seconds is not None:
                by_type[_type_of(instance.template, ensemble), name].append(operation.seconds)
    from statistics import median  # here, for only jobs need it, and it is large

    found = {}
    for planned in plan.operations:
        name = planned.key.partition(":")[2].rstrip("+")
        own = recorded.of(planned.instance).get(name)
        alike = by_type.get((_type_of(planned.template, ensemble), name))
        if own is not None and own.seconds is not None:
            found[planned.key] = own.seconds
        elif alike:
            found[planned.key] = median(alike)
    return found


def _type_of(template: str, ensemble: Ensemble) -> str:
    """The type of a template; one that left the specification is of no type but its own."""
    found = ensemble.topology.node_templates.get(template)
    return found.type.name if found is not None else f"::{template}"


#: Seconds, beside the grace of a stopped job, after which its process is no longer waited for.
_PATIENCE = 30.0


class PreparedJob:
    """A job between its plan and its record. Leaving it releases the locks, which this process holds."""

    #: The playbook that carries the plan out.
    playbook = "tosca.ensemble.carry_out"

    def __init__(self, location: Location, ensemble: Ensemble, plan: Plan, options: JobOptions, lock: JobLock) -> None:
        self._location = location
        self._ensemble = ensemble
        self._options = options
        self._lock = lock
        self._plan = plan
        self._plan.job = new_job_id(now(), newest_job(ensemble.folder))
        self.document: dict[str, Any] = plan.to_json()
        self._lost: str | None = None
        self._problems: list[str] = []

    @property
    def id(self) -> str:
        """The job's change id."""
        return self._plan.job

    @property
    def folder(self) -> Path:
        """Where the record of the run goes."""
        return self._ensemble.folder / JOBS / f"{job_file_name(self.id)}.runner"

    @property
    def callback_folders(self) -> list[Path]:
        """Where callback plugins are searched, as Ansible does beside a playbook."""
        return [folder / "callback_plugins" for folder in dict.fromkeys((self._ensemble.root, self._ensemble.folder))]

    @property
    def journal(self) -> Path:
        """Where the events of the job appear while it runs."""
        return self._records / JOBS / (job_file_name(self.id) + OPEN)

    @property
    def slots(self) -> int:
        """How many operations run at a time."""
        return self._options.parallel

    def usual_seconds(self) -> dict[str, float]:
        """How long its operations usually take, by key; of a dry run nothing is known."""
        return {} if self._options.check else usual_seconds(self._plan, self._ensemble)

    @property
    def _records(self) -> Path:
        return self._ensemble.planned if self._options.check else self._ensemble.folder

    def save(self) -> Mapping[str, Any]:
        """Save the plan, as it was shown, and secret inputs; returns the playbook's variables, which are no secrets."""
        ensemble = self._ensemble
        saved = keep_plan(plan_document_text(self.document), ensemble.planned, locked=True)
        save_secret_inputs(ensemble.planned, self._options, ensemble.topology, ensemble.codec, plan=saved.digest)
        executed = [one for one in OPTIONS if "execute" in one.modules]
        chosen = {f"ensemble_{one.variable}": getattr(self._options, one.name) for one in executed}
        return {
            "ensemble": str(self._location.template or self._location.ensemble),
            "ensemble_workflow": self._plan.workflow,
            "ensemble_plan_file": str(saved.path),
            "ensemble_plan_digest": saved.digest,
            **{name: value for name, value in chosen.items() if value is not None},
        }

    def finish(self, interrupted_by: int | None = None) -> dict[str, Any]:
        """Record what is not recorded yet and return the job's report; a signal may have ended the playbook."""
        if self._plan.empty:
            self._note_empty()
        self._await_workers()
        self._lost = self._lost_lock()
        if self.journal.is_file():
            with locking.recording(self._location.ensemble, lambda held: held.id == self._lock.local.id):
                report = self._recorded(read_again(self._ensemble, self._options))
            if self._options.check:
                self.journal.unlink()
            return self._marked(report, interrupted_by)
        log = job_log(self._ensemble.folder, self.id)
        if not log.is_file():
            raise EnsembleError("the job did not begin", hint="-vv shows Ansible's output")
        report = job_report(read_job_journal(log))
        finish_outputs(read_again(self._ensemble, self._options), report)
        return self._marked(report, interrupted_by)

    def query(self, expression: str) -> Any:
        """The value of an expression on what is recorded now; see `value_of`."""
        return value_of(read_again(self._ensemble, self._options), expression)

    def _recorded(self, ensemble: Ensemble) -> dict[str, Any]:
        try:
            return record_journal(ensemble, self.journal, write=not self._options.check)
        except EnsembleError as error:
            hint = "; ".join(filter(None, (error.hint, "the next job records what this one did, from its journal")))
            raise EnsembleError(error.message, error.place, hint) from error

    def _await_workers(self) -> None:
        """Wait for the process that executes the plan: it outlives a playbook that was killed, to end what runs."""
        end = time.monotonic() + self._options.grace + _PATIENCE
        while any(presence(worker) is Presence.ALIVE for worker in self._workers()) and time.monotonic() < end:
            time.sleep(0.05)

    def _workers(self) -> Sequence[Process]:
        """The processes that work for this job, as the lock has them; if that is lost, as the journal has it."""
        held = locks.read_lock(self._location.ensemble)
        if held is not None and held.id == self._lock.local.id:
            return held.adopters
        process = read_job_journal(self.journal).header.carried_out_by if self.journal.is_file() else None
        return [process] if process is not None and process.pid != os.getpid() else []

    def _note_empty(self) -> None:
        """A job without anything to do is recorded as well, without starting Ansible for it."""
        since = time.monotonic()
        ensemble, options = self._ensemble, self._options
        journal = create_journal(self._records, self.id, ensemble.base)
        recorded = recorded_options(options, ensemble.topology, ensemble.codec)
        start = starting_point(ensemble, options)
        journal.append(job_started_entry(self._plan, self.id, recorded, start, ensemble.redactor).to_json())
        journal.append(job_finished_entry(Endings(self.id).outcome(), since=since).to_json())
        journal.close()

    def _marked(self, report: dict[str, Any], interrupted_by: int | None) -> dict[str, Any]:
        report["job"]["interrupted_by"] = interrupted_by
        if interrupted_by is not None and not report["job"]["success"]:
            report["job"] |= {"signal": interrupted_by, "exit_code": exit_code(False, interrupted_by)}
        report["job"]["check"] = self._options.check
        report["lost_lock"] = self._lost
        report["problems"] = self._problems
        if "adoption" in report:
            report["adoption"] = adoption(report["tasks"], self._left_alone())
        if self._options.commits:
            commit_job(self._ensemble, report, self._options)
        if left := self._lock.release_remote():  # nothing is left to do that others must not see half done
            report["problems"].append(left)
        return report

    def _left_alone(self) -> dict[str, str]:
        """What the plan leaves alone of what is not recorded to be there, and why."""
        recorded = {one.name for one in self._ensemble.instances if one.status.operational}
        return {one.instance: one.reason for one in self._plan.excluded if one.instance not in recorded}

    def _lost_lock(self) -> str | None:
        """How a lock was lost while the job ran, in words; None if that is not known of either."""
        try:
            lost = locks.lost(self._lock.local)
            if lost is None and self._lock.shared is not None:
                check_global(self._lock.shared)
        except Locked as error:
            return str(error)
        except EnsembleError as error:
            self._problems.append(str(error))
            return None
        return lost

    def __enter__(self) -> PreparedJob:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if error is not None:  # else it has been waited for: no job works without the lock
                self._await_workers()
            if locks.holds(self._lock.local):  # else the files there are another job's
                remove_secret_inputs(self._ensemble.planned)
                drop_plans(self._ensemble.planned)
        finally:
            left = self._lock.release()
        if left and error is None:
            raise EnsembleError(left)
        if left and isinstance(error, EnsembleError):
            error.hint = "; ".join(filter(None, (error.hint, left)))
