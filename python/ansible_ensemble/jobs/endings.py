"""The jobs of an ensemble that end while somebody watches, as events."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.changes.history import history
from ansible_ensemble.changes.jobs_tsv import FILE_NAME
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.records.drift import drift_of
from ansible_ensemble.records.journals import job_of_journal, open_journals

#: The events there are.
JOB_ENDED, DRIFT_FOUND = "job_ended", "drift_found"


class JobWatch:
    """Looks for jobs that have ended and are recorded; it runs nothing and takes no lock.

    Args:
        ensemble: the `ensemble.yaml`, its folder, or a service template.
        earlier: whether jobs count as well that were recorded before.
    """

    def __init__(self, ensemble: str, *, earlier: bool = False) -> None:
        self._ensemble = locate(ensemble).ensemble
        self._seen: set[str] = set()
        self._looked_at: object = None
        if not earlier:
            self.events()

    def events(self) -> list[dict[str, Any]]:
        """What happened since the last call, the oldest first; each event is `{event, ensemble, job, ...}`."""
        now = self._state()
        if now == self._looked_at:
            return []
        events: list[dict[str, Any]] = []
        folder = self._ensemble.parent
        open_jobs = {job_of_journal(journal) for journal in open_journals(folder)}  # their records are not whole yet
        for job in history(folder):
            if job["change_id"] not in self._seen | open_jobs:
                events += self._of_job(job)
        self._seen |= {event["job"]["change_id"] for event in events}
        self._looked_at = now
        return events

    def _of_job(self, job: dict[str, Any]) -> list[dict[str, Any]]:
        shared = {"ensemble": str(self._ensemble), "job": job}
        found = [one for one in drift_of(self._ensemble.parent, job["change_id"]) or [] if one["changes"]]
        drift = [{"event": DRIFT_FOUND, **shared, "instances": found}] if found else []
        return [*drift, {"event": JOB_ENDED, **shared}]

    def _state(self) -> object:
        """Changes when a job is recorded."""
        folder = self._ensemble.parent
        try:
            lines = (folder / FILE_NAME).stat()
        except FileNotFoundError:
            return None, open_journals(folder)
        return (lines.st_mtime_ns, lines.st_size), open_journals(folder)
