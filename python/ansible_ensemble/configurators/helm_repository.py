"""Repositories of charts: an operation looks whether one answers."""

from __future__ import annotations

from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.helm_inputs import repository_of
from ansible_ensemble.configurators.helm_program import Helm, helm_home
from ansible_ensemble.configurators.protocol import Basis, Result, Steps, Task
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.instances.lifecycle import only_looks
from ansible_ensemble.instances.status import Status


class HelmRepositoryConfigurator(BaseConfigurator):
    """Fetches the index of a repository, or logs in to a registry, with the input `repository`.

    Nothing is kept of it: a release makes its repository known to Helm for as long as its own operation takes.
    """

    name = "helm-repository"
    keys = frozenset({"environment"})

    def render(self, task: Task) -> None:
        """Evaluate the inputs."""
        super().render(task)
        if repository_of(task) is None:
            raise InvalidInput("there is no repository", task.operation.place)

    def run(self, task: Task) -> Steps:
        """Look whether the repository answers."""
        repository = repository_of(task)
        assert repository is not None
        with helm_home(task) as home:
            outcome = yield from Helm(task, home).add(repository)
        outcome.changed = False
        result = Result(outcome.ok, modified=False, outcome=outcome, error=outcome.error, basis=Basis.REAL)
        if only_looks(task.operation.name) and not outcome.ok and not outcome.timed_out:
            result.success, result.status = True, Status.ERROR
        return result
