"""What rendering needs to know; the service reads it in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from msgspec import Struct

from ansible_ensemble.provision.objects.content import BootEnv, Stage, Task
from ansible_ensemble.provision.objects.machine import Machine


class Addresses(Struct, frozen=True):
    """Where a machine reaches the server; addresses of what it does not serve are empty.

    Attributes:
        host: name or address of the server.
        api: URL of the API, without the path.
        files: URL of files.
        secure_files: URL of files over TLS.
    """

    host: str
    api: str
    files: str = ""
    secure_files: str = ""


class Source(Protocol):
    """A machine and what belongs to it, at one moment."""

    machine: Machine
    task: Task | None
    stage: Stage | None
    bootenv: BootEnv | None
    addresses: Addresses
    #: The contents of all templates by their IDs.
    templates: Mapping[str, str]

    def values(self, param: str) -> Iterable[Any]:
        """The values of a param of the machine, the nearest first, the default of its definition last; opened."""

    def info(self) -> Mapping[str, Any]:
        """What the server says of itself, as the wire has it."""

    def token(self, profile: str, seconds: int | None) -> str:
        """A token for the machine, or for one that is to be made with a profile.

        Args:
            profile: empty for a token of the machine.
            seconds: how long it is valid; None without end.
        """
