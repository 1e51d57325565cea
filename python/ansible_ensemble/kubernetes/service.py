"""The program that works on objects for a job: requests and answers are lines of JSON, on a socket.

It is started for a job's first request and kept for as long as the job lasts, for connections to be used again. Each
request has a thread. When the job ends, however it does, so does the program.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.environment import with_changes
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.kubernetes.access import Given, find_access
from ansible_ensemble.kubernetes.cluster import Cluster, UnknownKind
from ansible_ensemble.kubernetes.conditions import as_wait
from ansible_ensemble.kubernetes.connection import Connections
from ansible_ensemble.kubernetes.objects import Reference, counted, in_order
from ansible_ensemble.kubernetes.work import Options, Work


def main() -> None:
    """Serve until the other side is gone."""
    with socket.socket(fileno=sys.stdin.fileno()) as connection, connection.makefile("rwb") as file:
        service = Service()
        writing = Lock()
        stops: dict[int, Event] = {}

        def serve(number: int, request: Mapping[str, Any]) -> None:
            answer = service.answer(request, stops[number])
            del stops[number]
            with writing:
                file.write(json.dumps({"number": number, "answer": answer}).encode() + b"\n")
                file.flush()

        for line in file:
            asked = json.loads(line)
            number = asked["number"]
            if "request" not in asked:
                if number in stops:
                    stops[number].set()
                continue
            stops[number] = Event()
            Thread(target=serve, args=(number, asked["request"]), daemon=True).start()
        os._exit(0)  # whatever the threads wait for


class Service:
    """Answers requests; clusters are kept by what is said about them."""

    def __init__(self) -> None:
        self._clusters: dict[str, Cluster] = {}
        self._lock = Lock()

    def answer(self, request: Mapping[str, Any], stop: Event) -> dict[str, Any]:
        """The outcome of a request, with the fields of `core.orders.Outcome`."""
        work: Work | None = None
        try:
            cluster = self._cluster(request)
            if request["action"] == "connect":
                found = {"server": cluster.server, "version": cluster.version()}
                return {"ok": True, "changed": False, "result": found}
            options, known = _options(request["options"]), frozenset(request["known"])
            work = Work(cluster, options, stop.wait, request["dry_run"], request["namespace"], known)
            adopted = _carry_out(work, request)
        except EnsembleError as error:
            hint = f" ({error.hint})" if error.hint else ""
            return _outcome(work, ok=False, error=f"{error.message}{hint}")
        except Exception as error:  # a bug fails one operation only
            return _outcome(work, ok=False, error=f"{type(error).__name__}: {error}")
        return _outcome(work, ok=True, adopted=adopted)

    def _cluster(self, request: Mapping[str, Any]) -> Cluster:
        key = json.dumps([request["cluster"], request["environment"], request["folder"]], sort_keys=True)
        with self._lock:
            if key not in self._clusters:
                environment = with_changes(os.environ, request["environment"])
                find = partial(find_access, Given(**request["cluster"]), environment, Path(request["folder"]))
                self._clusters[key] = Cluster(Connections(find(), find))
            return self._clusters[key]


def _options(given: Mapping[str, Any]) -> Options:
    return Options(**{**given, "wait": as_wait(given.get("wait"))})


def _carry_out(work: Work, request: Mapping[str, Any]) -> bool:
    """Do what is asked for; whether the first object was there before, and made by somebody else."""
    definitions, earlier = request["objects"], [Reference(**one) for one in request["earlier"]]
    match request["action"]:
        case "apply":
            adopted = request["guest"] and _is_of_others(work, definitions[0])
            work.apply(definitions)
            work.prune(earlier)
            return bool(adopted)
        case "look":
            work.look(definitions)
            work.prune(earlier)
        case _:
            ones = [one for definition in in_order(definitions) if (one := _known(work, definition)) is not None]
            known = {one.identity for one in ones}
            ones += [one for one in earlier if one.identity not in known]
            work.delete(reversed(ones))
    return False


def _known(work: Work, definition: Mapping[str, Any]) -> Reference | None:
    """The object of a definition; none if its kind is not there, and so no object of it."""
    try:
        return work.find(definition)
    except UnknownKind:
        return None


def _is_of_others(work: Work, definition: Mapping[str, Any]) -> bool:
    live = work.cluster.get(work.find(definition))
    managers = {one.get("manager") for one in (live or {"metadata": {}})["metadata"].get("managedFields") or ()}
    return live is not None and work.options.manager not in managers


def _outcome(work: Work | None, *, ok: bool, error: str | None = None, adopted: bool = False) -> dict[str, Any]:
    if work is None:
        return {"ok": ok, "changed": False, "error": error}
    objects = [
        {
            "reference": replace(one, uid=live["metadata"].get("uid")).plain() if live else one.plain(),
            "status": live.get("status") or {} if live else None,
            "object": counted(live) if live else None,
        }
        for one, live in work.found
    ]
    return {
        "ok": ok,
        "changed": work.touched,
        "error": error,
        "diff": work.diff,
        "warnings": work.warnings,
        "result": {"objects": objects, "unready": work.unready, "adopted": adopted},
    }
