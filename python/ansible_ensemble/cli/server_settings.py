"""What the commands share that run the server of machines, or work on its store."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ansible_ensemble.cli import options
from ansible_ensemble.cli.console import Console
from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.core.option import Option, options_of
from ansible_ensemble.provision.server.settings import STORE, Settings, settings_of

_DECLARED = options_of(Settings)
_OF_STORE = [one for one in _DECLARED if one.heading == STORE]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the settings of the server."""
    _add(parser, _DECLARED)


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add those that say where the store is."""
    _add(parser, _OF_STORE)


def _add(parser: argparse.ArgumentParser, declared: Iterable[Option]) -> None:
    parser.add_argument("--config", metavar="FILE", default=None, help="a YAML file with settings; options win")
    options.add_declared(parser, declared)


def given(arguments: argparse.Namespace, console: Console) -> Settings:
    """The settings by arguments, environment variables and a file."""
    said = options.given(arguments, _DECLARED)
    return settings_of(said, console.environment, Path(arguments.config) if arguments.config else None)


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the positional argument FILE."""
    parser.add_argument("file", metavar="FILE", help="the backup")


@contextmanager
def file_of(verb: str, arguments: argparse.Namespace) -> Iterator[Path]:
    """The file that a backup is in; in the block, what the system says of it is an error that people read."""
    try:
        yield Path(arguments.file)
    except OSError as error:
        raise EnsembleError(f"{verb}: {error.strerror or error}", Place(arguments.file)) from None


def counted(rows: Mapping[str, int]) -> str:
    """How many rows of what there are, as people read it."""
    return ", ".join(f"{count} {name}" for name, count in rows.items())
