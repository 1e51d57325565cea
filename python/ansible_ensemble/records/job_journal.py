"""The journal of a job as it is read again: its events checked, ordered, and what is lost of them named."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible_ensemble.core.actions import Reason
from ansible_ensemble.core.changeid import is_change_id, is_job
from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.core.texts import MAX_NESTING, deeper_than
from ansible_ensemble.documents.shape import Shape, misfit
from ansible_ensemble.engine.outcome import Endings, JobOutcome
from ansible_ensemble.execution.journal import JournalReading, read_journal
from ansible_ensemble.instances.patch import PATCH
from ansible_ensemble.projects.process import Process
from ansible_ensemble.records.journals import job_of_journal
from ansible_ensemble.records.report import job_report

_ENDINGS = ("finished", "skipped", "blocked", "cancelled")
#: Maps and lists of an event around what an operation returned.
_AROUND = 20

_TEXT = (str, None)
_SPAN = (float, None)
_OPERATION: Mapping[str, Shape] = {
    "key": str,
    "task": str,
    "instance": str,
    "operation": str,
    "relationship": _TEXT,
    "reason": Reason,
    "time": float,
    "patches": [PATCH],
}
_RESULT: Mapping[str, Shape] = {"result?": (dict, None), "stdout?": _TEXT, "stderr?": _TEXT}
_EVENTS: Mapping[str, Shape] = {
    "job-started": {
        "job": str,
        "workflow": str,
        "ensemble": str,
        "options": {"inputs?": dict, "variables?": dict},
        "base": {"*": str},
        "summary": dict,
        "total": int,
        "time": float,
        "process?": ({"Pid": int}, None),
        "commit?": _TEXT,
        "lock?": (dict, None),
    },
    "started": {**_OPERATION, "template": str, "implementation": str},
    "finished": {
        **_OPERATION,
        "ok": bool,
        "template?": str,
        "implementation?": _TEXT,
        "changed?": (bool, None),
        "error?": _TEXT,
        "seconds?": _SPAN,
        "reads?": {"*": str},
        "inputs?": dict,
        "wrote?": [str],
        "outputs?": dict,
        "messages?": [str],
        "result?": _RESULT,
        "diff?": list,
        "drift?": [{"name": str}],
        "lane?": _TEXT,
        "optional?": (bool, None),
    },
    "skipped": {"key": str, "reason": str},
    "cancelled": {"key": str, "reason": _TEXT},
    "blocked": {"key": str, "by": [str]},
    "waiting": {"key": str},
    "mended": {"keys": [str]},
    "job-finished": {
        "ok": bool,
        "counts": dict,
        "stopped": _TEXT,
        "seconds": float,
        "time": float,
        "signal?": (signal.Signals, None),
        "lostLock?": (bool, None),
    },
}


@dataclass(slots=True)
class Folded:
    """A journal, read and ordered.

    Attributes:
        header: the job-started event.
        started: by key, the last started event.
        endings: by key, the event that ended it.
        end: the job-finished event; None if the job was killed.
        damage: what of the journal was lost, in words.
        events: all events in order.
    """

    header: dict[str, Any]
    started: dict[str, dict[str, Any]] = field(default_factory=dict)
    endings: dict[str, dict[str, Any]] = field(default_factory=dict)
    end: dict[str, Any] | None = None
    damage: list[str] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def outcome(self) -> JobOutcome:
        """How the job ended."""
        endings = Endings(self.header["job"])
        for event in self.events:
            endings.take(event)
        return endings.outcome(self.end)

    @property
    def is_dry_run(self) -> bool:
        """Whether nothing of what it tells has happened."""
        return bool(self.header["options"].get("check"))

    @property
    def report(self) -> dict[str, Any]:
        """The job's report, as far as the journal tells."""
        return job_report(self.header, self.started, self.endings, self.end, damage=self.damage, outcome=self.outcome)

    @property
    def interrupted(self) -> list[dict[str, Any]]:
        """Started events of the operations of which nobody knows how far they came."""
        return [event for key, event in self.started.items() if key not in self.endings]

    @property
    def process(self) -> Process | None:
        """The process that carries the job out, or did; None if the journal's beginning was lost."""
        recorded = self.header.get("process")
        return Process.from_json(recorded) if recorded is not None else None

    @property
    def last_time(self) -> float:
        """When the last event was that tells it."""
        return float(next((event for event in reversed(self.events) if "time" in event), self.header)["time"])


def read_job_journal(path: Path) -> Folded:
    """Read the journal of a job.

    An event that is not as events are, of a hand's edit or another version, counts as lost, and is named.

    Raises:
        EnsembleError: it cannot be read, or nothing of it can.
    """
    reading = read_journal(path)
    damage = [str(one) for one in reading.damage]
    events = []
    for event in reading.events:
        problem = _misfit(event)
        if problem is None:
            events.append(event)
        else:
            damage.append(f"{Place(str(path))}: event {event['seq']} cannot be read: {problem}")
    header = next((event for event in events if event["event"] == "job-started"), None)
    if header is None and reading.header is None and not events:
        raise EnsembleError("nothing of the journal can be read", Place(str(path)), "move it away, then run `check`")
    folded = Folded(header or _lost_start(reading, events, path), damage=damage, events=events)
    for event in events:
        kind, key = event["event"], event.get("key")
        if kind == "started":
            folded.started[event["key"]] = event
            folded.endings.pop(event["key"], None)
        elif kind in _ENDINGS:
            folded.endings[str(key)] = event
        elif kind == "job-finished":
            folded.end = event
    return folded


def _misfit(event: Mapping[str, Any]) -> str | None:
    """What is wrong with an event; one of a kind that is not known here tells nothing."""
    if deeper_than(event, MAX_NESTING + _AROUND):
        return "it is nested too deep"
    kind = event.get("event")
    if not isinstance(kind, str):
        return "it has no kind"
    problem = misfit(event, _EVENTS.get(kind, {"key?": str, "time?": float}))
    job = event.get("job") if kind == "job-started" else None
    return problem or (f"{job} is no id of a job" if job is not None and not _is_job_id(job) else None)


def _is_job_id(text: str) -> bool:
    return is_change_id(text) and is_job(text)


def _lost_start(reading: JournalReading, events: list[dict[str, Any]], path: Path) -> dict[str, Any]:
    """What can be said of a job whose first event is damaged: what it did counts all the same."""
    known = reading.header or {}
    base = known.get("base")
    return {
        "event": "job-started",
        "job": job_of_journal(path),
        "workflow": "",
        "ensemble": "",
        "options": {},
        "base": base if misfit(base, {"*": str}) is None else {},
        "summary": {},
        "total": 0,
        "time": next((event["time"] for event in events if "time" in event), 0.0),
    }
