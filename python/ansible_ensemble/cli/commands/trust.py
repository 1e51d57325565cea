"""`ansible-ensemble trust`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.folders import with_home
from ansible_ensemble.projects.trust import trust, trusted_folders, withdraw


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        nargs="?",
        default=".",
        help="a project's folder, or a folder above several (default: the current one)",
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--list", action="store_true", default=False, help="list the folders with the decision for each")
    kind.add_argument("--remove", action="store_true", default=False, help="forget the decision for the folder")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    console, folder = session.console, with_home(arguments.folder)
    if arguments.remove and not withdraw(folder):
        raise InvalidInput(f"{folder.resolve()} is not in the list", hint="`ansible-ensemble trust --list`")
    if not arguments.list and not arguments.remove:
        if not folder.is_dir():
            raise InvalidInput(f"there is no folder {folder}")
        trust(folder)
    said = {str(name): how.value for name, how in sorted(trusted_folders().items())}
    text = f"{'Removed' if arguments.remove else 'Trusted'}: {folder.resolve()}.\n"
    if arguments.list:
        text = "".join(f"{how:8} {name}\n" for name, how in said.items()) or "No folder is trusted.\n"
    console.answer({"folders": said}, lambda: text)
    return 0
