"""The application: which path is answered by what, and how every answer is finished."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from aiohttp import web

from ansible_ensemble.provision.objects import WITH_PARAMS
from ansible_ensemble.provision.rules.pools import MOVES
from ansible_ensemble.provision.server import (
    account_routes,
    action_routes,
    content_routes,
    event_routes,
    file_routes,
    general_routes,
    job_routes,
    object_routes,
    page_routes,
    param_routes,
    pool_routes,
)
from ansible_ensemble.provision.server.answers import answer_to
from ansible_ensemble.provision.server.call import BODY_BYTES, SERVER, Call, Server
from ansible_ensemble.provision.service.blobs import BLOBS

_LOG = logging.getLogger(__name__)

Handler: TypeAlias = Callable[[Call], Awaitable[web.StreamResponse]]

_BASE = "/api/v3"
_OWNER = f"/{{kind:{'|'.join(kind.PREFIX for kind in WITH_PARAMS)}}}/{{key}}"
_FILE = f"/{{kind:{'|'.join(BLOBS)}}}/{{path:.+}}"
#: Names of params may contain slashes.
_KEYS = ("/{kind:params}/{key:.+}", "/{kind}/{key}")

#: Method, path below the base, and what answers; the first that fits does.
ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/info", general_routes.show_info),
    ("GET", "/ws", event_routes.listen),
    ("GET", "/objects", general_routes.show_kinds),
    ("GET", "/prefs", general_routes.show_preferences),
    ("POST", "/prefs", general_routes.set_preferences),
    ("GET", "/logs", general_routes.show_logs),
    ("POST", "/events", general_routes.post_event),
    ("GET", "/indexes", general_routes.show_indexes),
    ("GET", "/indexes/{kind}", general_routes.show_indexes),
    ("GET", "/indexes/{kind}/{field}", general_routes.show_indexes),
    ("GET", "/meta/{kind:params}/{key:.+}", object_routes.show_meta),
    ("PATCH", "/meta/{kind:params}/{key:.+}", object_routes.patch_meta),
    ("GET", "/meta/{kind}/{key}", object_routes.show_meta),
    ("PATCH", "/meta/{kind}/{key}", object_routes.patch_meta),
    ("GET", "/contents", content_routes.show_list),
    ("POST", "/contents", content_routes.create),
    ("GET", "/{kind:contents}/{key}", content_routes.show),
    ("PUT", "/{kind:contents}/{key}", content_routes.put),
    ("DELETE", "/{kind:contents}/{key}", content_routes.remove),
    ("GET", f"/{{kind:{'|'.join(BLOBS)}}}", file_routes.show_list),
    ("GET", _FILE, file_routes.show),
    ("POST", _FILE, file_routes.upload),
    ("DELETE", _FILE, file_routes.remove),
    ("GET", "/pools-active", pool_routes.show_active),
    ("GET", "/{kind:pools}/{key}/status", pool_routes.show_status),
    ("POST", f"/{{kind:pools}}/{{key}}/{{move:{'|'.join(MOVES)}}}", pool_routes.move),
    ("GET", "/{kind:users|machines}/{key}/token", account_routes.show_token),
    ("PUT", "/{kind:users}/{key}/password", account_routes.set_password),
    ("GET", f"{_OWNER}/pubkey", param_routes.show_public_key),
    ("GET", f"{_OWNER}/params", param_routes.show_all),
    ("POST", f"{_OWNER}/params", param_routes.set_all),
    ("PATCH", f"{_OWNER}/params", param_routes.patch_all),
    ("GET", _OWNER + "/params/{param:.+}", param_routes.show_one),
    ("POST", _OWNER + "/params/{param:.+}", param_routes.set_one),
    ("DELETE", _OWNER + "/params/{param:.+}", param_routes.remove_one),
    ("POST", "/jobs", job_routes.create),
    ("DELETE", "/jobs", job_routes.purge),
    ("GET", "/{kind:jobs}/{key}/actions", action_routes.show),
    ("GET", "/{kind:jobs}/{key}/log", job_routes.show_log),
    ("PUT", "/{kind:jobs}/{key}/log", job_routes.append_log),
    ("GET", "/{kind:jobs}/{key}/plugin_actions", job_routes.list_actions),
    ("GET", "/{kind:jobs}/{key}/plugin_actions/{command}", job_routes.show_action),
    ("POST", "/{kind:jobs}/{key}/plugin_actions/{command}", job_routes.invoke_action),
    ("GET", "/{kind:(?!params)[^/]+}/{key}/actions", job_routes.list_actions),
    ("GET", "/{kind:(?!params)[^/]+}/{key}/actions/{command}", job_routes.show_action),
    ("POST", "/{kind:(?!params)[^/]+}/{key}/actions/{command}", job_routes.invoke_action),
    ("GET", "/{kind}", object_routes.show_list),
    ("POST", "/{kind}", object_routes.create),
    *(
        (method, path, handler)
        for path in _KEYS
        for method, handler in (
            ("GET", object_routes.show),
            ("PATCH", object_routes.patch),
            ("PUT", object_routes.put),
            ("DELETE", object_routes.remove),
        )
    ),
)


def application(server: Server) -> web.Application:
    """The application of a server."""
    made = web.Application(middlewares=[_finish], client_max_size=BODY_BYTES)
    made[SERVER] = server
    made.on_response_prepare.append(page_routes.add_headers)
    made.router.add_get("/healthz", general_routes.show_health)
    made.router.add_get(_FILE, file_routes.serve)
    made.router.add_get("/", page_routes.redirect)
    made.router.add_get("/ui", page_routes.redirect)
    made.router.add_get("/ui/{name:[a-z_]*(?:[.][a-z]+)?}", page_routes.show)
    made.router.add_get("/ui/api/machines", _proven(page_routes.show_machines))
    made.router.add_get("/ui/api/{kind:machines}/{key}", _proven(page_routes.show_machine))
    made.router.add_get("/metrics", _proven(general_routes.show_metrics))
    for method, path, handler in ROUTES:
        if method == "GET":
            made.router.add_get(_BASE + path, _proven(handler))  # and HEAD
        else:
            made.router.add_route(method, _BASE + path, _proven(handler))
    return made


def files_application(server: Server) -> web.Application:
    """What machines can load without TLS: files, and nothing else."""
    made = web.Application(middlewares=[_finish])
    made[SERVER] = server
    made.router.add_get(_FILE, file_routes.serve)
    return made


def _proven(handler: Handler) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """The handler as aiohttp calls it, once the request shows who sends it."""

    async def handle(request: web.Request) -> web.StreamResponse:
        server = request.app[SERVER]
        return await handler(Call(request, server, await server.login.proof(request)))

    return handle


@web.middleware
async def _finish(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Answer whatever happens, and count it; the query is not logged, because tokens may be in it."""
    started = time.perf_counter()
    server = request.app[SERVER]
    server.begin(request.protocol)
    try:
        response = await handler(request)
    except ConnectionError:  # the client has gone
        raise
    except Exception as error:
        response = answer_to(error, request)
    finally:
        server.end()
    if server.is_stopping.is_set():
        response.force_close()
    spent = time.perf_counter() - started
    server.metrics.count(request.method, response.status, spent)
    _LOG.debug("%s %s %d %.4f s", request.method, request.path, response.status, spent)
    return response
