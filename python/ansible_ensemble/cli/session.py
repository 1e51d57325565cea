"""What a command works with: its console and the runner."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ansible_ensemble.cli.console import Console

if TYPE_CHECKING:
    from ansible_ensemble.runner.playbook import RunnerResult


def _run_playbook(playbook: str, **options: Any) -> RunnerResult:
    from ansible_ensemble.runner.playbook import run_playbook

    return run_playbook(playbook, **options)


class Session(Struct):
    """One call of the command.

    Attributes:
        console: where its output goes.
        run_playbook: runs a playbook, as `runner.playbook.run_playbook` does.
    """

    console: Console
    run_playbook: Callable[..., RunnerResult] = _run_playbook
