"""`ansible-ensemble provision KIND list`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import endpoint, objects, options
from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.object_fields import assigned, field_named, spelled
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.reports.objects_text import duration_text, objects_text, seconds_between

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client

#: What tables know of machines and jobs beside their fields.
_MORE = {"machines": ("Task", "Progress", "State"), "jobs": ("MachineName", "Duration")}


def configure(parser: Parser) -> None:
    kind, parser.is_mixed = objects.add_kind(parser), True
    parser.add_argument(
        "filters", metavar="FIELD=VALUE", nargs="*", default=[], help="only those; VALUE may be Re(...), In(a,b), Ne(x)"
    )
    if kind == "jobs":
        parser.add_argument("--machine", metavar="MACHINE", default=None, help="only jobs of this machine")
    parser.add_argument("--sort", metavar="FIELDS", default=None, help="order by these, with commas between")
    parser.add_argument("--reverse", action="store_true", default=False, help="the other way round")
    parser.add_argument("--limit", metavar="N", type=options.positive, default=None, help="at most so many")
    parser.add_argument("--offset", metavar="N", type=options.positive, default=None, help="leave out the first N")
    columns = f"fields of the table, with commas between (default: {', '.join(objects.kind_of(kind).COLUMNS)})"
    parser.add_argument("--columns", metavar="FIELDS", default="", help=columns)
    parser.add_argument("--decode", action="store_true", default=False, help="open what is secret")
    endpoint.add(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    kind, console = arguments.kind, session.console
    columns = _columns(kind, arguments.columns)

    async def listed(client: Client) -> list[dict[str, Any]]:
        query = await _query(client, arguments)
        found = await client.select(objects.kind_of(kind), query)
        documents = [objects.document_of(one, decode=arguments.decode) for one in found]
        return documents if console.machine else await _with_more(client, kind, found, documents)

    documents = endpoint.ask(arguments, console, listed)
    if not documents:
        _say_params(kind, arguments.filters, console)
    shown = columns or objects.kind_of(kind).COLUMNS
    console.answer(documents, lambda: objects_text(kind, documents, shown, console.style, whole=bool(columns)))
    return 0


def _say_params(kind: str, filters: Sequence[str], console: Console) -> None:
    """Say which names are taken for those of params: one may be a slip of a field."""
    for name in (assigned(word)[0] for word in filters):
        try:
            field_named(objects.kind_of(kind), name.partition(".")[0])
        except InvalidInput as error:
            if name != "Key":
                console.notice(f"{name} is no field, so params of this name were compared: {error.hint}")


def _columns(kind: str, text: str) -> list[str]:
    """The columns that are asked for, as the wire spells them."""
    more = {name.casefold(): name for name in _MORE.get(kind, ())}
    paths = [path.strip() for path in text.split(",") if path.strip()]
    return [more.get(path.casefold()) or _path(kind, path) for path in paths]


def _path(kind: str, path: str) -> str:
    name, dot, rest = path.partition(".")
    return f"{field_named(objects.kind_of(kind), name)}{dot}{rest}"


async def _query(client: Client, arguments: argparse.Namespace) -> list[tuple[str, str]]:
    kind = objects.kind_of(arguments.kind)
    asked = [assigned(word) for word in arguments.filters]
    if taken := [
        name for name, _other in asked if name in ("sort", "reverse", "limit", "offset", "decode", "slim", "params")
    ]:
        raise InvalidInput(
            f"{taken[0]} is no field", hint="--sort, --reverse, --limit, --offset and --decode are options"
        )
    query = [(spelled(kind, name), text) for name, text in asked]
    if getattr(arguments, "machine", None):
        query.append(("Machine", (await objects.found(client, "machines", arguments.machine)).uuid))
    order = [spelled(kind, name.strip()) for name in (arguments.sort or "").split(",")]
    said = {
        "sort": ",".join(order) or {"jobs": "StartTime", "machines": "Name"}.get(arguments.kind, ""),
        "reverse": "true" if arguments.reverse else "",
        "limit": str(arguments.limit or ""),
        "offset": str(arguments.offset or ""),
        "decode": "true" if arguments.decode else "",
    }
    return [*query, *((name, text) for name, text in said.items() if text)]


async def _with_more(
    client: Client, kind: str, found: list[Any], documents: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The documents with what tables show beside their fields."""
    if kind == "machines":
        from ansible_ensemble.provision.client.machine_status import MachineStatus

        jobs = {job.uuid: job for job in await _seen(client, "jobs", {"Current": "true"})}
        places = [MachineStatus(machine, jobs.get(machine.current_job)).document() for machine in found]
        shown = [{**place, "Progress": f"{place['TaskNumber']}/{place['TaskCount']}"} for place in places]
        return [{**one, **{name: place[name] for name in _MORE[kind]}} for one, place in zip(documents, shown)]
    if kind == "jobs":
        names = {machine.uuid: machine.name for machine in await _seen(client, "machines", {"slim": "Params,Meta"})}
        return [
            {**one, "MachineName": names.get(one["Machine"], one["Machine"]), "Duration": _duration(one)}
            for one in documents
        ]
    return documents


async def _seen(client: Client, kind: str, query: dict[str, str]) -> list[Any]:
    """Objects that the user may see; who may not, sees a table without them."""
    from ansible_ensemble.provision.client.failure import REFUSED, RequestFailed

    try:
        return list(await client.select(objects.kind_of(kind), query))
    except RequestFailed as error:
        if error.exit_code == REFUSED:
            return []
        raise


def _duration(job: dict[str, Any]) -> str:
    seconds = seconds_between(job["StartTime"], job["EndTime"])
    return "" if seconds is None else duration_text(seconds)
