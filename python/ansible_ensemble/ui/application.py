"""The routes of the pages and of their API, `/api/1`, whose documents are those of `--output json`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import web

from ansible_ensemble.core.changeid import is_change_id
from ansible_ensemble.core.errors import EnsembleError, Place, UsageError, error_document
from ansible_ensemble.core.journal_kinds import EntryKind
from ansible_ensemble.core.texts import storable
from ansible_ensemble.execution.journal import read_journal
from ansible_ensemble.language.given import refuse_computed
from ansible_ensemble.projects.folders import PLANNED
from ansible_ensemble.projects.project import EnsembleEntry, Project, find_project, list_ensembles
from ansible_ensemble.projects.trust import is_trusted
from ansible_ensemble.records.drift import last_drift
from ansible_ensemble.records.journals import job_log, job_of_journal, open_journals
from ansible_ensemble.reports.graph import graph_of, grouped
from ansible_ensemble.reports.graph_drawing import draw
from ansible_ensemble.reports.plan_words import fate, is_empty, running, summary_line, where_it_runs
from ansible_ensemble.state.holder import holder, is_held
from ansible_ensemble.ui.access import Access, Handler, add_headers
from ansible_ensemble.ui.answers import answer
from ansible_ensemble.ui.command import Answers, Command, CommandFailed
from ansible_ensemble.ui.feed import Feed, message, signature
from ansible_ensemble.ui.jobs import LOOKING, WORKFLOWS, Jobs, NotFound, Run, SavedPlan
from ansible_ensemble.ui.rights import OPEN, SEE
from ansible_ensemble.ui.static_files import project_pages

#: What is asked of the command alone, by its name.
_COMMANDS = ("status", "outputs", "inputs", "history", "validate")
#: What instances that are drawn as one have in common.
_GROUPS = ("type", "host", "group")
#: Options of a plan that a page may set.
_FLAGS = ("force", "prune")
#: Seconds between two signs of life to viewers.
_ALIVE = 15.0
_GONE = "put it back, or end the pages and begin them for another one"


class BadRequest(Exception):
    """What is asked for is not what the route takes."""


class Pages:
    """What the handlers work with.

    Args:
        root: the project's folder.
        access: who may ask.
    """

    def __init__(self, root: Path, access: Access) -> None:
        self.root = root
        self.access = access
        self._command_line = Command(root)
        self.answers = Answers(self._command_line.ask, signature)
        self.jobs = Jobs(self._command_line)
        self._known: dict[str, Path] = {}
        self._feeds: dict[Path, Feed] = {}
        self._static = project_pages()

    def application(self) -> web.Application:
        """The application that serves them."""
        application = web.Application(middlewares=[self.access.guard, _errors])
        for method, path, handler, right in self.routes():
            application.router.add_route(method, path, handler)
            self.access.needs[handler] = right
        application.on_response_prepare.append(add_headers)
        application.on_shutdown.append(self._close)
        return application

    def routes(self) -> Iterator[tuple[str, str, Handler, str]]:
        """Method, path, what answers, and the right that it needs."""
        for name in _COMMANDS:
            yield "GET", f"/api/1/{name}", self._command(name), SEE
        yield from (
            ("GET", "/api/1/session", self.access.session, OPEN),
            ("POST", "/api/1/session", self.access.log_in, OPEN),
            ("DELETE", "/api/1/session", self.access.log_out, OPEN),
            ("GET", "/api/1/project", self.project, SEE),
            ("GET", "/api/1/graph", self.graph, SEE),
            ("GET", "/api/1/drift", self.drift, SEE),
            ("GET", "/api/1/events", self.events, SEE),
            ("GET", "/api/1/runs", self.runs, SEE),
            ("POST", "/api/1/runs", self.look, "look"),
            ("DELETE", "/api/1/runs/{run}", self.cancel, "cancel"),
            ("GET", "/api/1/jobs/{job}", self.job, SEE),
            ("GET", "/api/1/jobs/{job}/entries", self.entries, SEE),
            ("GET", "/api/1/plans", self.plans, SEE),
            ("POST", "/api/1/plans", self.plan, "plan"),
            ("GET", "/api/1/plans/{plan}", self.saved_plan, SEE),
            ("DELETE", "/api/1/plans/{plan}", self.reject, "reject"),
            ("POST", "/api/1/plans/{plan}/approval", self.approve, "approve"),
            ("GET", "/{name:[a-z_]*(?:[.][a-z]+)?}", self.static, OPEN),
        )

    async def _close(self, _application: web.Application) -> None:
        for feed in self._feeds.values():
            feed.close()
        self.answers.close()
        self.jobs.close()

    # --- looking -----------------------------------------------------------------------------------------------------

    async def static(self, request: web.Request) -> web.Response:
        """A file of the pages."""
        name = request.match_info["name"] or "index.html"
        if name not in self._static:
            raise web.HTTPNotFound(text="There is no such page.\n")
        file = self._static[name]
        return web.Response(body=file.body, content_type=file.content_type, charset="utf-8")

    async def project(self, _request: web.Request) -> web.Response:
        """The project and its ensembles, each with who works on it."""
        return answer(await asyncio.to_thread(self._project))

    def _project(self) -> dict[str, Any]:
        project = self._read_project()
        return {
            "name": self.root.name,
            "folder": str(self.root),
            "trusted": is_trusted(self.root),
            "workflows": WORKFLOWS,
            "looking": LOOKING,
            "ensembles": [_listed(name, path, project.entry(path)) for name, path in self._known.items()],
        }

    def _command(self, name: str) -> Handler:
        async def handler(request: web.Request) -> web.Response:
            ensemble = await self._ensemble(request)
            return answer(await self.answers.get([name, str(ensemble)], ensemble))

        return handler

    async def graph(self, request: web.Request) -> web.Response:
        """A plan of deploy with the `instances`, in words, too, and where the boxes and edges of all are drawn.

        `running` are the jobs that run, or were killed and are not recorded yet.
        With `group`, one of `type`, `host` and `group`, instances that have it in common are one box.
        """
        ensemble = await self._ensemble(request)
        document = await self.answers.get(["graph", str(ensemble)], ensemble)
        drawing = await asyncio.to_thread(_drawing, document, request.query.get("group", ""))
        running = await asyncio.to_thread(_running, ensemble)
        extra = {"words": _words(document), "drawing": drawing, "running": running}
        return answer({**document, **extra})

    async def drift(self, request: web.Request) -> web.Response:
        """What the last check or discover found; null if there was none."""
        ensemble = await self._ensemble(request)
        return answer(await asyncio.to_thread(last_drift, ensemble.parent))

    async def job(self, request: web.Request) -> web.Response:
        """The record of a job."""
        ensemble = await self._ensemble(request)
        words = ["show", _job(request), "--ensemble", str(ensemble)]
        return answer(await self.answers.get(words, ensemble, lasts=True))

    async def entries(self, request: web.Request) -> web.Response:
        """The entries of a job's journal so far, what of it is damaged, whether the job runs, and what is planned."""
        ensemble, job = await self._ensemble(request), _job(request)
        begun = {job_of_journal(path): path for path in await asyncio.to_thread(open_journals, ensemble.parent)}
        path = begun.get(job) or job_log(ensemble.parent, job)
        if not path.is_file():
            raise NotFound(f"the journal of {job} is not here")
        reading = await asyncio.to_thread(read_journal, path)
        runs = job in begun and await asyncio.to_thread(is_held, ensemble)
        damage = [f"line {one.place.line}: {one.reason}" for one in reading.damage if not (one.at_end and runs)]
        planned = await asyncio.to_thread(_planned, ensemble, reading.events) if runs else []
        state = {"job": job, "running": runs, "recorded": job not in begun, "planned": planned}
        return answer({**state, "entries": reading.events, "damage": damage})

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Server-sent events of an ensemble: `entries` of journals, and `changed`."""
        ensemble = await self._ensemble(request)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await response.prepare(request)
        if ensemble not in self._feeds:
            fetch = partial(self._command_line.ask, ["history", "--limit", "1", str(ensemble)])
            self._feeds[ensemble] = Feed(ensemble, fetch)
        messages = self._feeds[ensemble].messages()
        pending = asyncio.ensure_future(anext(messages, None))
        try:
            await response.write(message("ready", {}).encode())
            while True:
                await asyncio.wait({pending}, timeout=_ALIVE)
                text: str | None = ": alive\n\n"
                if pending.done():
                    text = pending.result()
                    pending = asyncio.ensure_future(anext(messages, None))
                if text is None or self.access.visitor(request) is None:
                    break
                await response.write(text.encode())
        except ConnectionResetError:
            pass  # the viewer has left
        finally:
            pending.cancel()
            await asyncio.gather(pending, return_exceptions=True)
            await messages.aclose()
        return response

    # --- changing ----------------------------------------------------------------------------------------------------

    async def plan(self, request: web.Request) -> web.Response:
        """Make a plan of `workflow` with `inputs` and `options`, which waits for approval.

        With `rollback` it goes back to the job that this names.
        """
        ensemble, given = await self._ensemble(request), await _given(request)
        workflow, inputs = given.get("workflow", "deploy"), given.get("inputs") or {}
        options = given.get("options") or {}
        if workflow not in WORKFLOWS or not (isinstance(inputs, Mapping) and isinstance(options, Mapping)):
            raise BadRequest(f"a plan is of {', '.join(WORKFLOWS)}, and its inputs and options are maps")
        inputs = storable(inputs)
        try:
            refuse_computed(inputs)  # it would run before anybody approves it
        except UsageError as error:
            raise BadRequest(str(error)) from None
        flags = [f"--{name}" for name in _FLAGS if options.get(name)]
        if rollback := given.get("rollback"):
            if not is_change_id(str(rollback)):
                raise BadRequest("what a plan goes back to is the id of a job")
            flags += ["--rollback", str(rollback)]
        return _plan(await self.jobs.plan(ensemble, inputs, ["--workflow", workflow, *flags]), status=201)

    async def plans(self, request: web.Request) -> web.Response:
        """The plans of an ensemble that wait for approval."""
        waiting = self.jobs.waiting(await self._ensemble(request))
        plans = ({"id": one.id, "workflow": one.workflow, "summary": summary_line(one.document)} for one in waiting)
        return answer(list(plans))

    async def saved_plan(self, request: web.Request) -> web.Response:
        """A plan that waits for approval."""
        return _plan(await self._saved(request))

    async def reject(self, request: web.Request) -> web.Response:
        """Forget a plan."""
        self.jobs.reject((await self._saved(request)).id)
        return web.Response(status=204)

    async def approve(self, request: web.Request) -> web.Response:
        """Begin the job of a plan."""
        plan, visitor = await self._saved(request), self.access.visitor(request)
        return _run(self.jobs.approve(plan.id, visitor.name if visitor else ""), status=202)

    async def look(self, request: web.Request) -> web.Response:
        """Begin a job that only looks."""
        ensemble, workflow = await self._ensemble(request), (await _given(request)).get("workflow")
        if workflow not in LOOKING:
            raise BadRequest(f"only {' and '.join(LOOKING)} run without a plan that was approved")
        return _run(self.jobs.look(ensemble, workflow), status=202)

    async def runs(self, request: web.Request) -> web.Response:
        """The jobs of an ensemble that were begun here."""
        return answer([run.to_json() for run in self.jobs.runs(await self._ensemble(request))])

    async def cancel(self, request: web.Request) -> web.Response:
        """Have a job that was begun here begin nothing more."""
        self.jobs.cancel(request.match_info["run"])
        return web.Response(status=202)

    async def _saved(self, request: web.Request) -> SavedPlan:
        """The plan that a request names, which is one of the ensemble that it names."""
        plan = self.jobs.saved(request.match_info["plan"])
        if plan.ensemble != await self._ensemble(request):
            raise NotFound("this is a plan of another ensemble")
        return plan

    # --- names -------------------------------------------------------------------------------------------------------

    def _read_project(self) -> Project:
        """The project, whose ensembles are known then by their paths below its folder.

        Raises:
            EnsembleError: it is gone, or its file is wrong.
        """
        if not self.root.is_dir():
            raise EnsembleError("the project's folder is gone", Place(str(self.root)), hint=_GONE)
        project = find_project(self.root)
        found = list_ensembles(project)
        inside = (path for path in found if path.is_relative_to(self.root))
        self._known = {storable(path.relative_to(self.root).as_posix()): path for path in inside}
        return project

    async def _ensemble(self, request: web.Request) -> Path:
        """The ensemble that a request names: one of the project's, and no other file."""
        name = request.query.get("ensemble", "")
        if name not in self._known or not self._known[name].is_file():
            await asyncio.to_thread(self._read_project)
        if name not in self._known:
            raise NotFound(f"the project has no ensemble {name}" if name else "say which ensemble")
        return self._known[name]


def _planned(ensemble: Path, entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What a job is to run, in its plan's order, and what each operation waits for; empty where no plan is here."""
    from ansible_ensemble.records.saved_plans import kept_plan  # brings all that makes plans

    digest = next((entry.get("planDigest") for entry in entries if entry["event"] == EntryKind.JOB_STARTED), None)
    found = kept_plan(ensemble.parent / PLANNED, str(digest or ""))
    operations = running(dict(found[1].document)) if found else {}
    return [
        {"key": key, "waits_for": [*one.get("waits_for", ()), *one.get("waits_end", ())]}
        for key, one in operations.items()
    ]


def _job(request: web.Request) -> str:
    job = request.match_info["job"]
    if not is_change_id(job):
        raise NotFound("this is no id of a job")
    return job


async def _given(request: web.Request) -> dict[str, Any]:
    try:
        given = await request.json()
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise BadRequest("the body is a JSON object")
    return given


def _plan(plan: SavedPlan, status: int = 200) -> web.Response:
    return answer({"id": plan.id, "plan": plan.document, "words": _words(plan.document)}, status)


def _words(plan: dict[str, Any]) -> dict[str, Any]:
    """A plan in the words that the command has for it."""
    fates = {change["address"]: fate(change) for change in plan["resource_changes"]}
    places = {one["key"]: where_it_runs(one) for one in plan["operations"]}
    return {"summary": summary_line(plan), "empty": is_empty(plan), "fates": fates, "places": places}


def _listed(name: str, path: Path, entry: EnsembleEntry | None) -> dict[str, Any]:
    """An ensemble of the project: who holds its lock, and the jobs that run or were killed and are not recorded.

    The `stamp` differs when its files do.
    """
    found = holder(path)
    held = found and {
        "operation": found.lock.operation,
        "who": str(found.lock.job) if found.lock.job else found.lock.who,
        "since": found.lock.created,
        "left": found.left,
    }
    about = {"name": entry.name, "environment": entry.environment} if entry else {"name": "", "environment": ""}
    return {"path": name, **about, "lock": held, "running": _running(path), "stamp": hash(signature(path))}


def _running(ensemble: Path) -> list[str]:
    return [job_of_journal(path) for path in open_journals(ensemble.parent)]


def _drawing(document: dict[str, Any], group: str) -> Any:
    graph = graph_of(document)
    if group in _GROUPS:
        ones = [*document["resource_changes"], *document["instances"]]
        common = {name: one for one, names in document["groups"].items() for name in names}
        graph = grouped(
            graph, common if group == "group" else {one["name"]: one[group] for one in ones if one.get(group)}
        )
    return msgspec.to_builtins(draw(graph))


def _run(run: Run, status: int) -> web.Response:
    return answer(run.to_json(), status=status)


@web.middleware
async def _errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer errors in the command's form."""
    try:
        return await handler(request)
    except CommandFailed as failed:
        return answer({"errors": failed.errors, "exit_code": failed.exit_code}, status=422)
    except EnsembleError as error:
        return answer({"errors": [error_document(error)], "exit_code": error.exit_code}, status=422)
    except (NotFound, BadRequest) as error:
        status = 404 if isinstance(error, NotFound) else 400
        return answer({"errors": [error_document(EnsembleError(str(error)))]}, status)
