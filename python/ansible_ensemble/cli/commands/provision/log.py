"""`ansible-ensemble provision jobs log`."""

from __future__ import annotations

import argparse
import codecs
from typing import TYPE_CHECKING

from ansible_ensemble.cli import endpoint, machine_verbs, objects
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import EnsembleError, UsageError

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.objects.job import Job


def configure(parser: Parser) -> None:
    parser.add_argument("named", metavar="JOB", nargs="?", default=None, help="the job's UUID")
    parser.add_argument("--machine", metavar="MACHINE", default=None, help="the current job of this machine instead")
    parser.add_argument("--follow", action="store_true", default=False, help="show it as it grows, until the job ends")
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.provision.client.job_log import followed

    console = session.console
    if (arguments.named is None) == (arguments.machine is None):
        raise UsageError("either a job or --machine is needed", hint="`jobs list` shows jobs")

    async def shown(client: Client) -> tuple[Job, str]:
        job = await objects.found(client, "jobs", await _uuid(client, arguments))
        endpoint.be_patient(client)
        decoder, texts = codecs.getincrementaldecoder("utf-8")(errors="replace"), []
        async for part in followed(client, job.uuid) if arguments.follow else client.log(job.uuid):
            text = decoder.decode(part)
            if console.machine:
                texts.append(text)
            else:
                console.tell(text)
        return await objects.found(client, "jobs", job.uuid), "".join(texts)

    job, text = endpoint.ask(arguments, console, shown)
    if console.machine:
        console.document({**objects.document_of(job), "Log": text})
    return 0


async def _uuid(client: Client, arguments: argparse.Namespace) -> str:
    if arguments.machine is None:
        return str(arguments.named)
    machine = await objects.found(client, "machines", arguments.machine)
    if not machine.current_job:
        raise EnsembleError(f"{machine.name} has had no job yet")
    return str(machine.current_job)
