"""Commands of the server's host that carry out actions."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.core.parent import end_group
from ansible_ensemble.provision.objects.codec import Undecodable, decode_json, encode
from ansible_ensemble.provision.service.actions import ActionFailed


def run_command(command: Sequence[str], seconds: float, asked: Any) -> Any:
    """What a command prints: JSON, or else its text; it gets what is asked as JSON on its input."""
    printed = output_of(command, seconds, command[0], given=encode(asked))
    try:
        return decode_json(printed)
    except Undecodable:
        return printed.decode(errors="replace").strip()


def output_of(
    command: Sequence[str],
    seconds: float,
    called: str,
    *,
    given: bytes = b"",
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """What a command prints; after its time it is ended, with what it started and is in its session.

    Args:
        command: the program and its arguments.
        seconds: how long it may take.
        called: what messages call it.
        given: its input.
        folder: its working directory.
        environment: variables on top of the server's.

    Raises:
        ActionFailed: it cannot be started, takes too long, or has another exit status than 0.
    """
    try:
        started = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
    except OSError as error:
        raise ActionFailed(f"{called}: {error.strerror}") from None
    with started:
        try:
            printed, complaints = started.communicate(given, seconds)
        except subprocess.TimeoutExpired:
            end_group(started.pid)  # not reaped yet, its id is still its own
            raise ActionFailed(f"{called} took longer than {seconds:g} seconds") from None
    if started.returncode:
        said = (printed + complaints).decode(errors="replace").strip()
        raise ActionFailed(f"{called} exited with status {started.returncode}\n{said}".rstrip())
    return printed
