"""What our own configurators have in common."""

from __future__ import annotations

from ansible_ensemble.configurators.protocol import Configurator, Task
from ansible_ensemble.configurators.results import read_inputs


class BaseConfigurator(Configurator):
    """A configurator that is made with its target, has a dry run, and writes no files before it runs."""

    #: the keys of an implementation that it acts on, beside those of the job; any other is refused
    keys: frozenset[str] = frozenset()

    #: whether it does its work on the operation's host; others do it on the controller
    on_host = False

    def __init__(self, target: str = "") -> None:
        self._target = target

    def can_dry_run(self, task: Task) -> bool:
        """Yes."""
        del task
        return True

    def render(self, task: Task) -> None:
        """Evaluate the inputs."""
        read_inputs(task)
