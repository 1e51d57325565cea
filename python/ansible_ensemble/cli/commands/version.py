"""`ansible-ensemble version`."""

from __future__ import annotations

import argparse
import platform
from importlib.metadata import PackageNotFoundError, version

from ansible_ensemble import __version__
from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.table import table

_PARTS = ("ansible-core", "ansible-runner", "jinja2", "PyYAML", "ruamel.yaml", "GitPython", "tosca-parser")


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    text = f"ansible-ensemble {__version__}\n"
    if arguments.verbose:
        text = "\n".join(table([[name, number] for name, number in _versions().items()])) + "\n"
    session.console.answer(_versions(), lambda: text)
    return 0


def _versions() -> dict[str, str]:
    versions = {"ansible-ensemble": __version__, "python": platform.python_version()}
    for name in _PARTS:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return versions
