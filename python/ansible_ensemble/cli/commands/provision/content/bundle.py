"""`ansible-ensemble provision content bundle`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ansible_ensemble.cli import options, packs
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    packs.add_pack(parser)
    parser.add_argument("--out", metavar="FILE", required=True, help="the bundle: NAME.yaml, .yml or .json")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.provision.content.export import objects_of
    from ansible_ensemble.provision.content.writing import is_bundle_file, write_pack

    file = Path(arguments.out)
    if not is_bundle_file(file):
        raise UsageError(f"{arguments.out} is no name of a bundle", hint="it ends in .yaml, .yml or .json")
    checked = packs.checked_pack(arguments)
    if not checked.errors:
        write_pack(checked.bundle.meta, objects_of(checked.bundle), file)
    return packs.tell(session.console, checked, f"written to {file}")
