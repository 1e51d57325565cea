"""What happens to an ensemble, as it happens: the entries of its jobs' journals, whoever started the jobs.

Journals are the only source, so that a job of a terminal, of AWX or of these pages is seen alike.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from ansible_ensemble.changes.jobs_tsv import FILE_NAME as JOBS_TSV
from ansible_ensemble.execution.journal_tail import JournalTail
from ansible_ensemble.projects.lock import lock_path
from ansible_ensemble.records.journals import job_of_journal, open_journals, recorded_journals, recorded_name
from ansible_ensemble.state.holder import is_copied, is_held
from ansible_ensemble.ui.answers import compact
from ansible_ensemble.ui.command import CommandFailed

#: Seconds between two looks at the files.
_INTERVAL = 0.25
#: Seconds between two fetches of a state that lives elsewhere.
_FETCH = 5.0
#: Messages that a viewer may be behind before it has to begin again.
_BEHIND = 400


def signature(ensemble: Path) -> tuple[object, ...]:
    """What differs when an ensemble's files do, or when a job is killed."""
    files = (ensemble, ensemble.with_name(JOBS_TSV), lock_path(ensemble))
    journals = open_journals(ensemble.parent)
    return (*map(_stamp, files), *journals, bool(journals) and is_held(ensemble))


def _stamp(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


class Feed:
    """The messages of one ensemble, for all who look at it: one look at the files for all of them.

    A message is a text of server-sent events: `entries` has those that were added to a job's journal, `changed` says
    that other answers are due.

    Args:
        ensemble: its file.
        fetch: fetches the state, where it lives elsewhere: jobs of other folders are seen as their journals get there.

    Attributes:
        watches: whether the files are being looked at.
    """

    def __init__(self, ensemble: Path, fetch: Callable[[], Awaitable[object]]) -> None:
        self._ensemble = ensemble
        self._fetch = fetch
        self._viewers: set[asyncio.Queue[str]] = set()
        self._tails: dict[Path, JournalTail] = {}
        self._recorded: set[Path] = set()
        self._task: asyncio.Task[None] | None = None
        self.watches = False

    async def messages(self) -> AsyncGenerator[str]:
        """The messages from now on; they end where the viewer is too far behind."""
        queue: asyncio.Queue[str] = asyncio.Queue(_BEHIND)
        self._viewers.add(queue)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch())
        try:
            while queue in self._viewers or not queue.empty():
                if not (text := await queue.get()):
                    return
                yield text
        finally:
            self._viewers.discard(queue)

    async def _watch(self) -> None:
        """Look at the files for as long as somebody is here."""
        list(self._entries())  # what is there already is asked for with the job
        self._recorded = recorded_journals(self._ensemble.parent)
        known = signature(self._ensemble)
        self.watches = True
        fetching = asyncio.create_task(self._fetch_again())
        try:
            while self._viewers:
                await asyncio.sleep(_INTERVAL)
                for text in self._entries():
                    self.send(text)
                if (now := signature(self._ensemble)) != known:
                    known = now
                    for text in self._missed():
                        self.send(text)
                    self.send(message("changed", {}))
        finally:
            fetching.cancel()
            self.watches = False
            self.send("")  # a viewer that is left connects anew
            while self._tails:
                self._tails.popitem()[1].close()

    async def _fetch_again(self) -> None:
        while True:
            await asyncio.sleep(_FETCH)
            if is_copied(self._ensemble):
                with suppress(CommandFailed):  # whatever the pages ask for next reports it
                    await self._fetch()

    def _entries(self) -> Iterator[str]:
        journals = open_journals(self._ensemble.parent)
        for path in journals:
            if path not in self._tails:
                self._tails[path] = JournalTail(path)
        for path, tail in list(self._tails.items()):
            if entries := tail.events():
                yield message("entries", {"job": job_of_journal(path), "entries": entries})
            if path not in journals:
                self._tails.pop(path).close()
                self._recorded.add(recorded_name(path))

    def _missed(self) -> Iterator[str]:
        """The entries of jobs that began and were recorded between two looks."""
        recorded = recorded_journals(self._ensemble.parent)
        for path in sorted(recorded - self._recorded):
            with closing(JournalTail(path)) as tail:
                if entries := tail.events():
                    yield message("entries", {"job": job_of_journal(path), "entries": entries})
        self._recorded |= recorded

    def send(self, text: str) -> None:
        """Tell all viewers something."""
        for queue in list(self._viewers):
            try:
                queue.put_nowait(text)
            except asyncio.QueueFull:
                self._viewers.discard(queue)

    def close(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()


def message(event: str, data: Any) -> str:
    """A server-sent event."""
    return f"event: {event}\ndata: {compact(data)}\n\n"
