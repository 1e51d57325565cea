"""`ansible-ensemble export`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session

_FORMATS = ("blueprint", "deployment", "deployments", "environments")


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_ensemble(parser)
    parser.add_argument(
        "--format",
        choices=_FORMATS,
        default="deployment",
        help="the service template, what is deployed of it too, all ensembles of the project, or its environments "
        "(default: deployment)",
    )
    parser.add_argument("--file", metavar="FILE", default=None, help="write to this file (default: to the screen)")
    options.add_values(parser)
    options.add_options(parser, "export")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.core.json_text import json_text
    from ansible_ensemble.documents.atomic import write_atomically
    from ansible_ensemble.jobs.unfurl_export import export

    console = session.console
    found = export(arguments.ensemble, arguments.format, options.job_options(arguments, console.environment))
    if arguments.file is None:
        console.document(found)
    else:
        write_atomically(Path(arguments.file), json_text(found, indent=2, ensure_ascii=False) + "\n")
        console.answer({"file": arguments.file}, lambda: f"Exported into {arguments.file}.\n")
    return 0
