"""`ansible-ensemble provision content export`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ansible_ensemble.cli import endpoint, options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="of the content, or of a pack that is made")
    where = "a folder that is not there, or a bundle .yaml, .yml or .json (default: NAME)"
    parser.add_argument("--out", metavar="PATH", default="", help=where)
    chosen = parser.add_mutually_exclusive_group()
    help_text = "make a pack NAME of the objects that came with no content"
    chosen.add_argument("--writable", action="store_true", default=False, help=help_text)
    chosen.add_argument("--bundle", metavar="FILE", default="", help="take apart a bundle file; no server is asked")
    endpoint.add(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.provision.client.client import run as ask
    from ansible_ensemble.provision.content import export
    from ansible_ensemble.provision.content.writing import write_pack

    if bool(arguments.name) == bool(arguments.bundle):
        raise UsageError("one thing is exported", hint="give the NAME of content, or --bundle FILE")
    if arguments.bundle:
        bundle = export.of_file(Path(arguments.bundle))
    else:
        source = export.of_writable if arguments.writable else export.of_content
        server = endpoint.given(arguments, session.console)
        bundle = ask(server, lambda client: source(client, arguments.name))
    path = Path(arguments.out or bundle.meta.name)
    objects = export.objects_of(bundle)
    write_pack(bundle.meta, objects, path)
    session.console.answer(
        {"name": bundle.meta.name, "path": str(path), "objects": len(objects)},
        lambda: f"{path}: {bundle.meta.name} ({len(objects)} objects)\n",
    )
    return 0
