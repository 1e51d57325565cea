"""A second, naive reading of what a job's journals say, to compare the recorded status with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.execution.journal import read_journal


@dataclass
class Told:
    """What the journals of an ensemble say.

    Attributes:
        status: the last status of each instance.
        finished: `operation instance` of each operation that succeeded.
        interrupted: the same of each that was begun, and whose end is not known or was forced.
    """

    status: dict[str, str] = field(default_factory=dict)
    finished: list[str] = field(default_factory=list)
    interrupted: set[str] = field(default_factory=set)


def told(folder: Path) -> Told:
    """Fold all journals of an ensemble, oldest first."""
    result = Told()
    journals = [*(folder / "jobs").glob("*.journal"), *(folder / "jobs").glob("*.events.jsonl")]
    for journal in sorted(journals, key=lambda path: path.stat().st_ctime):
        begun: dict[str, str] = {}
        for event in read_journal(journal).events:
            name = f"{event.get('operation', '').rpartition('.')[2]} {event.get('instance')}"
            if event.get("operation", "").endswith(".check"):
                pass  # it only looks
            elif event["event"] == "started":
                begun[event["key"]] = event["instance"]
                result.interrupted.add(name)
            elif event["event"] == "finished":
                begun.pop(event["key"])
                if event["ok"]:
                    result.interrupted.discard(name)
                    result.finished.append(name)
            for patch in event.get("patches", ()):
                if "status" in patch:
                    result.status[patch["name"]] = patch["status"]
        result.status.update(dict.fromkeys(begun.values(), "unknown"))
    return result


def recorded(folder: Path) -> dict[str, str]:
    """The status of each instance in ensemble.yaml, which has to parse; empty where there is no file yet."""
    return {name: entry["readyState"]["local"] for name, entry in _entries(folder).items()}


def attributes(folder: Path) -> dict[str, dict[str, Any]]:
    """The recorded attributes of each instance."""
    return {name: dict(entry.get("attributes") or {}) for name, entry in _entries(folder).items()}


def _entries(folder: Path) -> dict[str, Any]:
    file = folder / "ensemble.yaml"
    return dict((read_yaml(file).data.get("status") or {}).get("instances") or {}) if file.exists() else {}
