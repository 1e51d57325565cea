"""`ansible-ensemble provision events watch`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import endpoint, machine_verbs, objects, options
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.values import clean

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.objects.event import Event


def configure(parser: Parser) -> None:
    parser.is_mixed = True
    parser.add_argument(
        "filters", metavar="FILTER", nargs="*", default=["*.*.*"], help="TYPE.ACTION.KEY, each of them * for any"
    )
    parser.add_argument("--count", metavar="N", type=options.positive, default=None, help="end after N events")
    parser.add_argument("--decode", action="store_true", default=False, help="show also what is secret in objects")
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.provision.client.events import LOST

    console = session.console

    async def watched(client: Client) -> None:
        left = arguments.count
        async with client.events() as events:
            for pattern in arguments.filters or ["*.*.*"]:
                await events.register(pattern)
            endpoint.be_patient(client)
            async for event in events:
                if event == LOST:
                    console.notice("the connection was lost and is there again; events may be missing here")
                    continue
                if console.machine:
                    console.record(_document(event, arguments.decode))
                else:
                    console.line(_line(event))
                left = left and left - 1
                if left == 0:
                    return

    endpoint.ask(arguments, console, watched)
    return 0


def _line(event: Event) -> str:
    """An event in one line: when, what, the name of what it is about, and who did it."""
    name = event.object.get("Name") if isinstance(event.object, dict) else None
    about = f"{event.key} ({name})" if name and name != event.key else event.key
    by = f" by {event.principal}" if event.principal else ""
    return clean(f"{event.time}  {event.type}.{event.action}  {about}{by}").replace("\n", " ")


def _document(event: Event, decode: bool) -> dict[str, Any]:
    return {
        name: objects.shown(value, decode=decode) if isinstance(value, dict) else value
        for name, value in objects.document_of(event, decode=True).items()
    }
