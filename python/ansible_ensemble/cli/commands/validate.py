"""`ansible-ensemble validate`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from ansible_ensemble.cli import options
from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, UsageError
from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.documents.scalars import with_texts


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", default=["."], help="ensembles, service templates or CSARs (default: here)"
    )
    parser.add_argument(
        "--part",
        action="store_true",
        default=False,
        help="the files are parts of a larger one: unmet requirements, unknown types and missing files are warnings",
    )
    parser.add_argument(
        "--migrate",
        action="store_true",
        default=False,
        help="tell file by file what of a project from elsewhere is understood, tolerated, ignored and refused",
    )
    parser.add_argument(
        "--write", action="store_true", default=False, help="with --migrate: make the changes that are safe"
    )
    parser.add_argument(
        "--expanded",
        action="store_true",
        default=False,
        help="print the service templates in plain TOSCA, each node template in its long form",
    )
    options.add_values(parser)
    options.add_options(parser, "validate")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import inspection

    console = session.console
    given = options.job_options(arguments, console.environment)
    if arguments.write and not arguments.migrate:
        raise UsageError("--write needs --migrate")
    if arguments.migrate and arguments.expanded:
        raise UsageError("--expanded prints what is valid, --migrate what is not understood")
    if arguments.migrate:
        return _migrate(arguments, given, console)
    found = inspection.validate(arguments.paths, given, part=arguments.part, expand=arguments.expanded)
    if arguments.output == "json":
        console.document(with_texts(found))
    elif arguments.expanded and found["valid"]:
        for file in found["files"]:
            console.result(emit_yaml(file["expanded"]))
    else:
        for file in found["files"]:
            for warning in file["warnings"]:
                console.line(f"{console.style.warning('Warning:')} {warning}")
            for error in file["errors"]:
                console.line(f"{console.style.bad('Error:')} {error['text']}")
            if not file["errors"]:
                console.line(f"{file['file']}: {console.style.good('valid')}{_counted(file['counts'])}")
                for name in file["missing_inputs"]:
                    console.line(f"  a job needs a value for the input {name}: --input {name}=VALUE")
    return 0 if found["valid"] else InvalidInput.exit_code


def _migrate(arguments: argparse.Namespace, given: Mapping[str, Any], console: Console) -> int:
    """Tell what of a project from elsewhere is understood; the exit code is that of its worst file."""
    from ansible_ensemble.jobs import commands as jobs
    from ansible_ensemble.reports.migration_text import migration_text

    if len(arguments.paths) != 1 or arguments.part:
        raise UsageError("--migrate takes one path, and the whole of it", hint="leave out --part and the other paths")
    found = jobs.migrate(arguments.paths[0], given, write=arguments.write)
    if arguments.output == "json":
        console.document(found)
    else:
        console.tell(migration_text(found, console.style))
    return {"refused": InvalidInput.exit_code, "ignored": EnsembleError.exit_code}.get(found["outcome"], 0)


def _counted(counts: Mapping[str, int]) -> str:
    """What was found in a file, as in ` (2 node templates, 1 input)`."""
    words = {"policies": "policy"}
    parts = [
        f"{number} {(name if number != 1 else words.get(name, name.removesuffix('s'))).replace('_', ' ')}"
        for name, number in counts.items()
        if number
    ]
    return f" ({', '.join(parts)})" if parts else ""
